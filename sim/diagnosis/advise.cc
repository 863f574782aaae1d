#include "sim/diagnosis/advise.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/workers.h"
#include "sim/whatifs/all.h"

namespace xsp {
namespace {

// Less than this is within what a replay is off, and not worth an hour of
// anybody.
constexpr double kLeastGain = 0.01;

double Gain(const Forecast& forecast) { return 1 - 1 / forecast.Speedup(); }

// How much of the gain is left at the slow end, what it rests on, and how far
// the replay is off.
double ConfidenceOf(const Forecast& forecast) {
  const double gain = Gain(forecast);
  const double sure = 1 - 1 / forecast.SpeedupAt(forecast.slow_if_loader_keeps_up);
  const double kept = gain > 0 ? std::clamp(sure / gain, 0.1, 1.0) : 0.1;
  double rests = 1;
  if ((forecast.evidence & kScaling) != 0) rests = 0.8;
  if ((forecast.evidence & kInserted) != 0) rests = 0.7;
  if (!forecast.cautions.empty()) rests *= 0.6;  // Somebody has to look at the program first.
  const double replay = std::clamp(1 - 5 * std::abs(forecast.ReplayError()), 0.2, 1.0);
  return kept * rests * replay;
}

// The words of the change that most time is in.
std::string FindingOf(const Forecast& forecast) {
  const auto time = [](const PlannedChange& change) {
    return change.device_before + change.host_before;
  };
  const auto most = std::max_element(
      forecast.changes.begin(), forecast.changes.end(),
      [&](const PlannedChange& a, const PlannedChange& b) { return time(a) < time(b); });
  return most == forecast.changes.end() ? "" : most->what;
}

constexpr std::string_view kMatrixTrade[] = {
    "tf32", "amp", "fp8", "attention", "fused-optimizer", "channels-last"};
constexpr std::string_view kCopyTrade[] = {"keep-on-device", "pinned", "prefetch", "larger-copies"};
constexpr std::string_view kManagedTrade[] = {"prefetch-managed"};
constexpr std::string_view kLoaderTrade[] = {"loader"};
constexpr std::string_view kGpusTrade[] = {"buckets"};
constexpr Trade kTrades[] = {
    {"no matrix, attention or training work here", kMatrixTrade},
    {"no copies between host and device that hold anybody", kCopyTrade},
    {"no kernel waits for pages of managed memory", kManagedTrade},
    {"no data loading in the trace", kLoaderTrade},
    {"no collectives between GPUs", kGpusTrade},
};

// What giving a habit up gains, by what was tried; one what-if's gain goes to the habit that takes
// longest.
void SetGains(const std::vector<Advice>& tried, std::vector<Habit>& habits) {
  for (const Advice& advice : tried) {
    Habit* longest = nullptr;
    for (Habit& habit : habits) {
      if (habit.rule->whatif != advice.chosen.whatif->name) continue;
      if (longest == nullptr || habit.ns > longest->ns) longest = &habit;
    }
    if (longest == nullptr || advice.forecast.trust.level == TrustLevel::kLow) continue;
    longest->gain = advice.forecast.applies ? Gain(advice.forecast) : 0;
  }
  std::stable_sort(habits.begin(), habits.end(), [](const Habit& a, const Habit& b) {
    return a.gain.value_or(-1) > b.gain.value_or(-1);
  });
}

std::vector<Advice> RunAll(const Workbench& workbench, unsigned threads) {
  std::vector<Advice> all;
  for (const WhatIf* whatif : AllWhatIfs()) {
    if (!whatif->is_advice) continue;
    Advice advice;
    advice.chosen = {whatif, WhatIfValues(whatif->name, whatif->options, "")};
    all.push_back(std::move(advice));
  }
  ForEachOnThreads(all.size(), threads, [&](std::size_t i, unsigned) {
    all[i].forecast = workbench.Run({&all[i].chosen, 1});
    all[i].confidence = ConfidenceOf(all[i].forecast);
    all[i].finding = FindingOf(all[i].forecast);
  });
  return all;
}

// Takes one after the other into the combination; what gains next to nothing on
// top of those before it fixes the same time as the best of them.
void Combine(const Workbench& workbench, AdviceReport& report) {
  std::vector<ChosenWhatIf> together;
  Forecast best;
  for (Advice& item : report.items) {
    std::vector<ChosenWhatIf> with = together;
    with.push_back(item.chosen);
    const Forecast forecast = workbench.Run(with);
    if (forecast.trust.level == TrustLevel::kLow) continue;
    const bool helps =
        together.empty() || forecast.Speedup() > best.Speedup() * (1 + kLeastGain / 2);
    if (!helps) {
      item.covered_by = report.items.front().chosen.whatif->name;
      continue;
    }
    together = std::move(with);
    best = forecast;
  }
  if (together.size() > 1) report.combined = std::move(best);
}

// Where reading less often will do, it stands before not reading at all.
void PutReadsFirst(std::vector<Advice>& items) {
  const auto of = [&](const WhatIf& whatif) {
    return std::find_if(items.begin(), items.end(),
                        [&](const Advice& item) { return item.chosen.whatif == &whatif; });
  };
  const auto every = of(kReadEvery), none = of(kNoSync);
  if (every == items.end() || none == items.end() || every < none) return;
  if (ReadingLessOftenWillDo(every->forecast, none->forecast)) std::rotate(none, every, every + 1);
}

}  // namespace

double WorthOf(const WhatIf& whatif, const Forecast& forecast) {
  constexpr std::array<double, 4> kEffort = {1, 0.85, 0.6, 0.3};
  const double gain = Gain(forecast);
  const double sure = 1 - 1 / forecast.SpeedupAt(forecast.slow_if_loader_keeps_up);
  const double kept = gain > 0 ? std::clamp(sure / gain, 0.3, 1.0) : 0.3;
  constexpr double kSpokenOf = 1.15;
  const bool is_spoken_of =
      TurnOf(whatif) == Turn::kPrecision && WaitsFor(forecast.limits_before) == Resource::kGpu;
  return gain * std::sqrt(kept) * kEffort[static_cast<std::size_t>(whatif.effort)] *
         (is_spoken_of ? kSpokenOf : 1);
}

Resource WaitsFor(const std::vector<Limit>& limits) {
  std::array<DurationNs, kResourceCount> sums{};
  for (const Limit& limit : limits)
    sums[static_cast<std::size_t>(ResourceOf(limit.kind))] += limit.ns;
  return static_cast<Resource>(std::max_element(sums.begin(), sums.end()) - sums.begin());
}

bool ReadingLessOftenWillDo(const Forecast& every, const Forecast& none) {
  constexpr double kNearly = 0.75;
  return Gain(every) >= kNearly * Gain(none);
}

std::span<const Trade> AllTrades() { return kTrades; }

AdviceReport Advise(const Workbench& workbench, std::vector<Habit> habits, unsigned threads) {
  AdviceReport report;
  std::vector<Advice> tried = RunAll(workbench, threads);
  report.habits = std::move(habits);
  SetGains(tried, report.habits);
  for (Advice& advice : tried) {
    if (!advice.forecast.applies) {
      report.inapplicable.push_back({advice.chosen.whatif, advice.forecast.reason});
    } else if (Gain(advice.forecast) < kLeastGain) {
      report.without_gain.push_back(std::move(advice));
    } else {
      const bool is_trusted = advice.forecast.trust.level != TrustLevel::kLow;
      (is_trusted ? report.items : report.untrusted).push_back(std::move(advice));
    }
  }
  auto worth = [](const Advice& advice) { return WorthOf(*advice.chosen.whatif, advice.forecast); };
  std::stable_sort(report.items.begin(), report.items.end(),
                   [&](const Advice& a, const Advice& b) { return worth(a) > worth(b); });
  PutReadsFirst(report.items);
  std::stable_sort(report.without_gain.begin(), report.without_gain.end(),
                   [&](const Advice& a, const Advice& b) {
                     return a.forecast.Speedup() > b.forecast.Speedup();
                   });
  Combine(workbench, report);
  return report;
}

}  // namespace xsp
