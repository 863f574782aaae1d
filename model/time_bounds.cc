#include "model/time_bounds.h"

#include <algorithm>
#include <limits>
#include <string>

#include "base/quantile.h"
#include "model/building/trace_check.h"

namespace xsp {
namespace {

bool HasTimes(const EventChunk& chunk) { return chunk.kind != EventKind::kEventRecord; }

}  // namespace

std::optional<TimeRange> BoundsOf(const std::vector<const EventChunk*>& chunks) {
  TimeNs first = std::numeric_limits<TimeNs>::max(), last = std::numeric_limits<TimeNs>::min();
  for (const EventChunk* chunk : chunks) {
    if (!HasTimes(*chunk)) continue;
    for (TimeNs begin : chunk->events->begin) first = std::min(first, begin);
    for (TimeNs end : chunk->events->end) last = std::max(last, end);
  }
  // Unsigned: the distance of any two times fits.
  const std::uint64_t span = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
  if (first > last || span <= static_cast<std::uint64_t>(kLongestSpan)) return std::nullopt;

  std::vector<TimeNs> begins;
  for (const EventChunk* chunk : chunks) {
    if (!HasTimes(*chunk)) continue;
    begins.insert(begins.end(), chunk->events->begin.begin(), chunk->events->begin.end());
  }
  constexpr DurationNs kHalf = kLongestSpan / 2;
  // Importers keep times away from the ends of int64, but whoever fills a builder need not.
  const TimeNs center = std::clamp(UpperMedian(begins), std::numeric_limits<TimeNs>::min() + kHalf,
                                   std::numeric_limits<TimeNs>::max() - kHalf);
  return TimeRange{center - kHalf, center + kHalf};
}

std::vector<std::uint32_t> RowsWithin(TimeRange bounds, const EventChunk& chunk, ImportLog& log) {
  const Events& events = *chunk.events;
  std::vector<std::uint32_t> within;
  for (std::uint32_t row = 0; row < events.begin.size(); ++row) {
    const TimeNs begin = events.begin[row], end = events.end[row];
    if (!HasTimes(chunk) || (bounds.begin <= begin && end <= bounds.end)) {
      within.push_back(row);
    } else {
      log.SetAside(chunk.source_table, ImportReason::kNoBegin,
                   "start " + std::to_string(begin) + ", end " + std::to_string(end), 1);
    }
  }
  return within;
}

}  // namespace xsp
