#include <algorithm>

#include "hierarchy/steps/step_candidates.h"

namespace xsp {
namespace {

// Work of the same call (a graph's kernels) by begin.
void SortTies(const Trace& trace, std::vector<EventId>& work) {
  auto same_call = [&](EventId a, EventId b) { return trace.call_of(a) == trace.call_of(b); };
  for (std::size_t first = 0; first + 1 < work.size();) {
    std::size_t last = first + 1;
    while (last < work.size() && same_call(work[first], work[last])) ++last;
    if (last - first > 1) {
      std::stable_sort(work.begin() + static_cast<std::ptrdiff_t>(first),
                       work.begin() + static_cast<std::ptrdiff_t>(last),
                       [&](EventId a, EventId b) { return trace.begin(a) < trace.begin(b); });
    }
    first = last;
  }
}

TimeNs LaunchOf(const Trace& trace, EventId work) {
  const EventId call = trace.call_of(work);
  return trace.begin(call.valid() ? call : work);
}

}  // namespace

// Calls are sorted by begin already, so work is sorted by counting its calls.
std::vector<LaunchedWork> LaunchOrder(const Trace& trace) {
  const EventSpan calls = trace.OfKind(EventKind::kApi);
  const EventSpan migrations = trace.OfKind(EventKind::kMigration);
  std::vector<std::uint32_t> next(calls.size() + 1, 0);
  std::vector<EventId> unlinked;
  for (EventId work : trace.DeviceWork()) {
    if (migrations.Contains(work)) continue;
    const EventId call = trace.call_of(work);
    if (call.valid()) ++next[call.value - calls.first + 1];
    if (!call.valid()) unlinked.push_back(work);
  }
  for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
  std::vector<EventId> linked(next.back());
  for (EventId work : trace.DeviceWork()) {
    const EventId call = trace.call_of(work);
    if (call.valid() && !migrations.Contains(work)) {
      linked[next[call.value - calls.first]++] = work;
    }
  }
  SortTies(trace, linked);
  auto before = [&](EventId a, EventId b) { return LaunchOf(trace, a) < LaunchOf(trace, b); };
  std::stable_sort(unlinked.begin(), unlinked.end(), before);
  std::vector<EventId> all(linked.size() + unlinked.size());
  std::merge(linked.begin(), linked.end(), unlinked.begin(), unlinked.end(), all.begin(), before);
  std::vector<LaunchedWork> result(trace.processes().size());
  for (EventId work : all) {
    LaunchedWork& of_process = result[trace.process_of(work).value];
    of_process.work.push_back(work);
    of_process.launch.push_back(LaunchOf(trace, work));
  }
  return result;
}

}  // namespace xsp
