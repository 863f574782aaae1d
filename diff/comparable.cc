#include "diff/comparable.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "base/text.h"

namespace xsp {
namespace {

constexpr double kStepCountTolerance = 0.1;
constexpr double kShapeShare = 0.5;  // Of the time of matched kernels.

// "2 × Tesla T4, A100".
std::string GpuList(const std::vector<std::string>& gpus) {
  std::map<std::string, int> counts;
  for (const std::string& gpu : gpus) ++counts[gpu];
  std::string words;
  for (const auto& [gpu, count] : counts) {
    words += words.empty() ? "" : ", ";
    words += (count > 1 ? std::to_string(count) + " × " : "") + gpu;
  }
  return words;
}

// What the runs of a side say, each thing once.
std::set<std::string> Said(const Side& side,
                           const std::function<std::string(const RunFactsheet&)>& what) {
  std::set<std::string> all;
  for (const Run& run : side.runs()) {
    if (std::string text = what(run.facts); !text.empty()) all.insert(std::move(text));
  }
  return all;
}

// Each clock once: how many GPUs there are is another matter, and the clock of some may be unknown.
std::string Clocks(const RunFactsheet& facts) {
  std::string words;
  for (std::uint64_t hz : std::set(facts.clocks.begin(), facts.clocks.end())) {
    words += (words.empty() ? "" : ", ") + std::to_string((hz + 500'000) / 1'000'000) + " MHz";
  }
  return words;
}

std::string Recorded(const RunFactsheet& facts) {
  return facts.format + (facts.recorder ? " " + *facts.recorder : "");
}

// Warns where both sides say something, and not the same.
void WarnIfOther(const Side& base, const Side& now, const std::string& name,
                 const std::function<std::string(const RunFactsheet&)>& what,
                 std::vector<std::string>& warnings) {
  const std::set<std::string> before = Said(base, what);
  const std::set<std::string> after = Said(now, what);
  if (before.empty() || after.empty() || before == after) return;
  warnings.push_back("another " + name + ": " + Joined(before, " and ") + " → " +
                     Joined(after, " and "));
}

void CheckGpus(const Side& base, const Side& now, Comparability& result) {
  auto gpus = [](const RunFactsheet& facts) { return GpuList(facts.gpus); };
  const std::set<std::string> before = Said(base, gpus);
  const std::set<std::string> after = Said(now, gpus);
  if (before.empty() || after.empty()) {
    result.warnings.push_back("the GPU is not recorded on " +
                              std::string(before.empty() && after.empty() ? "either side"
                                          : before.empty()                ? "the base"
                                                                          : "the new side"));
  } else if (before != after || before.size() > 1) {
    result.reasons.push_back("another GPU: " + Joined(before, " and ") + " → " +
                             Joined(after, " and "));
  }
}

// GPUs of the same name that are not the same ones: runs of another host, or of another slot. Runs
// of one side that differ themselves show by their noise what that matters.
void WarnIfOtherCard(const Side& base, const Side& now, std::vector<std::string>& warnings) {
  auto cards = [](const RunFactsheet& facts) { return Joined(facts.cards, ", "); };
  const std::set<std::string> before = Said(base, cards);
  const std::set<std::string> after = Said(now, cards);
  if (before.empty() || after.empty()) return;
  const bool is_known = std::all_of(after.begin(), after.end(),
                                    [&](const std::string& card) { return before.contains(card); });
  if (!is_known) {
    warnings.push_back("another GPU of the same model, so perhaps another host: " +
                       Joined(before, " and ") + " → " + Joined(after, " and "));
  }
}

// Such a run looks as if the GPU did nothing.
void WarnIfWithoutKernels(const Side& base, const Side& now, std::vector<std::string>& warnings) {
  std::vector<std::string> without;
  std::size_t with = 0;
  for (const Side* side : {&base, &now}) {
    for (const Run& run : side->runs()) {
      if (!run.facts.has_kernels) without.push_back(run.name);
      with += run.facts.has_kernels ? 1 : 0;
    }
  }
  if (with == 0) return;
  for (const std::string& name : without) {
    warnings.push_back(name + " has no kernels: what others do on the GPU cannot be compared");
  }
}

bool AreSameRecording(const Run& a, const Run& b) {
  auto places = [](const Run& run) {
    std::vector<std::string_view> names;
    for (const RunPlace& place : run.places) names.push_back(place.name);
    return names;
  };
  return a.unit_ns == b.unit_ns && a.residual_ns == b.residual_ns && a.busy_ns == b.busy_ns &&
         a.kernels == b.kernels && a.launches == b.launches && places(a) == places(b);
}

// A run that is compared with itself says nothing new. Whoever gives a file twice knows that.
void WarnIfOnBothSides(const Side& base, const Side& now, std::vector<std::string>& warnings) {
  for (const Run& run : now.runs()) {
    for (const Run& other : base.runs()) {
      if (run.name == other.name || !AreSameRecording(run, other)) continue;
      warnings.push_back(run.name + " is in the base already, as " + other.name);
      break;
    }
  }
}

bool AreAlike(double before, double after) {
  return std::abs(after - before) <= kStepCountTolerance * std::max(before, after);
}

// Of what a side has by itself, whatever the unit of the comparison is.
double PerRun(std::size_t count, const Side& side) {
  return static_cast<double>(count) / static_cast<double>(side.runs().size());
}

void CheckSteps(const Side& base, const Side& now, std::vector<std::string>& warnings) {
  if (!base.is_step()) {
    const std::string lengths = OtherLength(base, now);
    if (!lengths.empty()) warnings.push_back(lengths + ": whole GPU spans are compared");
    return;
  }
  const double before = base.step_count() / static_cast<double>(base.runs().size());
  const double after = now.step_count() / static_cast<double>(now.runs().size());
  if (AreAlike(before, after)) return;
  warnings.push_back(
      "another number of steps in a run: " + std::to_string(static_cast<int>(before + 0.5)) +
      " → " + std::to_string(static_cast<int>(after + 0.5)));
}

// Which batches are compared, where there were several.
void TellBatches(const Side& base, const Side& now, std::vector<std::string>& warnings) {
  const auto words_of = [](const Side& side) {
    std::vector<std::string> words;
    for (const Run& run : side.runs()) {
      for (const BatchCount& count : run.batches) {
        std::string batch = WordsOf(count.batch);
        if (std::find(words.begin(), words.end(), batch) == words.end()) words.push_back(batch);
      }
    }
    return words;
  };
  const std::vector<std::string> before = words_of(base), after = words_of(now);
  if (before.empty() || after.empty() || !base.is_step()) return;
  const std::string kind = base.runs().front().steps.kind;
  if (before.size() == 1 && after.size() == 1) {
    if (before == after) return;
    warnings.push_back("no " + kind + " batch is on both sides: " + before[0] +
                       " is compared with " + after[0] + ", the nearest");
  } else if (before != after) {
    warnings.push_back(kind +
                       " batches are not made up alike, and none comes often enough on both "
                       "sides: all are compared");
  }
}

}  // namespace

Comparability CheckComparable(const Side& base, const Side& now) {
  Comparability result;
  CheckGpus(base, now, result);
  std::vector<std::string>& warnings = result.warnings;
  for (const Side* side : {&base, &now}) {
    for (const Run& run : side->runs()) {
      if (run.facts.partial) warnings.push_back(run.name + " was salvaged from a damaged file");
    }
  }
  WarnIfWithoutKernels(base, now, warnings);
  WarnIfOther(
      base, now, "driver", [](const auto& f) { return f.driver.value_or(""); }, warnings);
  WarnIfOther(
      base, now, "CUDA version", [](const auto& f) { return f.cuda.value_or(""); }, warnings);
  // Another GPU has another clock: that has been said.
  if (result.reasons.empty()) {
    WarnIfOther(base, now, "GPU clock", Clocks, warnings);
    WarnIfOtherCard(base, now, warnings);
  }
  WarnIfOther(
      base, now, "CPU", [](const auto& f) { return f.cpu.value_or(""); }, warnings);
  WarnIfOther(
      base, now, "operating system", [](const auto& f) { return f.os.value_or(""); }, warnings);
  WarnIfOther(
      base, now, "batch or input size", [](const auto& f) { return f.input_shape; }, warnings);
  CheckSteps(base, now, warnings);
  TellBatches(base, now, warnings);
  WarnIfOther(
      base, now, "number of processes", [](const auto& f) { return std::to_string(f.processes); },
      warnings);
  WarnIfOther(base, now, "recorder", Recorded, warnings);
  if (base.runs().front().facts.ranges_left_out) {
    warnings.push_back(
        "only one side has ranges around its work: kernels are compared, whatever range they are "
        "in");
  }
  WarnIfOnBothSides(base, now, warnings);
  WarnIfOther(
      base, now, "way to trace CUDA graphs",
      [](const auto& f) { return f.whole_graphs ? "whole graphs" : "single kernels"; }, warnings);
  return result;
}

std::string OtherSizes(const Comparison& c) {
  double same = 0;
  double other = 0;
  for (const PlacePair& pair : c.matching.pairs) {
    if (pair.how != MatchKind::kExact) continue;
    const RunPlace& base = c.base->places()[pair.base];
    const RunPlace& now = c.now->places()[pair.now];
    if (!base.is_kernel || !base.shape.known() || !now.shape.known()) continue;
    // A block that changed is a choice of the program's, not its size.
    const bool is_other = base.shape.grid != now.shape.grid && base.shape.block == now.shape.block;
    (is_other ? other : same) += c.base->MeanDeviceTime(pair.base);
  }
  if (other <= kShapeShare * (same + other)) return "";
  return "another batch or problem size, it seems: kernels that take " +
         std::to_string(static_cast<int>(100 * other / (same + other) + 0.5)) +
         " % of the time have other grids";
}

std::string OtherLength(const Side& base, const Side& now) {
  const StepCounts before = base.steps(), after = now.steps();
  const bool are_known = std::max(PerRun(before.counted, base), PerRun(after.counted, now)) >=
                         static_cast<double>(kStepsForUnit);
  const double found_before = PerRun(before.found, base), found_now = PerRun(after.found, now);
  if (!are_known || AreAlike(found_before, found_now)) return "";
  return std::to_string(std::lround(found_before)) + " steps in a run before, " +
         std::to_string(std::lround(found_now)) + " now";
}

bool SameUnit(const std::vector<const Run*>& runs) {
  return std::all_of(runs.begin(), runs.end(), [&](const Run* run) {
    return run->is_step == runs.front()->is_step &&
           (!run->is_step || (run->step_source == runs.front()->step_source &&
                              run->steps.kind == runs.front()->steps.kind));
  });
}

bool RangesOnOneSideOnly(const std::vector<const Run*>& base, const std::vector<const Run*>& now) {
  constexpr double kMost = 0.5, kHardlyAny = 0.05;  // Of device time.
  const auto all = [](const std::vector<const Run*>& runs, auto is_so) {
    return std::all_of(runs.begin(), runs.end(),
                       [&](const Run* run) { return is_so(run->facts.in_ranges); });
  };
  const auto most = [](double share) { return share >= kMost; };
  const auto hardly_any = [](double share) { return share <= kHardlyAny; };
  return (all(base, most) && all(now, hardly_any)) || (all(base, hardly_any) && all(now, most));
}

std::string CommonKind(const std::vector<const Run*>& runs) {
  for (const std::string& kind : runs.front()->kinds) {
    const bool is_common = std::all_of(runs.begin(), runs.end(), [&](const Run* run) {
      return std::find(run->kinds.begin(), run->kinds.end(), kind) != run->kinds.end();
    });
    if (is_common) return kind;
  }
  return "";
}

}  // namespace xsp
