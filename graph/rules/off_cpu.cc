#include "graph/rules/off_cpu.h"

#include <map>

#include "graph/draft.h"

namespace xsp {

OffCpu::OffCpu(const Trace& trace) {
  std::map<TrackId, TimeNs> out_since;
  for (EventId event : trace.OfKind(EventKind::kSched)) {
    const TrackId thread = trace.track_of(event);
    const bool is_in = trace.sched().scheduled_in[trace.Row(event, EventKind::kSched)] != 0;
    if (!is_in) {
      out_since[thread] = trace.begin(event);
      continue;
    }
    const auto out = out_since.find(thread);
    if (out == out_since.end()) continue;
    Add(thread, {out->second, trace.begin(event)});
    out_since.erase(out);
  }
}

void AddOffCpu(Draft& draft) {
  const OffCpu off(draft.trace);
  if (off.empty()) return;
  TaskGraph& graph = draft.graph;
  graph.gap_off_cpu.resize(graph.host_count());
  for (TaskId task : graph.host_tasks()) {
    const TimeNs begin = graph.measured_begin[task];
    graph.gap_off_cpu[task] =
        off.In(graph.threads[graph.lane[task]].track, {begin - graph.gap[task], begin});
  }
}

}  // namespace xsp
