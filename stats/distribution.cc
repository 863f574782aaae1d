#include "stats/distribution.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/quantile.h"

namespace xsp {

std::int64_t SaturatingAdd(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? std::numeric_limits<std::int64_t>::max()
               : std::numeric_limits<std::int64_t>::min();
}

namespace {

double SampleDeviation(std::span<const std::int64_t> values, double average) {
  if (values.size() < 2) return 0;
  double squares = 0;
  for (std::int64_t value : values) {
    const double distance = static_cast<double>(value) - average;
    squares += distance * distance;
  }
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

}  // namespace

Distribution Describe(std::span<std::int64_t> values) {
  Distribution d;
  d.count = static_cast<std::int64_t>(values.size());
  d.min = d.max = values.front();
  for (std::int64_t value : values) {
    d.total = SaturatingAdd(d.total, value);
    d.min = std::min(d.min, value);
    d.max = std::max(d.max, value);
  }
  d.average = static_cast<double>(d.total) / static_cast<double>(d.count);
  d.median = MedianOf<double>(values);
  d.deviation = SampleDeviation(values, d.average);
  return d;
}

std::int64_t Percentile(std::span<std::int64_t> values, double share) {
  const double rank = std::ceil(share * static_cast<double>(values.size()));
  const auto index =
      static_cast<std::size_t>(std::clamp(rank - 1, 0.0, static_cast<double>(values.size() - 1)));
  return NthOf(values, index);
}

ValuesByGroup SortByGroup(std::span<const std::uint32_t> group, std::span<const std::int64_t> value,
                          std::size_t group_count) {
  ValuesByGroup result;
  result.first.assign(group_count + 1, 0);
  for (std::uint32_t g : group) ++result.first[g + 1];
  for (std::size_t g = 0; g < group_count; ++g) result.first[g + 1] += result.first[g];
  std::vector<std::size_t> next(result.first.begin(), result.first.end() - 1);
  result.sorted.resize(value.size());
  for (std::size_t i = 0; i < value.size(); ++i) result.sorted[next[group[i]]++] = value[i];
  return result;
}

double PercentOf(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return std::nan("");
  return RoundTenth(100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::vector<StatsColumn> TimeSummaryColumns(std::string_view count,
                                            std::vector<StatsColumn> more_columns) {
  std::vector<StatsColumn> columns = {{"Time", StatsKind::kPercent},
                                      {"Total Time", StatsKind::kTime},
                                      {std::string(count), StatsKind::kInteger},
                                      {"Avg", StatsKind::kTimeReal},
                                      {"Med", StatsKind::kTimeReal},
                                      {"Min", StatsKind::kTime},
                                      {"Max", StatsKind::kTime},
                                      {"StdDev", StatsKind::kTimeReal}};
  for (StatsColumn& column : more_columns) columns.push_back(std::move(column));
  return columns;
}

}  // namespace xsp
