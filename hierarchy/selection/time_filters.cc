#include <algorithm>

#include "hierarchy/selection/filters.h"
#include "model/spans.h"

// Filters by time: a stretch of time, and the times of NVTX ranges.
namespace xsp {
namespace {

bool Overlaps(const Trace& trace, EventId e, const TimeRange& window) {
  const TimeNs begin = trace.begin(e), end = trace.end(e);
  return begin < window.end && (end > window.begin || (begin == end && begin == window.begin));
}

bool OverlapsAny(const Trace& trace, EventId e, const std::vector<TimeRange>& times) {
  // The last range that begins no later than the event ends is the only one that needs a look.
  auto after = std::upper_bound(times.begin(), times.end(), trace.end(e),
                                [](TimeNs t, const TimeRange& range) { return t < range.begin; });
  while (after != times.begin()) {
    --after;
    if (Overlaps(trace, e, *after)) return true;
    if (after->end <= trace.begin(e)) return false;
  }
  return false;
}

bool ContainedInAny(TimeNs t, const std::vector<TimeRange>& times) {
  auto after = std::upper_bound(times.begin(), times.end(), t,
                                [](TimeNs at, const TimeRange& range) { return at < range.begin; });
  return after != times.begin() && std::prev(after)->Contains(t);
}

}  // namespace

void LimitToTime(const Trace& trace, const TimeRange& window, EventMask& keep) {
  for (std::size_t i = 0; i < keep.size(); ++i) {
    if (!Overlaps(trace, EventId(i), window)) keep[i] = 0;
  }
}

void LimitToRanges(const Trace& trace, const std::vector<EventId>& ranges, EventMask& keep) {
  // Merged, so that a look-up is a binary search.
  std::vector<std::vector<TimeRange>> by_process(trace.processes().size());
  for (EventId range : ranges) {
    const ProcessId process = trace.process_of(range);
    if (process.valid()) {
      by_process[process.value].push_back({trace.begin(range), trace.end(range)});
    }
  }
  for (auto& times : by_process) times = Merged(std::move(times));
  for (std::size_t i = 0; i < keep.size(); ++i) {
    const EventId e(i);
    const ProcessId process = trace.process_of(e);
    if (!process.valid()) {
      keep[i] = 0;
      continue;
    }
    const std::vector<TimeRange>& times = by_process[process.value];
    const EventId call = trace.call_of(e);
    const bool launched_inside = call.valid() && ContainedInAny(trace.begin(call), times);
    // Work that was launched before may still run while the range is open: it is not the range's.
    const bool launched_elsewhere =
        call.valid() && !launched_inside && trace.DeviceWork().Contains(e);
    if (launched_elsewhere || (!launched_inside && !OverlapsAny(trace, e, times))) keep[i] = 0;
  }
}

}  // namespace xsp
