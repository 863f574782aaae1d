#include "sim/models/batch_curve.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace xsp {
namespace {

constexpr std::size_t kFewestSteps = 4;
constexpr double kClearlyLarger = 1.25;

using Points = std::vector<std::pair<double, double>>;  // Tokens, ns.

Points PointsOf(const Steps& steps, std::string_view kind) {
  Points points;
  for (const Step& step : steps.steps) {
    const bool counts = step.role == StepRole::kCounted || step.left_out == LeftOut::kRamp;
    if (step.kind() != kind || !counts) continue;
    if (step.content.tokens == kMissing<std::uint64_t>) return {};
    points.emplace_back(static_cast<double>(step.content.tokens),
                        static_cast<double>(step.time.Length()));
  }
  return points;
}

std::pair<double, double> MeanOf(const Points& points) {
  double x = 0, y = 0;
  for (const auto& [tokens, ns] : points) x += tokens, y += ns;
  const auto count = static_cast<double>(points.size());
  return {x / count, y / count};
}

// Least squares, with the standard error of the slope.
void FitSlope(const Points& points, BatchCurve& curve) {
  const auto [mean_x, mean_y] = MeanOf(points);
  double xx = 0, xy = 0;
  for (const auto& [x, y] : points) {
    xx += (x - mean_x) * (x - mean_x);
    xy += (x - mean_x) * (y - mean_y);
  }
  const double slope = xy / xx;
  double off = 0;
  for (const auto& [x, y] : points) {
    const double residual = y - mean_y - slope * (x - mean_x);
    off += residual * residual;
  }
  constexpr double kWide = 2;  // Standard errors.
  const double error = kWide * std::sqrt(off / static_cast<double>(points.size() - 2) / xx);
  curve.ns_per_token = std::max(0.0, slope);
  curve.slope_low = std::max(0.0, slope - error);
  curve.slope_high = std::max(0.0, slope + error);
  curve.ns = mean_y + curve.ns_per_token * (curve.tokens - mean_x);
}

}  // namespace

std::optional<BatchCurve> FitBatchCurve(const Steps& steps, std::string_view kind) {
  const std::vector<std::uint32_t> counted = steps.Counted(kind);
  const Points points = PointsOf(steps, kind);
  if (points.size() < kFewestSteps || counted.empty()) return std::nullopt;
  const auto [least, most] = std::minmax_element(points.begin(), points.end());
  if (least->first <= 0 || most->first < kClearlyLarger * least->first) return std::nullopt;
  BatchCurve curve;
  curve.least = static_cast<std::uint64_t>(least->first);
  curve.most = static_cast<std::uint64_t>(most->first);
  curve.steps = points.size();
  for (std::uint32_t step : counted) {
    curve.tokens += static_cast<double>(steps.steps[step].content.tokens);
  }
  curve.tokens /= static_cast<double>(counted.size());
  FitSlope(points, curve);
  return curve;
}

}  // namespace xsp
