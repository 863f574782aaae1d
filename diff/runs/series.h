#pragma once

#include <cstddef>
#include <vector>

namespace xsp {

// Measurements of one quantity on one side of a comparison: one list per run, in order of time
// (drift within a run is part of its noise, so order matters). Runs without a value do not count.
struct Series {
  std::vector<std::vector<double>> runs;

  // How many values there are, over all runs.
  std::size_t count() const;
  // Runs that hold at least one value.
  std::size_t run_count() const;
  std::vector<double> All() const;

  // Of all values, whatever run they are of; 0 where there are none.
  double Mean() const;
  double Median() const;

  // Adds value for value; both have the same runs and steps.
  Series& operator+=(const Series& other);

  bool operator==(const Series&) const = default;
};

double MeanOf(const std::vector<double>& values);  // 0 of nothing.

// The means of consecutive parts of a run, equally long but for one value: `parts` of them, or as
// many as there are values.
std::vector<double> MeansOfParts(const std::vector<double>& run, std::size_t parts);

}  // namespace xsp
