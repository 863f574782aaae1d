#include "graph/waits/pace.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "base/quantile.h"

namespace xsp {
namespace {

// A time that was missed, a pause, or another wait between two tell nothing about the others.
bool IsBreak(DurationNs interval, DurationNs period) {
  return 2 * std::abs(interval - period) > period;
}

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

// How far values are apart from what they should be: sum of squares over the degrees of freedom.
struct Residuals {
  double squares = 0;
  double free = 0;  // Degrees of freedom.

  // What clocks cannot tell apart is not counted on.
  double Variance() const {
    constexpr double kLeast = 1'000;
    return free > 0 ? squares / free + kLeast * kLeast : 0;
  }
};

Residuals AroundMean(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  for (double value : values) sum += value;
  for (double value : values) squares += (value - sum / n) * (value - sum / n);
  return {squares, n - 1};
}

// The ends of waits around a grid that is fitted to them, piece by piece: where the next one is no
// multiple of the period later, the program has set its clock anew.
class GridFit {
 public:
  explicit GridFit(DurationNs period) : period_(static_cast<double>(period)) {}

  // Whether it goes on with the piece of the one before.
  bool Add(TimeNs end) {
    const double passed = beats_.empty() ? 0 : static_cast<double>(end - last_) / period_;
    const double beats = std::round(passed);
    constexpr double kMostMissed = 8, kNear = 0.2;
    if (beats < 1 || beats > kMostMissed || std::abs(passed - beats) > kNear) {
      Close();
      first_ = end;
      Note(end, 0);
      return false;
    }
    Note(end, beats_.back() + beats);
    return true;
  }
  const Residuals& Close() {
    if (beats_.size() >= kFewest) Fit();
    beats_.clear();
    ends_.clear();
    return residuals_;
  }
  // What a grid would leave of ends that each lie by chance behind the one before, with that
  // variance: the shorter the pieces, the better one fits to them, too.
  Residuals OfChance(double variance) const { return {variance * chance_, residuals_.free}; }

 private:
  static constexpr std::size_t kFewest = 5;

  void Note(TimeNs end, double beat) {
    last_ = end;
    beats_.push_back(beat);
    ends_.push_back(static_cast<double>(end - first_) - beat * period_);
  }
  // A line through all of them: a period is known to a few nanoseconds only.
  void Fit() {
    const auto n = static_cast<double>(beats_.size());
    double x = 0, y = 0, xx = 0, xy = 0;
    for (std::size_t i = 0; i < beats_.size(); ++i) x += beats_[i] / n, y += ends_[i] / n;
    for (std::size_t i = 0; i < beats_.size(); ++i) {
      xx += (beats_[i] - x) * (beats_[i] - x), xy += (beats_[i] - x) * (ends_[i] - y);
    }
    for (std::size_t i = 0; i < beats_.size(); ++i) {
      const double off = ends_[i] - y - xy / xx * (beats_[i] - x);
      residuals_.squares += off * off;
    }
    residuals_.free += n - 2;
    chance_ += (n * n - 4) / 15;  // Of a random walk with steps of variance 1, around its line.
  }

