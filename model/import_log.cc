#include "model/import_log.h"

#include <array>

namespace xsp {
namespace {

struct ReasonText {
  std::string_view name;
  std::string_view description;
};

constexpr std::array<ReasonText, kImportReasonCount> kTexts = {{
    {"bad_end", "ends before it begins: counted as an instant"},
    {"unfinished", "has no end: taken to last until the end of the recording"},
    {"unlinked", "no CUDA call with its correlation id (launched before the capture began?)"},
    {"ambiguous_call", "several calls share its correlation id: the last one before it was taken"},
    {"before_call", "begins before its own call: the clocks of host and device differ"},
    {"out_of_order", "not in order of time: sorted"},
    {"unknown_value", "an enumeration value that this version does not know: kept as it is"},
    {"out_of_range", "a number out of its range: treated as unknown"},
    {"missing_string", "names a string that the export does not hold: shown as name_<id>"},
    {"invalid_utf8", "text that is not UTF-8: bad bytes replaced"},
    {"no_process", "names no process or thread: put under an unknown one"},
    {"backtrace_copy", "second row of a call, with its call chain: not counted as a call"},
    {"undecoded_payload",
     "a structured NVTX payload that cannot be decoded: left out of the range"},
    {"no_begin", "has no start time, or one that lies months away from the rest"},
    {"no_time", "time stamps were not collected (both 0)"},
    {"pseudo_row", "part of an event whose whole is in the trace as well"},
    {"record_without_call",
     "a CUDA event record whose call is not in the export: its time is unknown"},
    {"duplicate", "repeats another row"},
    {"damaged", "could not be read: the file is damaged here"},
}};

const ReasonText& TextOf(ImportReason reason) { return kTexts[static_cast<std::size_t>(reason)]; }

}  // namespace

bool IsKept(ImportReason reason) { return reason < ImportReason::kNoBegin; }

std::string_view NameOf(ImportReason reason) { return TextOf(reason).name; }

std::string_view Describe(ImportReason reason) { return TextOf(reason).description; }

ImportLog::Tally& ImportLog::TallyOf(std::string_view table) {
  auto it = tallies_.find(table);
  if (it == tallies_.end()) it = tallies_.emplace(std::string(table), Tally{}).first;
  return it->second;
}

void ImportLog::AddKept(std::string_view table, std::uint64_t rows) {
  Tally& tally = TallyOf(table);
  tally.read += rows;
  tally.kept += rows;
}

void ImportLog::AddIssue(std::string_view table, ImportReason reason, std::string sample,
                         std::uint64_t count) {
  Issue& issue = issues_[{std::string(table), reason}];
  if (issue.count == 0) issue.sample = std::move(sample);
  issue.count += count;
  if (IsKept(reason)) return;
  Tally& tally = TallyOf(table);
  tally.read += count;
  tally.set_aside += count;
}

void ImportLog::SetAside(std::string_view table, ImportReason reason, std::string sample,
                         std::uint64_t rows) {
  Tally& tally = TallyOf(table);
  tally.read -= rows;
  tally.kept -= rows;
  AddIssue(table, reason, std::move(sample), rows);
}

bool ImportLog::HasSample(std::string_view table, ImportReason reason) const {
  return issues_.contains({std::string(table), reason});
}

void ImportLog::Merge(const ImportLog& other) {
  for (const auto& [table, tally] : other.tallies_) {
    Tally& mine = TallyOf(table);
    mine.read += tally.read;
    mine.kept += tally.kept;
    mine.set_aside += tally.set_aside;
  }
  for (const auto& [key, issue] : other.issues_) {
    Issue& mine = issues_[key];
    if (mine.count == 0) mine.sample = issue.sample;
    mine.count += issue.count;
  }
}

ImportLog::Tally ImportLog::Total() const {
  Tally total;
  for (const auto& [table, tally] : tallies_) {
    total.read += tally.read;
    total.kept += tally.kept;
    total.set_aside += tally.set_aside;
  }
  return total;
}

}  // namespace xsp
