#include <algorithm>
#include <utility>
#include <vector>

#include "graph/readings/critical_path.h"

namespace xsp {
namespace {

// Adds +1 at the begin and -1 at the end of each range, cut to the window.
using DepthChanges = std::vector<std::pair<TimeNs, int>>;

void AddRange(DepthChanges& steps, TimeRange range, TimeRange window) {
  range = range.Clip(window);
  if (range.Empty()) return;
  steps.emplace_back(range.begin, 1);
  steps.emplace_back(range.end, -1);
}

// A thread is at work from its first to its last task, except in the waiting part of calls and
// while it was silent until another thread handed over to it.
void AddThread(const TaskGraph& graph, const GraphThread& thread, TimeRange window,
               DepthChanges& host) {
  TimeNs busy_since = graph.measured_begin[thread.first];
  for (TaskId task : thread.tasks()) {
    for (const Handoff& handoff : graph.HandoffsTo(task)) {
      if (handoff.rule != Rule::kThreadHandoff) continue;
      const TimeNs woken = graph.measured_begin[task] - handoff.lag;
      const TaskId previous = graph.PreviousOf(task);
      if (previous.valid() && graph.measured_end[previous] < woken) {
        AddRange(host, {busy_since, graph.measured_end[previous]}, window);
        busy_since = std::max(busy_since, woken);
      }
    }
    if ((graph.flags[task] & kWaited) == 0) continue;
    const TimeNs begin = graph.measured_begin[task];
    const TimeNs end = graph.measured_end[task];
    const DurationNs own = std::min(graph.own[task], end - begin);
    const bool waits_first = graph.question[task].before_work;
    AddRange(host, {busy_since, waits_first ? begin : begin + own}, window);
    busy_since = waits_first ? end - own : end;
  }
  AddRange(host, {busy_since, graph.measured_end[thread.tasks().back()]}, window);
}

// The union of ranges given as steps, as disjoint ranges.
std::vector<TimeRange> Union(DepthChanges& steps) {
  std::sort(steps.begin(), steps.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first, -a.second) < std::pair(b.first, -b.second);
  });
  std::vector<TimeRange> result;
  int depth = 0;
  for (const auto& [time, change] : steps) {
    if (depth == 0) result.push_back({time, time});
    depth += change;
    if (depth == 0) result.back().end = time;
  }
  return result;
}

DurationNs LengthOf(const std::vector<TimeRange>& ranges) {
  DurationNs sum = 0;
  for (const TimeRange& range : ranges) sum += range.Length();
  return sum;
}

// What lies in a range of both lists.
std::vector<TimeRange> Common(const std::vector<TimeRange>& a, const std::vector<TimeRange>& b) {
  std::vector<TimeRange> common;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const TimeRange both = a[i].Clip(b[j]);
    if (!both.Empty()) common.push_back(both);
    (a[i].end <= b[j].end ? i : j)++;
  }
  return common;
}

}  // namespace

Overlap MeasureOverlap(const TaskGraph& graph, const std::vector<TimeRange>& times) {
  if (times.empty()) return {};  // All operations took no time.
  const TimeRange window{times.front().begin, times.back().end};
  DepthChanges device;
  for (TaskId op : graph.ops()) {
    AddRange(device, {graph.measured_begin[op], graph.measured_end[op]}, window);
  }
  DepthChanges host;
  for (const GraphThread& thread : graph.threads) {
    const bool counts = thread.track.valid() && thread.calls_cuda && thread.first < thread.last;
    if (counts) AddThread(graph, thread, window, host);
  }
  const std::vector<TimeRange> device_busy = Common(Union(device), times);
  const std::vector<TimeRange> host_busy = Common(Union(host), times);
  Overlap result;
  result.both = LengthOf(Common(device_busy, host_busy));
  result.device_only = LengthOf(device_busy) - result.both;
  result.host_only = LengthOf(times) - result.both - result.device_only;
  return result;
}

}  // namespace xsp
