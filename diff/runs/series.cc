#include "diff/runs/series.h"

#include <algorithm>
#include <numeric>

#include "hierarchy/leveled/run_statistic.h"

namespace xsp {

std::size_t Series::count() const {
  std::size_t count = 0;
  for (const std::vector<double>& run : runs) count += run.size();
  return count;
}

std::size_t Series::run_count() const {
  return static_cast<std::size_t>(
      std::count_if(runs.begin(), runs.end(), [](const auto& run) { return !run.empty(); }));
}

std::vector<double> Series::All() const {
  std::vector<double> all;
  all.reserve(count());
  for (const std::vector<double>& run : runs) all.insert(all.end(), run.begin(), run.end());
  return all;
}

double Series::Mean() const {
  double sum = 0;
  for (const std::vector<double>& run : runs) sum = std::accumulate(run.begin(), run.end(), sum);
  const std::size_t n = count();
  return n == 0 ? 0 : sum / static_cast<double>(n);
}

double Series::Median() const {
  std::vector<double> all = All();
  return all.empty() ? 0 : Combine(std::move(all), Statistic::kMedian);
}

Series& Series::operator+=(const Series& other) {
  for (std::size_t r = 0; r < runs.size(); ++r) {
    for (std::size_t i = 0; i < runs[r].size(); ++i) runs[r][i] += other.runs[r][i];
  }
  return *this;
}

double MeanOf(const std::vector<double>& values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::vector<double> MeansOfParts(const std::vector<double>& run, std::size_t parts) {
  parts = std::min(parts, run.size());
  std::vector<double> means;
  for (std::size_t part = 0; part < parts; ++part) {
    const auto first = static_cast<std::ptrdiff_t>(part * run.size() / parts);
    const auto last = static_cast<std::ptrdiff_t>((part + 1) * run.size() / parts);
    means.push_back(MeanOf({run.begin() + first, run.begin() + last}));
  }
  return means;
}

}  // namespace xsp
