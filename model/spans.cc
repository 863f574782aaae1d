#include "model/spans.h"

#include <algorithm>

namespace xsp {
namespace {

void Extend(std::optional<TimeRange>& range, const Events& events, EventSpan span) {
  for (EventId e : span) {
    if (!range) range = TimeRange{events.begin[e.value], events.end[e.value]};
    range->begin = std::min(range->begin, events.begin[e.value]);
    range->end = std::max(range->end, events.end[e.value]);
  }
}

bool IsProgramWork(EventKind kind) {
  switch (kind) {
    case EventKind::kGraphObject:
    case EventKind::kOverhead:
    case EventKind::kSample:
    case EventKind::kSched:
    case EventKind::kGpuMetric:
      return false;
    default:
      return true;
  }
}

}  // namespace

std::optional<TimeRange> ProgramSpan(const Trace& trace) {
  std::optional<TimeRange> range;
  for (EventKind kind : AllEventKinds()) {
    if (IsProgramWork(kind)) Extend(range, trace.events(), trace.OfKind(kind));
  }
  return range;
}

std::optional<TimeRange> GpuSpan(const Trace& trace) {
  std::optional<TimeRange> range;
  Extend(range, trace.events(), trace.DeviceWork());
  return range;
}

DurationNs UnionLength(std::vector<TimeRange> ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const TimeRange& a, const TimeRange& b) { return a.begin < b.begin; });
  DurationNs length = 0;
  TimeNs covered_to = ranges.empty() ? 0 : ranges.front().begin;
  for (const TimeRange& range : ranges) {
    if (range.end <= covered_to) continue;
    length += range.end - std::max(range.begin, covered_to);
    covered_to = range.end;
  }
  return length;
}

}  // namespace xsp
