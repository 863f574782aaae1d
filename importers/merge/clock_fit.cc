#include "importers/merge/clock_fit.h"

#include <fmt/format.h>

#include <cstdlib>

#include "base/quantile.h"

namespace xsp {
namespace {

// The value that `share` of all are at most.
DurationNs Quantile(std::vector<DurationNs>& values, double share) {
  return NthOf(values, static_cast<std::size_t>(share * static_cast<double>(values.size() - 1)));
}

std::string Length(DurationNs ns) {
  const auto value = static_cast<double>(ns);
  if (std::abs(ns) < 10'000) return fmt::format("{} ns", ns);
  if (std::abs(ns) < 10'000'000) return fmt::format("{:.1f} us", value / 1e3);
  if (std::abs(ns) < 10'000'000'000) return fmt::format("{:.1f} ms", value / 1e6);
  return fmt::format("{:.3f} s", value / 1e9);
}

}  // namespace

ClockFit FitClock(std::vector<DurationNs> differences) {
  ClockFit fit;
  fit.moments = differences.size();
  if (differences.empty()) return fit;
  fit.offset = Quantile(differences, 0.5);
  for (DurationNs& difference : differences) difference = std::abs(difference - fit.offset);
  fit.residual = Quantile(differences, 0.5);
  fit.farthest = Quantile(differences, 0.95);
  return fit;
}

std::string Describe(const ClockFit& fit, const char* moments) {
  return fmt::format("{}, residual {} (95 % within {}) over {} {}", Length(fit.offset),
                     Length(fit.residual), Length(fit.farthest), fit.moments, moments);
}

}  // namespace xsp
