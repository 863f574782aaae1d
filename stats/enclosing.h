#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/time.h"

// Which interval encloses which, for intervals that need not nest. An interval encloses another if
// it begins no later and ends no earlier: ends are included, as in NVIDIA's reports.
namespace xsp {

inline constexpr std::uint32_t kNoInterval = 0xFFFFFFFF;

// For each of `inner` the tightest (shortest) of `outer` that encloses it, or kNoInterval; of
// equally tight ones the last. Both must be sorted by begin. O(n log n).
std::vector<std::uint32_t> TightestEnclosing(std::span<const TimeRange> outer,
                                             std::span<const TimeRange> inner);

// For each interval the tightest other one that encloses it. They must be sorted by begin, then the
// longer first; of identical ones the first encloses the second. O(n log n).
std::vector<std::uint32_t> Parents(std::span<const TimeRange> intervals);

// What the intervals enclosed by another one carry, put together.
struct Enclosed {
  std::int64_t count = 0;
  TimeRange hull;  // From the first begin to the last end of what they carry.
};

// For each of `outer` (in any order) the hull of `carried[i]` over all `inner[i]` that it encloses,
// and how many those are. `inner` must be sorted by begin. O(n log n).
std::vector<Enclosed> CollectEnclosed(std::span<const TimeRange> outer,
                                      std::span<const TimeRange> inner,
                                      std::span<const TimeRange> carried);

}  // namespace xsp
