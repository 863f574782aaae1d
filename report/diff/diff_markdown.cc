#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "diff/matching/grouped_changes.h"
#include "model/names/kernel_names.h"
#include "report/diff/diff_documents.h"
#include "report/diff/diff_kinds.h"
#include "report/diff/diff_tables.h"
#include "report/diff/diff_words.h"
#include "report/diff/one_time_words.h"
#include "report/tables/markdown_text.h"
#include "report/tables/text.h"
#include "report/tables/units.h"

namespace xsp {
namespace {

using State = GateResult::State;

const char* IconOf(Outcome outcome, Verdict verdict) {
  if (outcome == Outcome::kFailed) return "❌";
  if (outcome != Outcome::kHolds) return "⚠️";
  return verdict == Verdict::kRegression || verdict == Verdict::kCannotTell ? "⚠️" : "✅";
}

const char* IconOf(State state) {
  switch (state) {
    case State::kHolds:
      return "✅";
    case State::kFails:
      return "❌";
    case State::kAccepted:
      return "☑️";
    case State::kUndecided:
      return "❔";
    case State::kNoData:
    case State::kNotJudged:
      return "⚠️";
  }
  return "";
}

// Characters, as GitHub counts them: not bytes.
std::size_t LengthOf(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

class MarkdownWriter {
 public:
  MarkdownWriter(const Comparison& c, const DiffReportOptions& options)
      : c_(c), options_(options), groups_(GroupContributions(c)) {}

  std::string Write() {
    WriteHead();
    const bool is_same = c_.verdict == Verdict::kSame;
    if (!is_same) WriteRows();
    WriteLimits();
    if (is_same && !c_.unit.identical) Fold("where time moved, all the same", [&] { WriteRows(); });
    WriteKernelTimes();
    WriteChanges();
    WriteReproduce();
    WriteAccept();
    return std::move(text_);
  }

 private:
  void WriteHead() {
    const Outcome outcome = OutcomeOf(c_, options_.outcome);
    text_ += "### " + std::string(IconOf(outcome, c_.verdict)) +
             " xsp: " + MarkdownWords(HeadlineWords(c_)) + "\n";
    for (const std::string& reason : c_.reasons) {
      text_ += "**Not comparable**: " + MarkdownWords(reason) + "  \n";
    }
    for (const std::string& warning : c_.warnings) {
      text_ += "⚠️ " + MarkdownWords(warning) + "  \n";
    }
    std::string line;
    for (const std::string& part : CertaintyWords(c_)) {
      line += (line.empty() ? "" : " · ") + MarkdownWords(part);
    }
    text_ += line + "\n";
    if (std::string one_time = OneTimeWords(c_); !one_time.empty()) {
      text_ += "\n" + MarkdownWords(one_time) + "\n";
    }
    if (std::string advice = AdviceWords(c_); !advice.empty()) {
      text_ += "\n" + MarkdownWords(advice) + "\n";
    }
    text_ += "\n" + MarkdownName(options_.base_name, 80) + " → " +
             MarkdownName(options_.now_name, 80) + "\n";
  }

  std::string ReasonText(const Reason& reason) const {
    std::string text = MarkdownWords(reason.words);
    if (!reason.name.empty()) text += (text.empty() ? "" : " ") + MarkdownName(reason.name, 60);
    for (const auto& [before, after] : reason.from) {
      text +=
          (text.empty() ? "" : ": ") + MarkdownName(before, 60) + " → " + MarkdownName(after, 60);
    }
    return text;
  }

  void WriteRows() {
    const TimeUnit unit = FittingTimeUnit(std::max(c_.base_ns(), c_.now_ns()));
    const auto per = static_cast<double>(NanosecondsPer(unit));
    const int decimals = FittingDecimals(std::max(c_.unit.base, c_.unit.now) / per);
    WriteKinds(unit, decimals);
    text_ += "\n" + MarkdownHead({{"where, on the critical path"},
                                  {""},
                                  {"base", true},
                                  {"new", true},
                                  {"Δ " + std::string(NameOf(unit)), true},
                                  {"why"}});
    // A comment has an end: what is beyond stands in "everything else".
    const std::size_t top = options_.top == 0 ? kMostRows : std::min(options_.top, kMostRows);
    for (const ShownRow& row : ShownRows(c_, groups_, top)) {
      const bool is_group = row.kind == ShownRow::Kind::kGroup;
      const bool is_total = row.kind == ShownRow::Kind::kTotal;
      const std::string name = RowName(c_, row);
      text_ +=
          MarkdownRow({is_group ? MarkdownName(name, 90) : Bold(name, is_total),
                       is_group ? KindWords(row.group->kind) : "",
                       FormatIn(row.base, unit, decimals), FormatIn(row.now, unit, decimals),
                       Bold(SignedIn(row.delta, unit, decimals),
                            is_total || (is_group && row.group->significant)),
                       is_group ? ReasonText(WhyOf(c_, *row.group)) : (is_total ? "adds up" : "")});
    }
  }

  // What the time went to, before where: a rewritten program has no place in common with the old
  // one, but both launch, compute, copy and wait.
  void WriteKinds(TimeUnit unit, int decimals) {
    text_ += "\n" + MarkdownHead({{"the " + UnitWords(c_) + " went to"},
                                  {"base", true},
                                  {"new", true},
                                  {"Δ " + std::string(NameOf(unit)), true},
                                  {""}});
    for (const KindRow& row : KindRows(c_)) {
      text_ += MarkdownRow({row.name, FormatIn(row.base, unit, decimals),
                            FormatIn(row.now, unit, decimals),
                            Bold(SignedIn(row.delta, unit, decimals), row.is_large), row.more});
    }
  }

  static std::string Bold(const std::string& text, bool is_bold) {
    return is_bold ? "**" + text + "**" : text;
  }

  void WriteLimits() {
    if (c_.gates.empty()) return;
    text_ += "\nLimits:";
    for (std::size_t i = 0; i < c_.gates.size(); ++i) {
      const GateResult& gate = c_.gates[i];
      text_ += std::string(i == 0 ? " " : " · ") + IconOf(gate.state) + " " +
               MarkdownName(gate.gate.subject, 60) + " ≤ " + LimitWords(gate.gate);
      if (!gate.places.empty()) {
        text_ += " (" + FormatCount(static_cast<std::int64_t>(gate.places.size())) + " below)";
        continue;
      }
      if (std::string value = ValueWords(gate); !value.empty()) text_ += " (" + value + ")";
      if (std::string remark = RemarkOf(gate); !remark.empty()) {
        text_ += ", " + MarkdownWords(remark);
      }
    }
    text_ += "\n";
    for (const GateResult& gate : c_.gates) WritePlaces(gate);
  }

  // All places that fail; of the others as many as there is room for.
  void WritePlaces(const GateResult& gate) {
    if (gate.places.empty()) return;
    text_ += "\n" + MarkdownName(gate.gate.subject, 60) + " ≤ " + LimitWords(gate.gate) + ":\n\n";
    text_ += MarkdownHead({{""}, {"where"}, {"change", true}, {""}});
    std::size_t written = 0;
    for (const GatePlace& place : gate.places) {
      std::string name = MarkdownName(place.where, 90);
      if (!place.now.empty()) name += " → " + MarkdownName(place.now, 90);
      const std::string row =
          MarkdownRow({IconOf(place.state), name, ValueWords(gate.gate, place.value),
                       MarkdownWords(RemarkOf(place))});
      if (!HasRoomFor(row) || written == kMostChanges) break;
      text_ += row;
      ++written;
    }
    if (written < gate.places.size()) {
      text_ += "\nand " + FormatCount(static_cast<std::int64_t>(gate.places.size() - written)) +
               " more: `--format json` has them all\n";
    }
  }

  // Kernels that take longer or shorter by themselves: what whoever tunes them looks for.
  void WriteKernelTimes() {
    if (c_.kernel_times.empty()) return;
    const std::size_t count = c_.kernel_times.size();
    Fold("own time of kernels: " + FormatCount(static_cast<std::int64_t>(count)) + " changed", [&] {
      text_ += MarkdownHead(
          {{"kernel"}, {"launches", true}, {"base", true}, {"new", true}, {"change", true}});
      std::size_t written = 0;
      for (const KernelTime& row : c_.kernel_times) {
        const std::string before = ShortKernelName(row.base), after = ShortKernelName(row.now);
        std::string name = MarkdownName(before, 90);
        if (before != after) name += " → " + MarkdownName(after, 90);
        const std::string line = MarkdownRow(
            {name, FormatNumber(row.base_count, 0), FormatDuration(std::llround(row.base_ns)),
             FormatDuration(std::llround(row.now_ns)), GrowthWords(row.growth())});
        if (!HasRoomFor(line) || written == kMostKernelTimes) break;
        text_ += line;
        ++written;
      }
      if (written < count) {
        text_ += "\nand " + FormatCount(static_cast<std::int64_t>(count - written)) +
                 " more: `--format json` has them all\n";
      }
    });
  }

  template <class F>
  void Fold(const std::string& summary, F write) {
    text_ += "\n<details><summary>" + summary + "</summary>\n\n";
    write();
    text_ += "\n</details>\n";
  }

  // More than anybody reads in a comment.
  static constexpr std::size_t kMostChanges = 100;
  static constexpr std::size_t kMostKernelTimes = 30;
  static constexpr std::size_t kMostRows = 60;

  // How much may still be written, with room for what follows the longest list.
  bool HasRoomFor(const std::string& more) const {
    constexpr std::size_t kForTheRest = 6000;
    return LengthOf(text_) + LengthOf(more) + kForTheRest < kMostMarkdown;
  }

  std::string ChangeRow(const ChangeGroup& group) const {
    auto time = [](double ns) {
      return ns > 0 ? FormatDuration(std::llround(ns)) : std::string("–");
    };
    std::string what(NameOf(group.change.kind));
    std::replace(what.begin(), what.end(), '_', ' ');
    const auto [base, now] = ChangeNames(c_, group);
    std::string where = base.empty() ? "" : MarkdownName(base, 160);
    if (!now.empty()) where += (base.empty() ? "" : " → ") + MarkdownName(now, 160);
    return MarkdownRow({what, where, MarkdownWords(ChangeGroupDetails(c_, group)),
                        time(group.base_device), time(group.now_device)});
  }

  void WriteChanges() {
    Fold("kernels: " + KernelWords(c_), [&] {
      if (c_.changes.empty()) {
        text_ += "Nothing was added, removed, renamed or moved.\n";
        return;
      }
      text_ += MarkdownHead({{""}, {"where"}, {""}, {"base, summed", true}, {"new, summed", true}});
      const std::vector<ChangeGroup> groups = GroupChanges(c_);
      std::size_t written = 0;
      for (const ChangeGroup& group : groups) {
        const std::string row = ChangeRow(group);
        if (!HasRoomFor(row) || written == kMostChanges) break;
        text_ += row;
        ++written;
      }
      if (written < groups.size()) {
        text_ += "\nand " + FormatCount(static_cast<std::int64_t>(groups.size() - written)) +
                 " more: `--format json` has them all\n";
      }
    });
  }

  void WriteReproduce() {
    if (options_.command.empty()) return;
    Fold("reproduce", [&] { text_ += MarkdownName(options_.command, 3000) + "\n"; });
  }

  void WriteAccept() {
    if (OutcomeOf(c_, options_.outcome) != Outcome::kFailed) return;
    const std::string policy = options_.policy.empty() ? "perf.json" : options_.policy;
    Fold("accept this change", [&] {
      text_ +=
          "Record it, with a reason, in the policy that is kept with the code:\n\n" +
          MarkdownName("xsp diff … --policy " + policy + " --accept 'why this is worth it'", 400) +
          "\n";
    });
  }

  const Comparison& c_;
  const DiffReportOptions& options_;
  const std::vector<ContributionGroup> groups_;
  std::string text_;
};

}  // namespace

std::string DiffMarkdown(const Comparison& c, const DiffReportOptions& options) {
  return MarkdownWriter(c, options).Write();
}

std::string TroubleMarkdown(const std::string& message) {
  return "### ⚠️ xsp: could not be checked: " + MarkdownWords(message) + "\n";
}

}  // namespace xsp
