#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/building/chunk_merge.h"
#include "model/import_log.h"
#include "model/time.h"

namespace xsp {

// The stretch of time, kLongestSpan long, around the median of when the events in `chunks` begin;
// nothing if they all lie close together anyway, as in every sound trace. Event records count for
// nothing: they have no time of their own.
std::optional<TimeRange> BoundsOf(const std::vector<const EventChunk*>& chunks);

// The rows of a chunk that lie within the bounds; the others are set aside in the log.
std::vector<std::uint32_t> RowsWithin(TimeRange bounds, const EventChunk& chunk, ImportLog& log);

}  // namespace xsp
