#include <algorithm>
#include <map>
#include <tuple>

#include "graph/draft.h"

// cudaEventRecord, and who waits for it: cudaEventSynchronize on the host, cudaStreamWaitEvent on
// the device. Hosts mostly issue in an order in which such a wait is over anyway, so replay does
// not show them. A what-if that makes one stream faster than the other would break without.
namespace xsp {
namespace {

// The records of each event (process, event, context), in order of time.
class RecordIndex {
 public:
  explicit RecordIndex(Draft& draft) {
    const Trace& trace = draft.trace;
    TaskGraph& graph = draft.graph;
    const EventRecords& records = trace.event_records();
    for (EventId event : trace.OfKind(EventKind::kEventRecord)) {
      const TaskId task = draft.TaskOf(trace.call_of(event));
      const std::uint32_t row = trace.Row(event, EventKind::kEventRecord);
      if (!task.valid() || graph.question[task].ask != Ask::kNothing) continue;
      // A record stands for what was issued on its stream so far. What that was is found out when
      // the simulation comes to the call.
      const std::uint32_t stream = draft.stream_of_track[records.stream[row].value];
      if (stream == Draft::kNone) continue;
      const auto number = static_cast<std::uint32_t>(graph.record_stream.size());
      graph.question[task] = {Ask::kMakeRecord, Rule::kNone, false, 0, number};
      graph.record_stream.push_back(stream);
      by_event_[{trace.process_of(event), records.event[row], records.context[row]}].emplace_back(
          trace.begin(event), number);
    }
  }

  // The last record of the event before a time, or kNone. A wait on another GPU's stream is written
  // with that one's context: then whichever context it is of that has such an event.
  std::uint32_t Find(ProcessId process, std::uint32_t context, std::uint32_t event,
                     TimeNs before) const {
    const auto own = by_event_.find({process, event, context});
    if (own != by_event_.end()) return LastBefore(own->second, before).second;
    std::pair<TimeNs, std::uint32_t> last{0, Draft::kNone};
    for (auto it = by_event_.lower_bound({process, event, 0});
         it != by_event_.end() && std::get<0>(it->first) == process &&
         std::get<1>(it->first) == event;
         ++it) {
      const auto found = LastBefore(it->second, before);
      if (last.second == Draft::kNone || found.first > last.first) last = found;
    }
    return last.second;
  }

 private:
  using Records = std::vector<std::pair<TimeNs, std::uint32_t>>;

  // Programs record the same event over and over; who waits, waits for the latest record.
  static std::pair<TimeNs, std::uint32_t> LastBefore(const Records& records, TimeNs before) {
    auto next = std::lower_bound(records.begin(), records.end(), std::pair(before, 0u));
    return next == records.begin() ? std::pair(TimeNs{0}, Draft::kNone) : *std::prev(next);
  }

  std::map<std::tuple<ProcessId, std::uint32_t, std::uint32_t>, Records> by_event_;
};

}  // namespace

void AskForEvents(Draft& draft) {
  const RecordIndex records(draft);
  TaskGraph& graph = draft.graph;
  const Trace& trace = draft.trace;
  const Syncs& syncs = trace.syncs();
  for (EventId sync : trace.OfKind(EventKind::kSync)) {
    const std::uint32_t row = trace.Row(sync, EventKind::kSync);
    const SyncKind kind = syncs.sync_kind[row];
    if (kind != SyncKind::kEvent && kind != SyncKind::kStreamWait) continue;
    const TaskId task = draft.TaskOf(trace.call_of(sync));
    if (!task.valid() || graph.question[task].ask != Ask::kNothing) continue;
    const Rule rule = draft.RuleOfSync(trace.call_of(sync), task);
    if (rule == Rule::kNone) continue;
    const std::uint32_t record = records.Find(trace.process_of(sync), syncs.context[row],
                                              syncs.event[row], graph.measured_begin[task]);
    // An event that was never recorded, or before the recording began, holds nobody: CUDA treats it
    // as done.
    if (record == Draft::kNone) continue;
    // Where the event's stream stands beside it, the call tells who waits.
    const CallClass by = draft.ClassOf(task);
    if (kind == SyncKind::kEvent || by == CallClass::kSyncEvent || by == CallClass::kPoll) {
      graph.question[task] = {Ask::kRecord, rule, false, 0, record};
      continue;
    }
    const std::uint32_t stream =
        syncs.stream[row].valid() ? draft.stream_of_track[syncs.stream[row].value] : Draft::kNone;
    if (stream == Draft::kNone) continue;
    const auto number = static_cast<std::uint32_t>(graph.stream_waits.size());
    graph.question[task] = {Ask::kStreamWait, Rule::kEventWait, false, 0, number};
    graph.stream_waits.push_back({stream, record});
  }
}

}  // namespace xsp
