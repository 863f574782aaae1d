#include "hierarchy/leveled/run_statistic.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <span>

namespace xsp {
namespace {

double Mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double MedianOfSorted(std::span<const double> values) {
  const std::size_t upper = values.size() / 2;
  return values.size() % 2 == 1 ? values[upper] : (values[upper - 1] + values[upper]) / 2;
}

double TrimmedMeanOfSorted(std::span<const double> values) {
  if (values.size() < 3) return Mean(values);
  if (values.size() == 3) return values[1];
  const std::size_t low = values.size() / 5;
  const std::size_t high = std::max<std::size_t>(low, 1);
  return Mean(values.subspan(low, values.size() - low - high));
}

}  // namespace

std::string_view NameOf(Statistic statistic) {
  switch (statistic) {
    case Statistic::kMean:
      return "mean";
    case Statistic::kMedian:
      return "median";
    case Statistic::kTrimmed:
      return "trimmed";
  }
  return "";
}

double Combine(std::vector<double> values, Statistic statistic) {
  assert(!values.empty());
  // Also for the mean: a sum of doubles depends on its order.
  std::sort(values.begin(), values.end());
  switch (statistic) {
    case Statistic::kMean:
      break;
    case Statistic::kMedian:
      return MedianOfSorted(values);
    case Statistic::kTrimmed:
      return TrimmedMeanOfSorted(values);
  }
  return Mean(values);
}

}  // namespace xsp
