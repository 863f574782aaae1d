#include "hierarchy/leveled/run_statistic.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <span>

#include "base/enum_names.h"
#include "base/quantile.h"

namespace xsp {
namespace {

double Mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
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
  constexpr EnumNames<Statistic::kTrimmed> kNames({"mean", "median", "trimmed"});
  return kNames[statistic];
}

double Combine(std::vector<double> values, Statistic statistic) {
  assert(!values.empty());
  // Also for the mean: a sum of doubles depends on its order.
  std::sort(values.begin(), values.end());
  switch (statistic) {
    case Statistic::kMean:
      break;
    case Statistic::kMedian:
      return MedianOf<double>(values);
    case Statistic::kTrimmed:
      return TrimmedMeanOfSorted(values);
  }
  return Mean(values);
}

}  // namespace xsp
