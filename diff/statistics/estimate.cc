#include "diff/statistics/estimate.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/enum_names.h"
#include "diff/statistics/statistics.h"

namespace xsp {
namespace {

constexpr double kRankLevel = 0.05;

// How far runs differ, by these and by earlier ones. A single difference between two runs may be
// small by chance: then what is assumed without any counts as one more. `few`: values within the
// runs show no noise.
std::optional<RunNoise> KnownRunNoise(const Series& base, const Series& now, bool few,
                                      const DecisionOptions& options) {
  constexpr double kDeviationsInNoise = 4;  // The noise assumed is a bound, not a deviation.
  std::optional<RunNoise> between = NoiseBetween(base, now);
  if (options.remembered) {
    between = Pooled(between.value_or(RunNoise{}), *options.remembered);
  }
  if (between && between->degrees < 2) {
    const double assumed = few ? options.noise / kDeviationsInNoise : kAssumedRunNoise;
    between = Pooled(*between, {assumed, 1});
  }
  return between;
}

// The interval of the ratio, where runs differ among each other no narrower than they allow.
// Nothing where neither values within runs nor several runs show any noise.
void AddInterval(const Series& base, const Series& now, const DecisionOptions& options,
                 Estimate& e) {
  const bool few = std::min(e.base_count, e.now_count) < kSamplesForInterval;
  const std::optional<RunNoise> between = KnownRunNoise(base, now, few, options);
  if (!e.ratio || e.now <= 0 || (few && !between)) return;
  Interval interval{*e.ratio, *e.ratio};
  if (!few) interval = BootstrapRatio(base, now, options.confidence);
  if (between) {
    const double t = StudentQuantile(1 - (1 - options.confidence) / 2, between->degrees);
    const double runs =
        1.0 / static_cast<double>(base.run_count()) + 1.0 / static_cast<double>(now.run_count());
    const double half = *e.ratio * t * between->deviation * std::sqrt(runs);
    e.run_noise = between->deviation;
    e.run_noise_decides = *e.ratio - half < interval.low;
    interval.low = std::max(0.0, std::min(interval.low, *e.ratio - half));
    interval.high = std::max(interval.high, *e.ratio + half);
  }
  e.interval = interval;
}

// How many values a side would do: noise of chance falls with the root of their number. 0 where
// nobody would record so many: a few values say too little of their scatter, too.
std::size_t WantedCount(const Estimate& e, double matters) {
  constexpr double kMostWanted = 1000;
  const double times = e.resolution / std::max(matters, kLeastEffect);
  const auto count = static_cast<double>(std::min(e.base_count, e.now_count));
  const double wanted = std::ceil(count * times * times);
  return wanted > kMostWanted ? 0 : static_cast<std::size_t>(wanted);
}

// Nothing shows noise: beyond what is assumed it is a change.
Verdict ByEstimate(const Estimate& e) {
  if (e.growth() > e.floor) return Verdict::kRegression;
  if (e.growth() < -e.floor) return Verdict::kImprovement;
  return e.floor <= kMattersByDefault ? Verdict::kSame : Verdict::kCannotTell;
}

Verdict ByInterval(Estimate& e, const DecisionOptions& options, const RankTest& ranks) {
  const double growth = e.growth();
  const bool clear = std::abs(growth) > e.floor && ranks.Significant(kRankLevel);
  if (clear && e.interval->low > 1) return Verdict::kRegression;
  if (clear && e.interval->high < 1) return Verdict::kImprovement;
  if (e.resolution <= std::max(options.matters, kLeastEffect)) return Verdict::kSame;
  e.wanted = WantedCount(e, options.matters);
  return Verdict::kCannotTell;
}

// Where noise could not be seen within runs (one value each), two runs still show some.
double FloorOf(const Estimate& e, double least) {
  return std::max(least, std::hypot(e.base_noise.value_or(0), e.now_noise.value_or(0)));
}

std::vector<double> StretchMeans(const Series& side) {
  constexpr std::size_t kStretches = 8;
  std::vector<double> all;
  for (const std::vector<double>& run : side.runs) {
    const std::vector<double> means = MeansOfParts(run, kStretches);
    all.insert(all.end(), means.begin(), means.end());
  }
  return all;
}

double VarianceOf(const std::vector<double>& values) {
  const double mean = MeanOf(values);
  double squares = 0;
  for (double v : values) squares += (v - mean) * (v - mean);
  return squares / static_cast<double>(values.size() - 1);
}

}  // namespace

std::string_view NameOf(Verdict verdict) {
  constexpr EnumNames<Verdict::kCannotTell> kNames(
      {"same", "regression", "improvement", "cannot_tell"});
  return kNames[verdict];
}

double Estimate::growth() const {
  if (ratio) return *ratio - 1;
  return now > base ? std::numeric_limits<double>::infinity() : 0;
}

double Estimate::low_growth() const { return interval ? interval->low - 1 : growth(); }
double Estimate::high_growth() const { return interval ? interval->high - 1 : growth(); }

Estimate EstimateChange(const Series& base, const Series& now, const DecisionOptions& options) {
  Estimate e;
  e.base = base.Mean();
  e.now = now.Mean();
  e.base_median = base.Median();
  e.now_median = now.Median();
  e.base_count = base.count();
  e.now_count = now.count();
  if (e.base > 0) e.ratio = e.now / e.base;
  e.identical = base == now;
  e.base_noise = NoiseWithin(base);
  e.now_noise = NoiseWithin(now);
  AddInterval(base, now, options, e);
  e.floor = FloorOf(e, e.interval ? kLeastEffect : options.noise);
  e.resolution = e.floor;
  if (e.interval) {
    e.resolution = std::max(e.floor, (e.interval->high - e.interval->low) / 2);
  }
  if (e.identical) return e;
  const bool few = std::min(e.base_count, e.now_count) < kSamplesForInterval;
  if (!e.interval && few) {
    e.verdict = ByEstimate(e);
    return e;
  }
  const RankTest ranks = CompareRanks(base.All(), now.All());
  e.rank_p = ranks.p;
  if (e.interval) {
    e.verdict = ByInterval(e, options, ranks);
  } else {
    e.verdict = ranks.Significant(kRankLevel) ? ByEstimate(e) : Verdict::kCannotTell;
  }
  return e;
}

std::vector<bool> AreSignificant(const std::vector<double>& p) {
  constexpr double kLevel = 0.05;  // The chance of one false alarm among all rows.
  std::vector<bool> significant;
  for (double corrected : HolmCorrected(p)) significant.push_back(corrected <= kLevel);
  return significant;
}

double QuickP(const Series& base, const Series& now) {
  if (base == now) return 1;
  const std::vector<double> a = StretchMeans(base);
  const std::vector<double> b = StretchMeans(now);
  if (a.size() < 2 || b.size() < 2) return 1;
  const double of_a = VarianceOf(a) / static_cast<double>(a.size());
  const double of_b = VarianceOf(b) / static_cast<double>(b.size());
  const double difference = std::abs(base.Mean() - now.Mean());
  if (of_a + of_b <= 0) return difference > 0 ? 0 : 1;
  const double degrees = (of_a + of_b) * (of_a + of_b) /
                         (of_a * of_a / static_cast<double>(a.size() - 1) +
                          of_b * of_b / static_cast<double>(b.size() - 1));
  return StudentTwoSided(difference / std::sqrt(of_a + of_b), std::max(1.0, degrees));
}

}  // namespace xsp
