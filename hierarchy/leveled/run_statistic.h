#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace xsp {

// How one value comes out of the values that repeated runs gave.
enum class Statistic : std::uint8_t { kMean = 0, kMedian, kTrimmed };
std::string_view NameOf(Statistic statistic);  // "mean", "median", "trimmed".

// kTrimmed is XSP's: of fewer than 3 values the mean, of 3 the median, else the mean of what is
// left when a fifth of them (rounded down) is dropped on each side, and of 4 the largest: what goes
// wrong in a run makes it slower. The median of an even number is the mean of the middle two. The
// order of the values does not matter. Needs at least one value.
double Combine(std::vector<double> values, Statistic statistic);

}  // namespace xsp
