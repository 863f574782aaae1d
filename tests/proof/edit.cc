#include "tests/proof/edit.h"

#include <algorithm>
#include <map>
#include <vector>

#include "base/quantile.h"
#include "graph/readings/replay.h"

namespace xsp::proof {
namespace {

DurationNs Scaled(DurationNs duration, double factor) {
  return static_cast<DurationNs>(static_cast<double>(duration) * factor);
}

}  // namespace

bool Edit::Fits(TaskId task, std::string_view part_of_name) const {
  const EventId event = graph().event[task];
  return event.valid() && graph().trace->name(event).find(part_of_name) != std::string_view::npos;
}

void Edit::ScaleOps(TaskKind kind, std::string_view part_of_name, double factor) {
  for (TaskId op : graph().ops()) {
    if (graph().kind[op] != kind || !Fits(op, part_of_name)) continue;
    SetOwn(op, Scaled(Own(op), factor));
  }
}

void Edit::ScaleCalls(std::string_view part_of_name, double factor) {
  std::map<StringId, std::vector<DurationNs>> costs;
  auto fits = [&](TaskId task) {
    return graph().kind[task] == TaskKind::kCall && Fits(task, part_of_name);
  };
  auto name_of = [&](TaskId task) { return graph().trace->name_of(graph().event[task]); };
  for (TaskId task : graph().host_tasks()) {
    if (fits(task)) costs[name_of(task)].push_back(graph().own[task]);
  }
  std::map<StringId, DurationNs> usual;
  for (auto& [name, samples] : costs) usual[name] = UpperMedian(samples);
  for (TaskId task : graph().host_tasks()) {
    if (!fits(task)) continue;
    const DurationNs own = Own(task);
    const DurationNs typical = usual[name_of(task)];
    SetOwn(task, own - Scaled(own > 2 * typical ? typical : own, 1 - factor));
  }
}

void Edit::ScaleGaps(double factor) {
  for (TaskId task : graph().host_tasks()) {
    SetGap(task, Scaled(Gap(task), factor));
  }
}

void Edit::ScaleLoads(double factor) {
  for (TaskId task : graph().host_tasks()) {
    if (graph().kind[task] != TaskKind::kLoad) continue;
    // What a load does itself with a batch that somebody else made stays.
    const GraphBatch* batch = graph().BatchOf(task);
    if (batch == nullptr || batch->is_bound) SetOwn(task, Scaled(Own(task), factor));
    SetInterval(task, Scaled(Interval(task), factor));
  }
}

void Edit::RemoveCalls(std::string_view part_of_name, std::uint32_t skipped) {
  for (TaskId task : graph().host_tasks()) {
    if (graph().kind[task] != TaskKind::kCall || !Fits(task, part_of_name)) continue;
    if (skipped > 0) {
      --skipped;
    } else {
      RemoveCall(task);
    }
  }
}

void Edit::MakeCopiesAsync(OpClass direction,
                           const std::function<NewCopy(std::uint64_t bytes)>& change) {
  const Trace& trace = *graph().trace;
  for (TaskId op : graph().ops()) {
    if (graph().kind[op] != TaskKind::kMemcpy) continue;
    if (graph().op_class[graph().RowOf(op)] != direction) continue;
    const NewCopy copy = change(trace.copies().bytes[trace.Row(graph().event[op])]);
    SetOwn(op, copy.duration);
    SetOwn(CallOf(op), copy.call);
    MakeAsync(CallOf(op));
  }
}

void Edit::MergeStreams(std::uint32_t from, std::uint32_t to) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> by_number;
  for (std::uint32_t i = 0; i < graph().streams.size(); ++i) {
    by_number.emplace_back(graph().trace->track(graph().streams[i].track).stream, i);
  }
  std::sort(by_number.begin(), by_number.end());
  for (TaskId op : graph().ops()) {
    if (graph().lane[op] == by_number[from].second) MoveToStream(op, by_number[to].second);
  }
}

DurationNs NaiveForecast(const TaskGraph& graph, const EditedGraph& edited) {
  DurationNs span = MeasuredGpuSpan(graph).Length();
  for (TaskId task : graph.tasks()) {
    span -= edited.PlaceOf(task).valid() ? graph.own[task] : graph.measured(task);
  }
  for (DurationNs gap : graph.gap) span -= gap;
  const TaskGraph whole = edited.Whole();
  for (DurationNs own : whole.own) span += own;
  for (DurationNs gap : whole.gap) span += gap;
  return std::max<DurationNs>(0, span);
}

}  // namespace xsp::proof
