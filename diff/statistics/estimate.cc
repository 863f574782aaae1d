#include "diff/statistics/estimate.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/enum_names.h"
#include "diff/statistics/noise.h"
#include "diff/statistics/statistics.h"

namespace xsp {
namespace {

constexpr double kRankLevel = 0.05;

// The interval of the ratio, where runs differ among each other no narrower than they allow.
void AddInterval(const Series& base, const Series& now, double confidence, Estimate& e) {
  Interval interval = BootstrapRatio(base, now, confidence);
  if (const auto between = NoiseBetween(base, now)) {
    const double t = StudentQuantile(1 - (1 - confidence) / 2, between->degrees);
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

Verdict ByEstimate(double growth, double above, double below) {
  if (growth > above) return Verdict::kRegression;
  return growth < -below ? Verdict::kImprovement : Verdict::kSame;
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
  const bool few = std::min(e.base_count, e.now_count) < kSamplesForInterval;
  e.floor = FloorOf(e, few ? options.noise : kLeastEffect);
  e.resolution = e.floor;
  RankTest ranks;
  if (!few && e.ratio && e.now > 0) {
    AddInterval(base, now, options.confidence, e);
    ranks = CompareRanks(base.All(), now.All());
    e.rank_p = ranks.p;
    e.resolution = std::max(e.floor, (e.interval->high - e.interval->low) / 2);
  }
  if (e.identical) return e;
  if (options.strict) {
    e.verdict = ByEstimate(e.growth(), *options.strict, std::max(*options.strict, kLeastEffect));
  } else if (e.interval) {
    e.verdict = ByInterval(e, options, ranks);
  } else {
    e.verdict = ByEstimate(e.growth(), e.floor, e.floor);
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
