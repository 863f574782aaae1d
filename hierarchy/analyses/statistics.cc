#include "hierarchy/analyses/statistics.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <numeric>

namespace xsp {

std::string_view NameOf(Statistic statistic) {
  constexpr std::array<std::string_view, 3> kNames = {"trimmed", "mean", "median"};
  return kNames[static_cast<std::size_t>(statistic)];
}

double Mean(const std::vector<double>& values) {
  assert(!values.empty());
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double Median(std::vector<double> values) {
  assert(!values.empty());
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double TrimmedMean(std::vector<double> values) {
  if (values.size() < 3) return Mean(values);
  if (values.size() == 3) return Median(std::move(values));
  std::sort(values.begin(), values.end());
  const std::size_t low = values.size() / 5;
  const std::size_t high = std::max<std::size_t>(1, low);
  return Mean({values.begin() + static_cast<std::ptrdiff_t>(low),
               values.end() - static_cast<std::ptrdiff_t>(high)});
}

double Summarize(std::vector<double> values, Statistic statistic) {
  switch (statistic) {
    case Statistic::kTrimmed:
      return TrimmedMean(std::move(values));
    case Statistic::kMean:
      return Mean(values);
    case Statistic::kMedian:
      return Median(std::move(values));
  }
  return 0;
}

std::optional<double> Summarize(const std::vector<std::optional<double>>& values,
                                Statistic statistic) {
  std::vector<double> known;
  for (const std::optional<double>& value : values) {
    if (!value) return std::nullopt;
    known.push_back(*value);
  }
  return Summarize(std::move(known), statistic);
}

}  // namespace xsp
