#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace xsp {

// Everything that can be odd about a row of a source. A closed list: each has a sentence for the
// user and a verdict, whether such a row is in the trace all the same.
enum class ImportReason : std::uint8_t {
  // In the trace, but not as the source had it.
  kBadEnd,
  kUnfinished,
  kUnlinked,
  kAmbiguousCall,
  kBeforeCall,
  kOutOfOrder,
  kUnknownValue,
  kOutOfRange,
  kMissingString,
  kInvalidUtf8,
  kNoProcess,
  kBacktraceCopy,
  kUndecodedPayload,
  // Not in the trace.
  kNoBegin,
  kNoTime,
  kPseudoRow,
  kRecordWithoutCall,
  kDuplicate,
  kDamaged,
};

inline constexpr std::size_t kImportReasonCount =
    static_cast<std::size_t>(ImportReason::kDamaged) + 1;

// Whether rows with this oddity are in the trace.
bool IsKept(ImportReason reason);

// The stable name for files and JSON ("bad_end"), and what it means, for people.
std::string_view NameOf(ImportReason reason);
std::string_view Describe(ImportReason reason);

// What happened to the rows of the source: how many were read, kept and set aside per table, and
// how many were odd, with one example each. read = kept + set_aside, for each table.
class ImportLog {
 public:
  struct Tally {
    std::uint64_t read = 0;
    std::uint64_t kept = 0;
    std::uint64_t set_aside = 0;
    bool operator==(const Tally&) const = default;
  };
  struct Issue {
    std::uint64_t count = 0;
    std::string sample;  // The first such row, for a human: "row 17: start 5, end 3".
    bool operator==(const Issue&) const = default;
  };
  using IssueKey = std::pair<std::string, ImportReason>;  // (table, reason)

  // Rows that were read and are in the trace. Odd ones among them are also noted by AddIssue.
  void AddKept(std::string_view table, std::uint64_t rows = 1);

  // Notes an oddity. If rows with this reason are not kept, this also counts them as read and set
  // aside; if they are, the caller counts them with AddKept as any other row.
  void AddIssue(std::string_view table, ImportReason reason, std::string sample,
                std::uint64_t count = 1);

  // Moves `rows` that were counted as kept to set aside, for a reason found later.
  void SetAside(std::string_view table, ImportReason reason, std::string sample,
                std::uint64_t rows);

  // Whether AddIssue would only count: the first sample is already there. Saves making the text.
  bool HasSample(std::string_view table, ImportReason reason) const;

  // Adds another log to this one. Samples that are here already stay.
  void Merge(const ImportLog& other);

  // Puts back what a stored trace says of a table or an issue.
  void Restore(std::string table, Tally tally) { tallies_[std::move(table)] = tally; }
  void Restore(IssueKey key, Issue issue) { issues_[std::move(key)] = std::move(issue); }

  Tally Total() const;
  const std::map<std::string, Tally, std::less<>>& tallies() const { return tallies_; }
  const std::map<IssueKey, Issue>& issues() const { return issues_; }

  bool operator==(const ImportLog&) const = default;

 private:
  Tally& TallyOf(std::string_view table);

  std::map<std::string, Tally, std::less<>> tallies_;
  std::map<IssueKey, Issue> issues_;
};

}  // namespace xsp
