#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <utility>
#include <vector>

#include "model/time.h"

namespace xsp {

// The middle one; the mean of the two in the middle where their number is even; 0 of none.
inline DurationNs MedianTime(std::vector<DurationNs> times) {
  if (times.empty()) return 0;
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  if (times.size() % 2 == 1) return *middle;
  const DurationNs below = *std::max_element(times.begin(), middle);
  return below + (*middle - below) / 2;
}

// Where times lie and how far apart, unmoved by a few odd ones.
struct RobustTimes {
  double median = 0;
  double deviation = 0;  // As the standard deviation of normal times: 1.4826 x the median distance.

  explicit RobustTimes(const std::vector<DurationNs>& times) {
    const DurationNs middle = MedianTime(times);
    std::vector<DurationNs> distances;
    distances.reserve(times.size());
    for (DurationNs ns : times) distances.push_back(std::abs(ns - middle));
    median = static_cast<double>(middle);
    deviation = 1.4826 * static_cast<double>(MedianTime(std::move(distances)));
  }

  // Whether a distance from the median is more than a share of it, and more than 5 deviations.
  bool IsFar(double distance, double share) const {
    return distance > share * median && distance > 5 * deviation;
  }
};

}  // namespace xsp
