#include "hierarchy/ranks/rank_work.h"

#include <algorithm>
#include <tuple>

namespace xsp {

namespace {

RankWork WorkOf(const Hierarchy& hierarchy, EventId event) {
  const Trace& trace = hierarchy.trace();
  RankWork work;
  work.event = event;
  work.time = {trace.begin(event), trace.end(event)};
  const EventId call = trace.call_of(event);
  work.has_call = call.valid();
  work.launch = work.has_call ? trace.begin(call) : work.time.begin;
  work.activity = ActivityOf(trace, hierarchy.kinds(), event);
  work.stream = trace.track_of(event);
  work.step = hierarchy.StepOfWork(event);
  return work;
}

}  // namespace

std::vector<RankEvents> EventsByProcess(const Hierarchy& hierarchy) {
  const Trace& trace = hierarchy.trace();
  std::vector<RankEvents> all(trace.processes().size());
  auto of = [&](EventId event) -> RankEvents& { return all[trace.process_of(event).value]; };
  for (EventId event : trace.DeviceWork()) of(event).work.push_back(WorkOf(hierarchy, event));
  for (EventId event : trace.OfKind(EventKind::kEventRecord)) {
    of(event).event_records.push_back(event);
  }
  for (EventId event : trace.OfKind(EventKind::kSync)) {
    const std::uint32_t row = trace.Row(event, EventKind::kSync);
    if (trace.syncs().sync_kind[row] == SyncKind::kStreamWait) {
      of(event).stream_waits.push_back(event);
    }
  }
  for (EventId event : trace.OfKind(EventKind::kMpi)) {
    const std::uint32_t row = trace.Row(event, EventKind::kMpi);
    if (trace.mpi().mpi_kind[row] == MpiKind::kCollective) of(event).mpi.push_back(event);
  }
  for (RankEvents& one : all) {
    std::sort(one.work.begin(), one.work.end(), [](const RankWork& a, const RankWork& b) {
      return std::tie(a.time.begin, a.event) < std::tie(b.time.begin, b.event);
    });
  }
  return all;
}

}  // namespace xsp
