#include "diff/statistics/noise.h"

#include <algorithm>
#include <cmath>

namespace xsp {
namespace {

constexpr std::size_t kParts = 4;

// The distance between the highest and the lowest mean of the parts of a run.
double RangeOfParts(const std::vector<double>& run) {
  const std::vector<double> means = MeansOfParts(run, kParts);
  const auto [low, high] = std::minmax_element(means.begin(), means.end());
  return *high - *low;
}

// Adds the squared distances of run means from their mean, as shares of it, and what is left of
// the degrees of freedom.
void AddDistances(const Series& side, double& squares, double& degrees) {
  std::vector<double> means;
  for (const std::vector<double>& run : side.runs) {
    if (!run.empty()) means.push_back(MeanOf(run));
  }
  const double mean = MeanOf(means);
  if (means.size() < 2 || mean <= 0) return;
  for (double of_run : means) squares += (of_run / mean - 1) * (of_run / mean - 1);
  degrees += static_cast<double>(means.size() - 1);
}

}  // namespace

std::optional<double> NoiseWithin(const Series& side) {
  const double mean = side.Mean();
  if (mean <= 0) return std::nullopt;
  std::vector<double> ranges;
  for (const std::vector<double>& run : side.runs) {
    if (run.size() >= 2) ranges.push_back(RangeOfParts(run) / mean);
  }
  if (ranges.empty()) return std::nullopt;
  return MeanOf(ranges);
}

std::optional<RunNoise> NoiseBetween(const Series& base, const Series& now) {
  double squares = 0;
  RunNoise noise;
  AddDistances(base, squares, noise.degrees);
  AddDistances(now, squares, noise.degrees);
  if (noise.degrees == 0) return std::nullopt;
  noise.deviation = std::sqrt(squares / noise.degrees);
  return noise;
}

RunNoise Pooled(const RunNoise& a, const RunNoise& b) {
  const double degrees = a.degrees + b.degrees;
  const double squares =
      a.deviation * a.deviation * a.degrees + b.deviation * b.deviation * b.degrees;
  return {degrees > 0 ? std::sqrt(squares / degrees) : 0, degrees};
}

}  // namespace xsp
