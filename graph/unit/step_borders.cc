#include "graph/unit/step_borders.h"

#include <algorithm>

#include "graph/unit/gpu_span.h"

namespace xsp {
namespace {

// The recorded process that a process of the graph is: itself, or the one that it is a copy of.
ProcessId RecordedProcess(const TaskGraph& graph, const GraphThread& thread) {
  if (thread.process.value < graph.trace->processes().size()) return thread.process;
  for (TaskId task : thread.tasks()) {
    if (graph.event[task].valid()) return graph.trace->process_of(graph.event[task]);
  }
  return {};
}

}  // namespace

StepBorders::StepBorders(const TaskGraph& graph, const Steps& steps, std::uint32_t first,
                         std::uint32_t count)
    : graph_(graph), borders_(2 * count) {
  FindLaunchTimes();
  if (count == 0) return;
  for (const GraphThread& thread : graph.threads) {
    const auto is_its = [&](const Side& side) { return side.process == thread.process; };
    const ProcessId recorded = RecordedProcess(graph, thread);
    if (!recorded.valid() || std::any_of(sides_.begin(), sides_.end(), is_its)) continue;
    const std::vector<HostStep>& host = steps.of_process[recorded.value];
    if (!host.empty()) AddSide(host, thread.process, first, count);
  }
  PlaceOperations(steps);
}

// A task that was added counts with the recorded one before it on its thread; at the begin of a
// thread, with the one after it.
void StepBorders::FindLaunchTimes() {
  launched_.resize(graph_.host_count());
  for (const GraphThread& thread : graph_.threads) {
    TimeNs last = 0;
    bool has_last = false;
    for (TaskId task : thread.tasks()) {
      if (!graph_.IsNew(task)) {
        last = graph_.measured_begin[task];
        if (!has_last) std::fill(&launched_[thread.first], &launched_[task], last);
        has_last = true;
      }
      launched_[task] = last;
    }
  }
}

void StepBorders::AddSide(const std::vector<HostStep>& host, ProcessId process, std::uint32_t first,
                          std::uint32_t count) {
  Side side;
  side.process = process;
  for (std::uint32_t step = first; step < first + count; ++step) {
    side.moments.push_back(host[step].host.begin);
    side.moments.push_back(host[step].host.end);
  }
  const GraphThread* thread =
      ThreadOf(process, host[first].thread, {side.moments.front(), side.moments.back()});
  for (TimeNs moment : side.moments) {
    side.at.push_back(thread != nullptr ? Locate(*thread, moment)
                                        : LocateInProcess(process, moment));
  }
  sides_.push_back(std::move(side));
}

// The graph's thread of a track; null if it has none, or does nothing in this time. A thread that
// only opens ranges, while others call CUDA, waits for those others in ways that no row tells: its
// own idea of time does not move with theirs.
const GraphThread* StepBorders::ThreadOf(ProcessId process, TrackId track, TimeRange time) const {
  for (const GraphThread& thread : graph_.threads) {
    if (!track.valid() || thread.track != track || thread.process != process) continue;
    const TaskId inside = LowerBound(launched_, thread.tasks(), time.begin);
    return inside != thread.last && launched_[inside] < time.end ? &thread : nullptr;
  }
  return nullptr;
}

StepBorders::HostMoment StepBorders::Locate(const GraphThread& thread, TimeNs moment) const {
  HostMoment result;
  result.measured = moment;
  const TaskId next = LowerBound(launched_, thread.tasks(), moment);
  if (next != thread.last) {
    result.after = next;
    result.until = launched_[next] - moment;
  }
  if (next == thread.first) return result;
  result.before = TaskRange{thread.first, next}.back();
  TaskId recorded = result.before;
  while (recorded > thread.first && graph_.IsNew(recorded)) --recorded.value;
  result.since = moment - graph_.measured_end[recorded];
  if (result.since < 0) {
    result.is_inside = true;
    result.before = recorded;
    result.until = -result.since;
    result.since = moment - graph_.measured_begin[recorded];
  }
  return result;
}

// By the thread that did something last before the moment: what that was is what led to it.
StepBorders::HostMoment StepBorders::LocateInProcess(ProcessId process, TimeNs moment) const {
  HostMoment best;
  best.measured = moment;
  for (const GraphThread& thread : graph_.threads) {
    const bool is_before =
        thread.first < thread.last && graph_.kind[thread.first] == TaskKind::kBefore;
    if (thread.process != process || is_before || !thread.calls_cuda) continue;
    const HostMoment candidate = Locate(thread, moment);
    const bool is_first = !best.before.valid() && !best.after.valid();
    const bool is_later =
        candidate.before.valid() && (!best.before.valid() || candidate.since < best.since);
    const bool is_sooner = !best.before.valid() && !candidate.before.valid() &&
                           candidate.after.valid() && candidate.until < best.until;
    // A task that begins at this very moment marks it as well as one that ends at it.
    const bool is_exact = candidate.after.valid() && candidate.until == 0 && best.since > 0;
    if (is_first || is_later || is_sooner || is_exact) best = candidate;
  }
  return best;
}

// Which borders wait for which operations; none for what runs beside the steps.
void StepBorders::PlaceOperations(const Steps& steps) {
  slot_.assign(graph_.op_count(), kNone);
  std::vector<std::uint32_t> side_of_context(graph_.contexts.size(), kNone);
  for (std::uint32_t context = 0; context < graph_.contexts.size(); ++context) {
    for (std::uint32_t side = 0; side < sides_.size(); ++side) {
      if (graph_.contexts[context].process == sides_[side].process) side_of_context[context] = side;
    }
  }
  for (OpIndex row : graph_.op_rows()) {
    const TaskId op = graph_.OpAt(row);
    const std::uint32_t side = side_of_context[graph_.streams[graph_.lane[op]].context];
    if (side == kNone || steps.IsBeside(graph_.threads[graph_.lane[graph_.call[row]]].track)) {
      continue;
    }
    // Without a recorded call, what is known of its launch is that it was over by then.
    const bool has_call = graph_.submit[row] == Submit::kAfterOwnCost;
    const TimeNs launch = has_call ? launched_[graph_.call[row]] : TraceBegin(graph_, op);
    const std::vector<TimeNs>& moments = sides_[side].moments;
    const auto border = std::upper_bound(moments.begin(), moments.end(), launch);
    if (border == moments.end()) continue;
    slot_[row] = side * borders_ + static_cast<std::uint32_t>(border - moments.begin());
  }
}

SimTime StepBorders::TimeOf(const HostMoment& moment, const Schedule& schedule) const {
  const auto begin_of = [&](TaskId task) { return schedule.begin[task]; };
  const auto finish_of = [&](TaskId task) { return schedule.finish[task]; };
  const bool has_before = moment.before.valid() && finish_of(moment.before).known();
  const bool has_after = moment.after.valid() && begin_of(moment.after).known();
  if (moment.is_inside && has_before) {
    const SimTime begin = begin_of(moment.before), finish = finish_of(moment.before);
    return moment.since <= moment.until ? std::min(begin + moment.since, finish)
                                        : std::max(finish - moment.until, begin);
  }
  if (has_before && has_after) {
    const SimTime from = finish_of(moment.before), to = begin_of(moment.after);
    const DurationNs gap = moment.since + moment.until;
    if (gap <= 0) return to;
    const double share = static_cast<double>(moment.since) / static_cast<double>(gap);
    return from + static_cast<DurationNs>(share * static_cast<double>(to - from));
  }
  if (has_before) return finish_of(moment.before) + moment.since;
  if (has_after) return begin_of(moment.after) - moment.until;
  return SimTime::At(moment.measured);
}

std::vector<SimSpan> StepBorders::In(const Schedule& schedule) const {
  std::vector<SimTime> finished(sides_.size() * borders_);
  for (OpIndex row : slot_.rows()) {
    const SimTime finish = schedule.finish[graph_.OpAt(row)];
    if (slot_[row] == kNone || !finish.known()) continue;
    finished[slot_[row]] = std::max(finished[slot_[row]], finish);
  }
  std::vector<SimTime> borders(borders_);
  for (std::uint32_t side = 0; side < sides_.size(); ++side) {
    SimTime all_before;
    for (std::uint32_t i = 0; i < borders_; ++i) {
      all_before = std::max(all_before, finished[side * borders_ + i]);
      borders[i] = std::max({borders[i], all_before, TimeOf(sides_[side].at[i], schedule)});
    }
  }
  std::vector<SimSpan> steps;
  for (std::uint32_t i = 0; i < borders_; i += 2) {
    SimTime end = borders[i + 1];
    // Processes that drift apart may overlap; the later border divides them, as in Steps.
    if (i + 2 < borders_) end = std::min(end, borders[i + 2]);
    steps.push_back({borders[i], std::max(borders[i], end)});
  }
  return steps;
}

}  // namespace xsp