  double period_;
  TimeNs first_ = 0, last_ = 0;
  std::vector<double> beats_, ends_;  // Of the current piece; ends apart from their beats.
  Residuals residuals_;
  double chance_ = 0;
};

// How much better one guess fits than another one: the logarithm of how many times likelier it is.
double FitsBetter(const Residuals& other, const Residuals& of) {
  if (of.free < 3 || other.free < 3) return 0;
  return std::min(of.free, other.free) / 2 * std::log(other.Variance() / of.Variance());
}

// Whether ends are more regular than lengths: they lie on a grid, or, with may_drift, each as long
// after the one before.
bool AreEndsGiven(const std::vector<TimeRange>& waits, DurationNs period, double sure,
                  bool may_drift) {
  std::vector<double> lengths, intervals;              // Where one period passed.
  std::vector<double> lengths_on_grid, steps_on_grid;  // Where the grid goes on.
  GridFit grid(period);
  for (std::size_t i = 0; i < waits.size(); ++i) {
    const bool goes_on = grid.Add(waits[i].end);
    if (i == 0) continue;
    const auto length = static_cast<double>(waits[i].Length());
    const DurationNs interval = waits[i].end - waits[i - 1].end;
    if (goes_on) lengths_on_grid.push_back(length);
    if (IsBreak(interval, period)) continue;
    lengths.push_back(length);
    intervals.push_back(static_cast<double>(interval));
    if (goes_on) steps_on_grid.push_back(intervals.back());
  }
  const double needed = 2 * sure;
  if (may_drift && FitsBetter(AroundMean(lengths), AroundMean(intervals)) > needed) return true;
  const Residuals of_grid = grid.Close(), of_steps = AroundMean(steps_on_grid);
  return FitsBetter(AroundMean(lengths_on_grid), of_grid) > needed &&
         FitsBetter(grid.OfChance(of_steps.Variance()), of_grid) > needed &&
         (may_drift || FitsBetter(of_steps, of_grid) > 0);  // What drifts lies on no grid.
}

// Whether most waits are over whole periods after the one before. Among irregular ones some always
// are, and what was chosen for that fits well: in these, what came before and the wait make up for
// each other, and their ends lie near a grid.
bool ArePeriodsApart(const std::vector<TimeRange>& waits, DurationNs period) {
  constexpr std::size_t kMostOthers = 6;  // One in so many.
  constexpr DurationNs kNear = 5;         // Within a fifth of a period.
  if (period <= 0) return false;
  std::size_t others = 0;
  for (std::size_t i = 1; i < waits.size(); ++i) {
    const DurationNs interval = waits[i].end - waits[i - 1].end;
    if (!IsBreak(interval, period)) continue;
    const DurationNs beats = (interval + period / 2) / period;
    others += beats == 0 || kNear * std::abs(interval - beats * period) > period ? 1 : 0;
  }
  return others * kMostOthers < waits.size();
}

Pace Decide(const std::vector<TimeRange>& waits, std::size_t fewest, double sure, bool may_drift) {
  if (waits.size() <= fewest) return Pace::kUnclear;
  const DurationNs period = PeriodOf(waits);
  const Pace pace = PaceOfPairs(PairsOf(waits, period), sure);
  if (pace == Pace::kDuration) return pace;
  if (!ArePeriodsApart(waits, period)) return Pace::kUnclear;
  if (pace == Pace::kDeadline) return pace;
  return AreEndsGiven(waits, period, sure, may_drift) ? Pace::kDeadline : Pace::kUnclear;
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
  constexpr DurationNs kAlike = 50;  // Within one part of so many.
  std::vector<DurationNs> intervals;
  for (std::size_t i = 1; i < waits.size(); ++i) {
    intervals.push_back(waits[i].end - waits[i - 1].end);
  }
  const DurationNs usual = UpperMedian(intervals);
  if (intervals.empty()) return usual;
  // Where half of the times are missed most intervals are two periods long.
  const DurationNs shortest = NthOf(intervals, intervals.size() / 10);
  const DurationNs times = shortest > 0 ? (usual + shortest / 2) / shortest : 0;
  if (times < 2 || std::abs(usual - times * shortest) * kAlike > usual) return usual;
  std::erase_if(intervals, [&](DurationNs ns) { return std::abs(ns - shortest) * kAlike > ns; });
  return UpperMedian(intervals);
}

std::optional<Grid> GridOf(const std::vector<TimeRange>& waits) {
  constexpr double kNear = 0.05, kMost = 0.05;  // Of a period, and so many that are not.
  const DurationNs usual = PeriodOf(waits);
  if (usual <= 0) return std::nullopt;
  Grid grid;
  grid.beats.push_back(0);
  for (std::size_t i = 1; i < waits.size(); ++i) {
    const DurationNs passed = waits[i].end - waits[i - 1].end;
    grid.beats.push_back(grid.beats.back() +
                         std::max<std::int64_t>(1, (passed + usual / 2) / usual));
  }
  const DurationNs all = waits.back().end - waits.front().end;
  grid.period = all / grid.beats.back();
  std::size_t off = 0;
  for (std::size_t i = 0; i < waits.size(); ++i) {
    const TimeNs due = waits.front().end + grid.beats[i] * grid.period;
    off += static_cast<double>(std::abs(waits[i].end - due)) >
           kNear * static_cast<double>(grid.period);
  }
  if (static_cast<double>(off) > kMost * static_cast<double>(waits.size())) return std::nullopt;
  return grid;
}

Pace PaceOf(const std::vector<TimeRange>& waits, std::size_t fewest, double sure) {
  return Decide(waits, fewest, sure, true);
}

Pace PaceOnGrid(const std::vector<TimeRange>& waits, std::size_t fewest, double sure) {
  return Decide(waits, fewest, sure, false);
}

}  // namespace xsp
