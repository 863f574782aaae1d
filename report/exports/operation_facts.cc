#include "report/exports/operation_facts.h"

#include <algorithm>
#include <unordered_map>

#include "hierarchy/hierarchy.h"
#include "hierarchy/names/device_number.h"

namespace xsp {
namespace {

// The name of the phase that a node lies in; empty where it lies in none. Found once per node.
class Phases {
 public:
  explicit Phases(const Hierarchy& hierarchy) : h_(hierarchy), phase_(hierarchy.nodes().size()) {
    for (NodeId node : h_.TopDown()) {
      const NodeId parent = h_.nodes().parent[node.value];
      phase_[node.value] = h_.nodes().level[node.value] == Level::kPhase ? node
                           : parent.valid()                              ? phase_[parent.value]
                                                                         : NodeId();
    }
  }

  std::string_view Of(NodeId node) const {
    if (!node.valid() || !phase_[node.value].valid()) return {};
    return h_.Name(phase_[node.value]);
  }

 private:
  const Hierarchy& h_;
  std::vector<NodeId> phase_;
};

std::string_view RoleName(StepRole role) {
  switch (role) {
    case StepRole::kCounted:
      return "counted";
    case StepRole::kCold:
      return "cold";
    case StepRole::kOutlier:
      return "outlier";
    case StepRole::kLeftOut:
      break;
  }
  return "left_out";
}

}  // namespace

std::vector<OperationFact> FactsOfOperations(const TaskGraph& graph, const TaskPlaces& places,
                                             const TaskNames& names, const Schedule& guided,
                                             const IdleReport& idle, const StepSet& steps) {
  const Trace& trace = *graph.trace;
  const Hierarchy& hierarchy = *graph.hierarchy;
  const Phases phases(hierarchy);
  std::unordered_map<TaskId, const IdleGap*> gap_before;
  for (const IdleGap& gap : idle.gaps) {
    if (gap.next.valid()) gap_before[gap.next] = &gap;
  }
  std::vector<OperationFact> facts;
  facts.reserve(graph.op_count());
  for (TaskId op : graph.ops()) {
    const EventId event = graph.event[op];
    if (!event.valid()) continue;
    const std::uint32_t step = hierarchy.StepOfWork(event);
    if (!steps.Contains(step)) continue;
    const Track& track = trace.track(trace.track_of(event));
    OperationFact& fact = facts.emplace_back();
    fact.event = event;
    fact.pid = trace.process(track.process).pid;
    fact.device = DeviceNumber(trace, track).value_or(kMissing<std::uint32_t>);
    fact.stream = track.stream;
    fact.kind = NameOf(trace.KindOf(event));
    fact.name = names.Of(op);
    fact.class_name = places.Class(op);
    fact.begin = trace.begin(event);
    fact.end = trace.end(event);
    if (step != Steps::kOutside) {
      fact.step = step + 1;
      fact.step_role = RoleName(hierarchy.steps().steps[step].role);
    }
    fact.phase = phases.Of(hierarchy.NodeOfWork(event));
    fact.layer = places.Layer(op);
    fact.range = places.Range(op);
    fact.own = std::clamp<DurationNs>(graph.own[op], 0, trace.duration(event));
    fact.waiting = trace.duration(event) - fact.own;
    if (const EventId call = trace.call_of(event); call.valid()) {
      fact.queued = std::max<DurationNs>(0, fact.begin - trace.begin(call));
    }
    fact.held_by = NameOf(guided.begin_by[op].rule);
    if (const auto gap = gap_before.find(op); gap != gap_before.end()) {
      fact.idle_before = gap->second->time.Length();
      fact.idle_cause = NameOf(gap->second->main_cause);
    }
  }
  std::sort(facts.begin(), facts.end(), [](const OperationFact& a, const OperationFact& b) {
    return std::pair(a.begin, a.event) < std::pair(b.begin, b.event);
  });
  return facts;
}

}  // namespace xsp
