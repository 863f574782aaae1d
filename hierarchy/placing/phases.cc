#include <algorithm>
#include <limits>

#include "hierarchy/placing/hierarchy_builder.h"
#include "model/names/communication.h"

// Phases of a step that nobody named: from the names of operations, from the thread that launched,
// from what kernels do, and from what comes before and after the backward pass.
namespace xsp {

// What is known of a step of one process before phases are inferred in it.
struct HierarchyBuilder::StepShape {
  TimeNs first_backward = std::numeric_limits<TimeNs>::max();
  TimeNs last_backward = std::numeric_limits<TimeNs>::min();

  bool HasBackward() const { return first_backward <= last_backward; }
};

NodeId HierarchyBuilder::PhaseBelow(NodeId parent, Phase phase) {
  const std::uint64_t key =
      (std::uint64_t{parent.value} << 32) | (0xffffff00u + static_cast<std::uint32_t>(phase));
  auto [it, is_new] = mirrors_.try_emplace(key);
  if (is_new) {
    const Level level = std::max(Level::kPhase, nodes_.level[parent.value]);
    it->second = nodes_.Add(parent, level, Source::kClass, h_.names_.Intern(NameOf(phase)));
    nodes_.phase[it->second.value] = phase;
  }
  return it->second;
}

bool HierarchyBuilder::IsBackward(std::uint32_t range) const {
  const EventId e = ranges_.event(range);
  const std::uint32_t op = trace_.OperatorOf(e);
  return (op != Trace::kNoOperator && trace_.operators().is_backward[op] != 0) ||
         OnBackwardThread(e);
}

// By process and step (the last place: outside of steps): from when on operations that stand in no
// phase cannot be forward, as the backward pass has begun. The earliest time where there is no
// backward pass at all, or where the user named the forward pass: what is not in it is something
// else.
std::vector<std::vector<TimeNs>> HierarchyBuilder::EndsOfForward() const {
  constexpr TimeNs kNever = std::numeric_limits<TimeNs>::min();
  std::vector<std::vector<TimeNs>> ends(trace_.processes().size());
  for (auto& of_process : ends) of_process.assign(h_.steps_.size() + 1, kNever);
  std::vector<std::uint8_t> is_named(trace_.processes().size(), 0);
  for (std::uint32_t i = 0; i < ranges_.size(); ++i) {
    const std::uint32_t process = trace_.process_of(ranges_.event(i)).value;
    const std::uint32_t node = NodeOfRange(i).value;
    if (nodes_.level[node] == Level::kPhase && nodes_.phase[node] == Phase::kForward) {
      is_named[process] = 1;
    }
    if (!IsBackward(i)) continue;
    TimeNs& end = ends[process][std::min<std::size_t>(step_of_range_[i], h_.steps_.size())];
    const TimeNs begin = trace_.begin(ranges_.event(i));
    end = end == kNever ? begin : std::min(end, begin);
  }
  for (std::size_t p = 0; p < ends.size(); ++p) {
    if (is_named[p] != 0) std::fill(ends[p].begin(), ends[p].end(), kNever);
  }
  return ends;
}

// An operation that stands right below a step: its name tells the phase. What is neither backward
// nor communication, and comes before the backward pass, is forward.
Phase HierarchyBuilder::PhaseOfOperation(std::uint32_t range, TimeNs end_of_forward) const {
  const EventId e = ranges_.event(range);
  const NameTable::Entry& entry = h_.names_.OfRange(trace_.name_of(e));
  if (IsBackward(range)) return Phase::kBackward;
  if (entry.phase != Phase::kNone) return entry.phase;
  const bool is_operation = nodes_.level[NodeOfRange(range).value] == Level::kOp;
  return is_operation && trace_.begin(e) < end_of_forward ? Phase::kForward : Phase::kNone;
}

void HierarchyBuilder::InferPhasesOfOperations() {
  const std::vector<std::vector<TimeNs>> ends_of_forward = EndsOfForward();
  for (std::uint32_t i = 0; i < ranges_.size(); ++i) {
    const NodeId node = NodeOfRange(i);
    const NodeId parent = nodes_.parent[node.value];
    const Level above = nodes_.level[parent.value];
    const Level level = nodes_.level[node.value];
    Phase phase = Phase::kNone;
    if (above <= Level::kStep && level >= Level::kOp) {
      const std::size_t step = std::min<std::size_t>(step_of_range_[i], h_.steps_.size());
      phase = PhaseOfOperation(i, ends_of_forward[trace_.process_of(ranges_.event(i)).value][step]);
    } else if (level > Level::kPhase &&
               (nodes_.phase[parent.value] == Phase::kForward ||
                nodes_.phase[parent.value] == Phase::kBackward) &&
               above == Level::kPhase) {
      // A backward pass that reduces gradients as it goes: the user's ranges tell.
      phase = h_.names_.OfRange(trace_.name_of(ranges_.event(i))).phase;
      if (phase != Phase::kCommunication) phase = Phase::kNone;
    }
    if (phase == Phase::kNone || phase == nodes_.phase[parent.value]) continue;
    nodes_.parent[node.value] = PhaseBelow(parent, phase);
    ExtendHost(nodes_.parent[node.value], nodes_.host_begin[node.value],
               nodes_.host_end[node.value]);
  }
}

// By process and step (the last place: outside of steps): when its backward work was launched.
std::vector<std::vector<HierarchyBuilder::StepShape>> HierarchyBuilder::ShapesOfSteps() const {
  std::vector<std::vector<StepShape>> shapes(trace_.processes().size());
  for (auto& of_process : shapes) of_process.resize(h_.steps_.size() + 1);
  for (EventId work : trace_.DeviceWork()) {
    const EventId call = trace_.call_of(work);
    if (!call.valid()) continue;
    if (nodes_.phase[h_.NodeOfWork(work).value] != Phase::kBackward && !OnBackwardThread(call)) {
      continue;
    }
    const std::uint32_t step =
        std::min<std::uint32_t>(h_.StepOfWork(work), static_cast<std::uint32_t>(h_.steps_.size()));
    StepShape& shape = shapes[trace_.process_of(work).value][step];
    shape.first_backward = std::min(shape.first_backward, trace_.begin(call));
    shape.last_backward = std::max(shape.last_backward, trace_.begin(call));
  }
  return shapes;
}

// What a piece of work that no range holds belongs to, and what tells so.
std::pair<Phase, Source> HierarchyBuilder::PhaseOfLooseWork(EventId work, const StepShape& shape,
                                                            bool has_named_phases) const {
  const EventId call = trace_.call_of(work);
  if (OnBackwardThread(call)) return {Phase::kBackward, Source::kClass};
  const KernelClass kind = h_.kinds_.Of(trace_, work).kernel_class;
  if (kind == KernelClass::kOptimizer) return {Phase::kOptimizer, Source::kClass};
  if (IsCommunication(kind)) return {Phase::kCommunication, Source::kClass};
  if (!shape.HasBackward()) return {Phase::kNone, Source::kNone};
  const bool is_copy = trace_.OfKind(EventKind::kMemcpy).Contains(work);
  const TimeNs launch = trace_.begin(call);
  if (is_copy && launch < shape.first_backward) {
    const CopyKind direction = trace_.copies().copy_kind[trace_.Row(work, EventKind::kMemcpy)];
    if (direction == CopyKind::kHtoD) return {Phase::kDataLoading, Source::kClass};
  }
  if (is_copy) return {Phase::kNone, Source::kNone};
  if (launch > shape.last_backward) return {Phase::kOptimizer, Source::kTemporal};
  // Before the backward pass comes the forward pass; but where the user named one, what is not in
  // it is something else.
  if (launch < shape.first_backward && !has_named_phases) {
    return {Phase::kForward, Source::kTemporal};
  }
  return {Phase::kNone, Source::kNone};
}

void HierarchyBuilder::InferPhasesOfWork() {
  const auto shapes = ShapesOfSteps();
  const auto outside = static_cast<std::uint32_t>(h_.steps_.size());
  std::vector<std::uint8_t> has_named_phases(trace_.processes().size(), 0);
  for (std::uint32_t i = 0; i < ranges_.size(); ++i) {
    if (nodes_.phase[NodeOfRange(i).value] == Phase::kNone) continue;
    has_named_phases[trace_.process_of(ranges_.event(i)).value] = 1;
  }
  for (EventId work : trace_.DeviceWork()) {
    const EventId call = trace_.call_of(work);
    const NodeId at = h_.NodeOfWork(work);
    if (!call.valid() || nodes_.level[at.value] > Level::kPhase) continue;
    const std::uint32_t process = trace_.process_of(work).value;
    const std::uint32_t step = std::min(h_.StepOfWork(work), outside);
    // Outside of steps anything may come before and after a backward pass.
    const StepShape shape = step == outside ? StepShape{} : shapes[process][step];
    auto [phase, source] = PhaseOfLooseWork(work, shape, has_named_phases[process] != 0);
    // A range that the user called "backward" may hold the optimizer too: only a name tells.
    const bool in_range = nodes_.level[at.value] == Level::kPhase;
    if (in_range && (source != Source::kClass || phase != Phase::kOptimizer)) continue;
    if (phase == Phase::kNone || phase == nodes_.phase[at.value]) continue;
    h_.node_of_work_[work.value] = PhaseBelow(at, phase);
    ExtendHost(h_.NodeOfWork(work), trace_.begin(call), trace_.end(call));
    if (!in_range) h_.source_of_work_[work.value] = source;
  }
}

void HierarchyBuilder::InferPhases() {
  InferPhasesOfOperations();
  InferPhasesOfWork();
}

}  // namespace xsp
