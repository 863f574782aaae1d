#include "report/summary/summary_fixes.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "model/recorder.h"
#include "report/graph/trust_words.h"
#include "report/tables/json.h"
#include "report/tables/units.h"

namespace xsp {
namespace {

// "841 → 202 ms": both in the unit of the first, three digits each.
std::string TimesWords(DurationNs before, DurationNs after) {
  const TimeUnit unit = FittingTimeUnit(before);
  const auto in_unit = [&](DurationNs ns) {
    const double value = static_cast<double>(ns) / static_cast<double>(NanosecondsPer(unit));
    const int decimals = unit == TimeUnit::kNs || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    return FormatNumber(value, decimals);
  };
  return in_unit(before) + " → " + in_unit(after) + " " + std::string(NameOf(unit));
}

std::string Factor(double factor) {
  return FormatNumber(factor, factor >= 9.95 ? 0 : factor >= 2.995 ? 1 : 2);
}

// "1.75× (1.6–1.9)".
std::string SpeedupRange(const Fix& fix) {
  const std::string low = Factor(fix.speedup_low), high = Factor(fix.speedup_high);
  const std::string likely = Factor(fix.speedup) + "×";
  return low == high ? likely : likely + " (" + low + "–" + high + ")";
}

std::string NotWorthWords(const Fixes& fixes) {
  return Joined(fixes.not_worth, "; ",
                [](const NotWorthIt& one) { return one.name + " (" + one.why + ")"; });
}

// The fixes before it that one is made with, by their numbers: "1, 2".
std::string NumbersOfWith(const Fixes& fixes, std::size_t place) {
  std::string numbers;
  for (std::size_t i = 0; i < place; ++i) {
    const WhatIf* before = fixes.best[i].chosen.front().whatif;
    const std::vector<ChosenWhatIf>& with = fixes.best[place].with_chosen;
    const bool is_in = std::any_of(with.begin(), with.end(),
                                   [&](const ChosenWhatIf& one) { return one.whatif == before; });
    if (is_in) numbers += (numbers.empty() ? "" : ", ") + std::to_string(i + 1);
  }
  return numbers;
}

// "841 → 202 ms"; "with bf16: 89.0 ms".
std::string AfterWords(const Fixes& fixes, std::size_t place) {
  const Fix& fix = fixes.best[place];
  const std::string times = TimesWords(fix.before, fix.after);
  if (fix.with.empty()) return times;
  constexpr std::string_view kArrow = "→ ";
  constexpr std::size_t kLongName = 14;
  const bool is_one = fix.with.find(", ") == std::string::npos && fix.with.size() <= kLongName;
  return "with " + (is_one ? fix.with : NumbersOfWith(fixes, place)) + ": " +
         times.substr(times.find(kArrow) + kArrow.size());
}

Table FixTable(const Fixes& fixes) {
  Table table("", {{"", "", ColumnKind::kText, kAlways},
                   {"", "", ColumnKind::kText, kAlways},
                   {"", "", ColumnKind::kName, 8},
                   {"", "", ColumnKind::kText, kAlways},
                   {"", "", ColumnKind::kText, 7},
                   {"", "", ColumnKind::kText, 6},
                   {"", "", ColumnKind::kText, 5}});
  table.HideHeader();
  const bool has_then = std::any_of(fixes.best.begin(), fixes.best.end(),
                                    [](const Fix& fix) { return !fix.then.empty(); });
  for (std::size_t i = 0; i < fixes.best.size(); ++i) {
    const Fix& fix = fixes.best[i];
    table.AddRow({std::to_string(i + 1), fix.name, fix.change, AfterWords(fixes, i),
                  SpeedupRange(fix), NameOf(fix.effort), has_then ? fix.then : ""});
  }
  if (!fixes.not_worth.empty()) table.AddNote("not worth it: " + NotWorthWords(fixes));
  return table;
}

// Why no fix is offered.
std::string NoFixWords(const Summary& summary) {
  if (summary.trust.level == TrustLevel::kLow) {
    return "No fix is forecast: trust is " + TrustWords(summary.trust, 1) + ".";
  }
  std::string words = summary.fixes.why_none;
  if (!summary.fixes.not_worth.empty()) {
    words += " Tried: " + NotWorthWords(summary.fixes) + ".";
  }
  return words;
}

// Something is gained by what the host does otherwise: then it is no matter of kernels alone.
bool HostIsAFix(const Fixes& fixes) {
  constexpr std::string_view kOfHost[] = {"cuda-graphs", "no-sync",       "loader",
                                          "prefetch",    "merge-kernels", "read-every"};
  return std::any_of(fixes.best.begin(), fixes.best.end(), [&](const Fix& fix) {
    return std::any_of(fix.chosen.begin(), fix.chosen.end(), [&](const ChosenWhatIf& one) {
      return std::find(std::begin(kOfHost), std::end(kOfHost), one.whatif->name) !=
             std::end(kOfHost);
    });
  });
}

std::string AheadWords(const Summary& summary) {
  constexpr DurationNs kPart = 5;  // One in this many of the unit is far.
  const std::optional<DurationNs>& ahead = summary.facts.host_ahead;
  if (summary.diagnosis.what != Resource::kGpu || !ahead) return "";
  if (*ahead * kPart < summary.diagnosis.unit || HostIsAFix(summary.fixes)) return "";
  return "The host runs " + FormatDuration(*ahead) +
         " ahead: launches, CUDA graphs and data are no issue.";
}

// A step of a model that waits for matrix work: how near that is to what the GPU can do is the next
// question, unless tokens were told already.
std::string TokenWords(const Summary& summary) {
  if (!summary.step_kinds.empty()) return "";
  const bool is_model = summary.facts.is_torch && summary.diagnosis.what == Resource::kGpu;
  const bool is_gemm =
      summary.diagnosis.mostly == NameOf(KernelClass::kGemm) || summary.facts.fp32_matrix > 0;
  return is_model && is_gemm && summary.unit.is_step ? "For MFU and tokens/s: --tokens, --params."
                                                     : "";
}

std::string PercentOf(double share) { return std::to_string(std::lround(100 * share)) + " %"; }

// "32 equal blocks of 26.1 ms (99 %): 9 gemm 91 %, elementwise 7 %".
std::string BlockWords(const Summary& summary) {
  constexpr std::uint32_t kLeastKernels = 3;
  if (!summary.facts.blocks || summary.facts.blocks->kernels < kLeastKernels) return "";
  constexpr std::size_t kMostParts = 3;
  constexpr double kWorthSaying = 0.005;
  const EqualBlocks& blocks = *summary.facts.blocks;
  std::vector<std::string> parts;
  for (const EqualBlocks::Part& part : blocks.parts) {
    if (parts.size() == kMostParts || part.share < kWorthSaying) break;
    parts.push_back(std::to_string(part.count) + " " + part.kernel_class + " " +
                    PercentOf(part.share));
  }
  return FormatCount(blocks.count) + " equal blocks of " + FormatDuration(blocks.ns) + " (" +
         PercentOf(blocks.share) + " of device time, " + std::to_string(blocks.kernels) +
         " kernels each): " + Joined(parts, ", ") + ".";
}

// What would tell where the host's time goes: ranges and samples.
std::string HostRecordingWords(const Summary& summary) {
  const Resource what = summary.diagnosis.what;
  if (what != Resource::kHost) return "";
  std::vector<std::string> flags;
  for (const MissingData& missing : summary.missing) {
    const bool tells = missing.what == "NVTX ranges" || missing.what == "CPU samples" ||
                       missing.what == "Python functions and modules";
    if (tells) flags.push_back(missing.flag);
  }
  if (flags.empty()) return "";
  const std::string command(RecorderCommand(summary.format));
  return "Where the host's time goes was not recorded: " + command + (command.empty() ? "" : " ") +
         Joined(flags, " ") + ".";
}

std::string DoubtWords(const Summary& summary) {
  if (summary.trust.level != TrustLevel::kFair) return "";
  return "Trust is " + TrustWords(summary.trust, 1) + ".";
}

}  // namespace

bool SaysHowToRecord(const Summary& summary) { return !HostRecordingWords(summary).empty(); }

void AddFixes(const Summary& summary, const std::string& steps, bool has_tokens, Report& report) {
  if (summary.fixes.best.empty()) {
    report.Show(NoFixWords(summary));
  } else {
    report.Show(FixTable(summary.fixes));
  }
  std::string text;
  for (const std::string& sentence :
       {AheadWords(summary), has_tokens ? "" : TokenWords(summary), BlockWords(summary),
        DoubtWords(summary), steps, HostRecordingWords(summary)}) {
    if (!sentence.empty()) text += (text.empty() ? "" : " ") + sentence;
  }
  report.Show(text);
}

Json FixesToJson(const Fixes& fixes, const std::string& trace) {
  Json json = Json::array();
  for (const Fix& fix : fixes.best) {
    json.push_back({{"whatif", Joined(fix.chosen, "+",
                                      [](const ChosenWhatIf& one) { return one.whatif->name; })},
                    {"name", fix.name},
                    {"change", fix.change},
                    {"with", fix.with.empty() ? Json(nullptr) : Json(fix.with)},
                    {"measured_ns", fix.before},
                    {"forecast_ns", fix.after},
                    {"speedup", fix.speedup},
                    {"speedup_low", fix.speedup_low},
                    {"speedup_high", fix.speedup_high},
                    {"effort", NameOf(fix.effort)},
                    {"then", fix.then.empty() ? Json(nullptr) : Json(fix.then)},
                    {"command", JsonText("xsp whatif " + fix.AsOptions() + " " + trace)}});
  }
  return json;
}

Json NotWorthToJson(const Fixes& fixes) {
  Json json = Json::array();
  for (const NotWorthIt& one : fixes.not_worth) {
    json.push_back({{"whatif", one.whatif.empty() ? Json(nullptr) : Json(one.whatif)},
                    {"name", one.name},
                    {"speedup", one.speedup},
                    {"why", one.why}});
  }
  return json;
}

}  // namespace xsp
