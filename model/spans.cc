#include "model/spans.h"

#include <algorithm>
#include <utility>

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

std::vector<TimeRange> Merged(std::vector<TimeRange> ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const TimeRange& a, const TimeRange& b) { return a.begin < b.begin; });
  std::size_t count = 0;
  for (const TimeRange& range : ranges) {
    if (count > 0 && range.begin <= ranges[count - 1].end) {
      ranges[count - 1].end = std::max(ranges[count - 1].end, range.end);
    } else {
      ranges[count++] = range;
    }
  }
  ranges.resize(count);
  return ranges;
}

DurationNs UnionLength(std::vector<TimeRange> ranges) {
  DurationNs length = 0;
  for (const TimeRange& range : Merged(std::move(ranges))) length += range.Length();
  return length;
}

}  // namespace xsp
