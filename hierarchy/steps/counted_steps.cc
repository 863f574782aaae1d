#include "hierarchy/steps/counted_steps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "base/text.h"
#include "model/duration.h"

namespace xsp {
namespace {

constexpr double kMentionedShare = 0.02;  // Of a step's time that is one-time cost.
constexpr double kMeansDiffer = 0.01;

DurationNs SumOf(const Steps& steps, const std::vector<std::uint32_t>& list) {
  DurationNs sum = 0;
  for (std::uint32_t step : list) sum += steps.steps[step].time.Length();
  return sum;
}

void AddSurroundings(const Steps& steps, CountedSteps& set) {
  set.beside = steps.beside;
  set.gpu_ns = steps.gpu_ns;
  const std::uint32_t first = set.counted.front(), last = set.counted.back();
  if (first == last) return;
  DurationNs sum = 0;
  for (std::uint32_t i = first; i < last; ++i) {
    sum += std::max<DurationNs>(0, steps.steps[i + 1].time.begin - steps.steps[i].time.end);
  }
  set.between = sum / (last - first);
  if (set.between > 0) set.between_what = steps.between;
}

void AddTimes(const Steps& steps, CountedSteps& set) {
  if (set.empty()) return;
  AddSurroundings(steps, set);
  const DurationNs sum = SumOf(steps, set.counted);
  set.outlier_ns = SumOf(steps, set.outliers);
  set.cold_ns = SumOf(steps, set.cold);
  const std::size_t warm = set.counted.size() + set.outliers.size();
  set.typical = sum / static_cast<DurationNs>(set.counted.size());
  set.warm_mean = (sum + set.outlier_ns) / static_cast<DurationNs>(warm);
  const double mean = static_cast<double>(sum) / static_cast<double>(set.counted.size());
  double squares = 0;
  DurationNs one_time = 0;
  for (std::uint32_t step : set.counted) {
    const Step& of = steps.steps[step];
    one_time += steps.one_time.In(of.time);
    const auto length = static_cast<double>(of.time.Length());
    squares += (length - mean) * (length - mean);
    const double longer = std::min(length - mean, static_cast<double>(of.one_time));
    if (longer > kMentionedShare * length) {
      set.late_one_time.push_back(step);
    }
  }
  set.one_time = one_time / static_cast<DurationNs>(set.counted.size());
  if (mean > 0) {
    set.spread = std::sqrt(squares / static_cast<double>(set.counted.size())) / mean;
  }
}

// "±0.03 %", "±2.7 %", "±12 %".
std::string SpreadWords(double spread) {
  const double percent = 100 * spread;
  char text[32];
  std::snprintf(text, sizeof text, "±%.*f %%", percent < 0.1 ? 2 : percent < 10 ? 1 : 0, percent);
  return text;
}

// "step 1 is cold: 865.6 ms", "steps 1-2 are cold: 1.7 s".
std::string RoleWords(const std::vector<std::uint32_t>& list, std::string_view one,
                      std::string_view many, DurationNs sum) {
  if (list.empty()) return "";
  const bool is_one = list.size() == 1;
  return ", " + StepNumbers(list) + std::string(is_one ? one : many) + FormatDuration(sum);
}

std::string LeftOutWords(const CountedSteps& set) {
  constexpr std::array<std::string_view, 7> kWords = {"",
                                                      "unfinished",
                                                      "cut",
                                                      "mostly profiling",
                                                      "beyond whole periods",
                                                      "while the batch grew or ran out",
                                                      "not asked for"};
  std::string words;
  for (std::size_t reason = 1; reason < kWords.size(); ++reason) {
    if (reason == static_cast<std::size_t>(LeftOut::kNotAskedFor)) continue;
    std::vector<std::uint32_t> list;
    for (const auto& [step, why] : set.left_out) {
      if (static_cast<std::size_t>(why) == reason) list.push_back(step);
    }
    if (!list.empty()) words += ", " + StepNumbers(list) + " " + std::string(kWords[reason]);
  }
  return words;
}

bool WereChosen(const CountedSteps& set) {
  return std::any_of(set.left_out.begin(), set.left_out.end(),
                     [](const auto& left) { return left.second == LeftOut::kNotAskedFor; });
}

// "1,3-5", counted from 1.
std::vector<std::string> Runs(const std::vector<std::uint32_t>& list) {
  std::vector<std::string> runs;
  for (std::size_t i = 0; i < list.size();) {
    std::size_t end = i + 1;
    while (end < list.size() && list[end] == list[end - 1] + 1) ++end;
    runs.push_back(std::to_string(list[i] + 1));
    if (end - i > 1) runs.back() += "-" + std::to_string(list[end - 1] + 1);
    i = end;
  }
  return runs;
}

}  // namespace

bool CountedSteps::OutliersMatter() const {
  return std::abs(static_cast<double>(warm_mean - typical)) >
         kMeansDiffer * static_cast<double>(typical);
}

CountedSteps CountSteps(const Steps& steps) { return CountSteps(steps, steps.main_kind); }

CountedSteps CountSteps(const Steps& steps, const std::string& kind) {
  CountedSteps set;
  const StepKindFacts* const facts = steps.FindKind(kind);
  set.kind = kind;
  set.all = static_cast<std::uint32_t>(steps.size());
  set.found = facts != nullptr ? facts->count : set.all;
  set.counted = steps.Counted(kind);
  set.cold = steps.With(StepRole::kCold, kind);
  set.outliers = steps.With(StepRole::kOutlier, kind);
  for (std::uint32_t step : steps.With(StepRole::kLeftOut, kind)) {
    set.left_out.emplace_back(step, steps.steps[step].left_out);
  }
  set.two_speeds = facts != nullptr ? facts->two_speeds : steps.two_speeds;
  AddTimes(steps, set);
  return set;
}

CountedSteps CountSteps(const Steps& steps, const std::vector<std::uint32_t>& chosen) {
  CountedSteps set;
  set.found = set.all = static_cast<std::uint32_t>(steps.size());
  set.counted = chosen;
  if (!chosen.empty()) set.kind = steps.steps[chosen.front()].kind();
  for (std::uint32_t step : chosen) {
    if (steps.steps[step].kind() != set.kind) set.kind.clear();
  }
  for (std::uint32_t step = 0; step < set.found; ++step) {
    if (std::binary_search(chosen.begin(), chosen.end(), step)) continue;
    set.left_out.emplace_back(step, LeftOut::kNotAskedFor);
  }
  AddTimes(steps, set);
  return set;
}

std::vector<std::string> NotesOn(const CountedSteps& set) {
  std::vector<std::string> notes;
  const auto percent = [](DurationNs part, DurationNs all) {
    return std::to_string(std::lround(100 * static_cast<double>(part) /
                                      static_cast<double>(std::max<DurationNs>(1, all))));
  };
  // What is less than this many percent of the time is noise.
  constexpr DurationNs kNoticed = 100;
  if (set.between * kNoticed > set.WithBetween()) {
    notes.push_back("Between steps: " + FormatDuration(set.between) + " a step, " +
                    percent(set.between, set.WithBetween()) + " % of the time" +
                    (set.between_what.empty() ? "" : " (" + set.between_what + ")") +
                    "; with it a step takes " + FormatDuration(set.WithBetween()) + ".");
  }
  for (const WorkBeside& work : set.beside) {
    if (work.gpu_ns * kNoticed <= set.gpu_ns) continue;
    notes.push_back("Beside the steps: " + work.name + ", " + percent(work.gpu_ns, set.gpu_ns) +
                    " % of the GPU's work; no step waits for it in particular." +
                    (!work.has_steps       ? ""
                     : work.thread.valid() ? " --thread chooses it."
                                           : " --process chooses it."));
  }
  return notes;
}

std::string StepNumbers(const std::vector<std::uint32_t>& list) {
  constexpr std::size_t kMostRuns = 3;
  const std::vector<std::string> runs = Runs(list);
  if (runs.size() > kMostRuns) {
    return std::to_string(list.size()) + " steps from " + std::to_string(list.front() + 1) +
           " to " + std::to_string(list.back() + 1);
  }
  return (list.size() == 1 ? "step " : "steps ") + AllStepNumbers(list);
}

std::string AllStepNumbers(const std::vector<std::uint32_t>& list) {
  return Joined(Runs(list), ",");
}

std::string WordsOf(const CountedSteps& set) {
  const std::string mean = FormatDuration(set.typical);
  const std::string spread =
      set.counted.size() > 1 ? " (" + SpreadWords(set.spread) + ")" : std::string();
  const std::string all = std::to_string(set.found) + " " +
                          (set.kind.empty() || WereChosen(set) ? "" : set.kind + " ") +
                          (set.found == 1 ? "step" : "steps");
  if (WereChosen(set)) return StepNumbers(set.counted) + " of " + all + ": " + mean + spread;
  if (set.counted.size() == set.found) {
    return all + " of " + mean + spread + (set.two_speeds ? ", two speeds" : "");
  }
  std::string words = all + ", " + std::to_string(set.counted.size()) + " of them " + mean + spread;
  words += RoleWords(set.cold, " is cold: ", " are cold: ", set.cold_ns);
  words += RoleWords(set.outliers, " is an outlier: ", " are outliers: ", set.outlier_ns);
  if (set.OutliersMatter()) words += " (with it " + FormatDuration(set.warm_mean) + ")";
  words += LeftOutWords(set);
  return words + (set.two_speeds ? ", two speeds" : "");
}

}  // namespace xsp
