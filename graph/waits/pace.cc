#include "graph/waits/pace.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/quantile.h"

namespace xsp {
namespace {

// A time that was missed, or a pause, tells nothing about the others.
bool IsBreak(DurationNs interval, DurationNs period) { return 2 * interval > 3 * period; }

// What came before each wait, and the wait.
std::vector<std::pair<DurationNs, DurationNs>> PairsOf(const std::vector<TimeRange>& waits,
                                                       DurationNs period) {
  std::vector<std::pair<DurationNs, DurationNs>> pairs;
  for (std::size_t i = 1; i < waits.size(); ++i) {
    if (IsBreak(waits[i].end - waits[i - 1].end, period)) continue;
    pairs.emplace_back(waits[i].begin - waits[i - 1].end, waits[i].Length());
  }
  return pairs;
}

// The variance of the distances between the ends of waits that are so many waits apart.
double SpreadOver(const std::vector<TimeRange>& waits, std::size_t apart) {
  double sum = 0, squares = 0;
  std::size_t count = 0;
  for (std::size_t i = apart; i < waits.size(); ++i, ++count) {
    const auto distance = static_cast<double>(waits[i].end - waits[i - apart].end);
    sum += distance, squares += distance * distance;
  }
  const auto n = static_cast<double>(count);
  return count == 0 ? 0 : std::max(0.0, squares / n - sum * sum / (n * n));
}

// Whether the ends lie on a grid: how far one is off says nothing about the next. Durations add up,
// and with them what they are off by: after so many waits the variance is as many times as large.
bool LieOnGrid(const std::vector<TimeRange>& waits, DurationNs period) {
  constexpr std::size_t kMostApart = 16, kFewestApart = 6;
  const std::size_t apart = std::min(kMostApart, waits.size() / 10);
  if (apart < kFewestApart) return false;
  for (std::size_t i = 1; i < waits.size(); ++i) {
    if (IsBreak(waits[i].end - waits[i - 1].end, period)) return false;
  }
  return 4 * SpreadOver(waits, apart) < static_cast<double>(apart) * SpreadOver(waits, 1);
}

}  // namespace

// By the slope of wait over rest: -1 where the end is given, 0 where the length is.
Pace PaceOfPairs(const std::vector<std::pair<DurationNs, DurationNs>>& pairs, double sure) {
  if (pairs.size() < 3) return Pace::kUnclear;
  const auto n = static_cast<double>(pairs.size());
  double rest_mean = 0, wait_mean = 0;
  for (const auto& [rest, wait] : pairs) {
    rest_mean += static_cast<double>(rest) / n, wait_mean += static_cast<double>(wait) / n;
  }
  double rest_spread = 0, wait_spread = 0, together = 0;
  for (const auto& [rest, wait] : pairs) {
    const double a = static_cast<double>(rest) - rest_mean;
    const double b = static_cast<double>(wait) - wait_mean;
    rest_spread += a * a, wait_spread += b * b, together += a * b;
  }
  constexpr double kLeastSpread = 1'000;  // Where the rest is always as long nothing shows.
  if (rest_spread < n * kLeastSpread * kLeastSpread) return Pace::kUnclear;
  const double slope = together / rest_spread;
  const double unexplained = std::max(0.0, wait_spread - slope * together);
  const double error = sure * std::sqrt(unexplained / (rest_spread * (n - 2)));
  if (slope + error < -0.5) return Pace::kDeadline;
  return slope - error > -0.5 ? Pace::kDuration : Pace::kUnclear;
}

DurationNs PeriodOf(const std::vector<TimeRange>& waits) {
  std::vector<DurationNs> intervals;
  for (std::size_t i = 1; i < waits.size(); ++i) {
    intervals.push_back(waits[i].end - waits[i - 1].end);
  }
  return UpperMedian(intervals);
}

Pace PaceOf(const std::vector<TimeRange>& waits, std::size_t fewest, double sure) {
  if (waits.size() <= fewest) return Pace::kUnclear;
  const DurationNs period = PeriodOf(waits);
  const Pace pace = PaceOfPairs(PairsOf(waits, period), sure);
  return pace == Pace::kUnclear && LieOnGrid(waits, period) ? Pace::kDeadline : pace;
}

}  // namespace xsp
