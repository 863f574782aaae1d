#pragma once

#include <cstdlib>
#include <vector>

#include "base/quantile.h"
#include "model/time.h"

namespace xsp {

// Where times lie and how far apart, unmoved by a few odd ones.
struct RobustTimes {
  double median = 0;
  double deviation = 0;  // As the standard deviation of normal times: 1.4826 x the median distance.

  explicit RobustTimes(const std::vector<DurationNs>& times) {
    const auto middle = MedianOf<DurationNs>(std::vector(times));
    std::vector<DurationNs> distances;
    distances.reserve(times.size());
    for (DurationNs ns : times) distances.push_back(std::abs(ns - middle));
    median = static_cast<double>(middle);
    deviation = 1.4826 * static_cast<double>(MedianOf<DurationNs>(distances));
  }

  // Whether a distance from the median is more than a share of it, and more than 5 deviations.
  bool IsFar(double distance, double share) const {
    return distance > share * median && distance > 5 * deviation;
  }
};

}  // namespace xsp
