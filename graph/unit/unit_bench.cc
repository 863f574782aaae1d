#include "graph/unit/unit_bench.h"

#include <algorithm>

namespace xsp {

UnitBench::UnitBench(const TaskGraph& graph, const Steps& steps, Unit unit)
    : whole_(graph), steps_(steps), unit_(std::move(unit)) {
  if (!unit_.is_step) return;
  slice_ = Slice(graph, SimulatedTimes());
  place_.resize(graph.task_count());
  for (TaskId task : slice_.task_of.rows()) place_[slice_.task_of[task]] = task;
  borders_.emplace_back(slice_.graph, steps, unit_.first_step, unit_.step_count);
}

// When each thread's host was at work on the unit and on what comes before it. The host may run far
// ahead of the steps' times; where no step is left to fill the pipeline, everything before does.
std::vector<TimeRange> UnitBench::SimulatedTimes() const {
  const std::uint32_t first = unit_.first_step - unit_.fill;
  const std::uint32_t last = unit_.end_step() - 1;
  TimeRange all{steps_.steps[first].time.begin, steps_.steps[last].time.end};
  for (const std::vector<HostStep>& host : steps_.of_process) {
    if (!host.empty()) all.begin = std::min(all.begin, host[first].host.begin);
  }
  std::vector<TimeRange> times;
  for (const GraphThread& thread : whole_.threads) {
    const std::vector<HostStep>& host = steps_.of_process[thread.process.value];
    times.push_back(host.empty() ? all : TimeRange{host[first].host.begin, host[last].host.end});
    if (unit_.fill == 0) times.back().begin = kAllTime.begin;
  }
  return times;
}

TaskId UnitBench::Place(TaskId whole) const { return unit_.is_step ? place_[whole] : whole; }

bool UnitBench::IsInUnit(TaskId place) const {
  const TaskGraph& on = graph();
  if (!unit_.is_step) {
    const TimeNs begin = TraceBegin(on, place);
    return unit_.time.begin <= begin && unit_.IsInParts(begin);
  }
  const TaskId call = on.IsHost(place) ? place : on.CallOf(place);
  const GraphThread& thread = on.threads[on.lane[call]];
  const std::vector<HostStep>& host = steps_.of_process[thread.process.value];
  const TimeRange time = host.empty() ? unit_.time
                                      : TimeRange{host[unit_.first_step].host.begin,
                                                  host[unit_.end_step() - 1].host.end};
  return time.Contains(on.measured_begin[call]);
}

DurationNs UnitBench::Length(const Overlay& overlay) const {
  return Length(Simulate(graph(), overlay));
}

DurationNs UnitBench::Length(const TaskGraph& edited, const Overlay& overlay) const {
  return LengthOf(unit_, SpansOf(edited, Simulate(edited, overlay), steps_, unit_));
}

DurationNs UnitBench::Length(const Schedule& schedule) const {
  return LengthOf(unit_, unit_.is_step ? borders_.front().In(schedule)
                                       : SpansOf(whole_, schedule, steps_, unit_));
}

}  // namespace xsp
