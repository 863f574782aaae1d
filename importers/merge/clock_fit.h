#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "model/time.h"

namespace xsp {

// How far one clock is ahead of another, from moments that both saw.
struct ClockFit {
  DurationNs offset = 0;    // To add to the second clock: the median of all differences.
  DurationNs residual = 0;  // What half of the differences stay within, off the offset.
  DurationNs farthest = 0;  // What 95 of 100 stay within.
  std::size_t moments = 0;
};

// `differences`: first clock minus second, for the same moments. Zeroes for none.
ClockFit FitClock(std::vector<DurationNs> differences);

// "12.3 ms, residual 0.4 us (95 % within 1.9 us) over 412 kernels".
std::string Describe(const ClockFit& fit, const char* moments);

}  // namespace xsp
