#include <algorithm>
#include <optional>

#include "hierarchy/placing/hierarchy_builder.h"

// Steps go between a process and what they hold: ranges, calls, device work.
namespace xsp {

// The node of each step of each process: the user's own range, or a new one.
void HierarchyBuilder::AddStepNodes() {
  const Steps& steps = h_.steps_;
  h_.step_nodes_.resize(trace_.processes().size());
  h_.outside_.resize(trace_.processes().size());
  for (std::uint32_t p = 0; p < trace_.processes().size(); ++p) {
    const NodeId process = h_.NodeOfProcess(ProcessId(p));
    h_.outside_[p] = process;
    if (steps.steps.empty()) continue;
    h_.outside_[p] =
        nodes_.Add(process, Level::kStep, Source::kNone, h_.names_.Intern("[outside steps]"));
    for (std::uint32_t k = 0; k < steps.size(); ++k) {
      const bool own = !steps.of_process[p].empty();
      const EventId range = own ? steps.of_process[p][k].range : EventId();
      NodeId node;
      if (range.valid()) {
        node = NodeOfRange(ranges_.IndexOf(trace_, range));
        nodes_.parent[node.value] = process;
        nodes_.level[node.value] = Level::kStep;
        nodes_.source[node.value] = Source::kRange;
      } else {
        node = nodes_.Add(process, Level::kStep, Source::kRepetition,
                          h_.names_.Intern(steps.steps[k].name));
        const TimeRange host = own ? steps.of_process[p][k].host : TimeRange{};
        nodes_.host_begin[node.value] = host.begin;
        nodes_.host_end[node.value] = host.end;
      }
      h_.step_nodes_[p].push_back(node);
      h_.step_of_node_.emplace(node, k);
    }
  }
}

// Whether a range holds a whole step: a loop, an epoch, the run.
bool HierarchyBuilder::HoldsStep(ProcessId process, EventId range) const {
  const std::vector<HostStep>& steps = h_.steps_.of_process[process.value];
  auto first =
      std::lower_bound(steps.begin(), steps.end(), trace_.begin(range),
                       [](const HostStep& step, TimeNs begin) { return step.host.begin < begin; });
  if (first == steps.end() || first->range == range) return false;
  const TimeNs end = first->range.valid() ? trace_.end(first->range) : first->host.end;
  return end <= trace_.end(range);
}

void HierarchyBuilder::PlaceRanges() {
  step_of_range_.assign(ranges_.size(), Steps::kOutside);
  holds_steps_.assign(ranges_.size(), 0);
  for (std::uint32_t i = 0; i < ranges_.size(); ++i) {
    const EventId e = ranges_.event(i);
    const ProcessId process = trace_.process_of(e);
    const NodeId node = NodeOfRange(i);
    h_.has_host_events_[process.value] = 1;
    const HostRanges::Place place = ranges_.parent(i);
    const bool below_range = place.range != HostRanges::kNone && holds_steps_[place.range] == 0;
    if (below_range && nodes_.level[node.value] != Level::kStep) {
      step_of_range_[i] = step_of_range_[place.range];
      continue;
    }
    const std::uint32_t step = h_.steps_.StepAt(process, trace_.begin(e));
    if (nodes_.level[node.value] == Level::kStep) {
      step_of_range_[i] = step;
      continue;
    }
    holds_steps_[i] = HoldsStep(process, e) ? 1 : 0;
    if (holds_steps_[i] == 0 && step != Steps::kOutside) {
      step_of_range_[i] = step;
      nodes_.parent[node.value] = h_.step_nodes_[process.value][step];
    } else if (place.range == HostRanges::kNone) {
      nodes_.parent[node.value] = h_.outside_[process.value];
    }
  }
}

void HierarchyBuilder::PlaceCalls() {
  const EventSpan calls = trace_.OfKind(EventKind::kApi);
  h_.first_call_ = calls.first;
  h_.node_of_call_.resize(calls.size());
  h_.step_of_call_.resize(calls.size());
  for (EventId call : calls) {
    const ProcessId process = trace_.process_of(call);
    h_.has_host_events_[process.value] = 1;
    const HostRanges::Place place = ranges_.OfCall(call);
    const bool in_range = place.range != HostRanges::kNone;
    std::uint32_t step = Steps::kOutside;
    NodeId node = in_range ? NodeOfRange(place.range) : h_.outside_[process.value];
    if (in_range && holds_steps_[place.range] == 0) {
      step = step_of_range_[place.range];
    } else if (step = h_.steps_.StepAt(process, trace_.begin(call)); step != Steps::kOutside) {
      node = h_.step_nodes_[process.value][step];
    }
    h_.node_of_call_[call.value - calls.first] = node;
    h_.step_of_call_[call.value - calls.first] = step;
  }
}

// Work by its call; where none is known, by its own time and no further than the step. A stream
// works in the order of its launches, so what it does before the first piece whose launch was
// recorded was launched before the recording began: no step of it holds that.
void HierarchyBuilder::PlaceWork() {
  const std::uint32_t count = trace_.DeviceWork().size();
  h_.node_of_work_.resize(count);
  h_.step_of_work_.resize(count);
  std::vector<std::optional<TimeNs>> first_launched(trace_.tracks().size());
  for (EventId work : trace_.DeviceWork()) {
    if (!trace_.call_of(work).valid()) continue;
    std::optional<TimeNs>& first = first_launched[trace_.track_of(work).value];
    first = std::min(first.value_or(trace_.begin(work)), trace_.begin(work));
  }
  for (EventId work : trace_.DeviceWork()) {
    if (const EventId call = trace_.call_of(work); call.valid()) {
      h_.node_of_work_[work.value] = h_.NodeOfCall(call);
      h_.step_of_work_[work.value] = h_.StepOfCall(call);
      continue;
    }
    const std::uint32_t process = trace_.process_of(work).value;
    const std::optional<TimeNs>& first = first_launched[trace_.track_of(work).value];
    const bool is_leading = first && trace_.begin(work) < *first;
    const std::uint32_t step =
        is_leading ? Steps::kOutside : h_.steps_.StepAt(ProcessId(), trace_.begin(work));
    h_.step_of_work_[work.value] = step;
    h_.node_of_work_[work.value] =
        step == Steps::kOutside ? h_.outside_[process] : h_.step_nodes_[process][step];
  }
}

void HierarchyBuilder::PlaceSteps() {
  h_.steps_ = FindSteps(trace_, ranges_, h_.names_, h_.kinds_);
  h_.has_host_events_.assign(trace_.processes().size(), 0);
  AddStepNodes();
  PlaceRanges();
  PlaceCalls();
  PlaceWork();
  DecideOnRanges();
}

// A stray range around an initialisation does not make a program one that names its parts: a tenth
// of the device time whose launches are known must be in ranges.
void HierarchyBuilder::DecideOnRanges() {
  std::vector<DurationNs> all(trace_.processes().size(), 0);
  std::vector<DurationNs> in_ranges(trace_.processes().size(), 0);
  for (EventId work : trace_.DeviceWork()) {
    if (!trace_.call_of(work).valid()) continue;
    const NodeId node = h_.NodeOfWork(work);
    const std::uint32_t process = trace_.process_of(work).value;
    all[process] += trace_.duration(work);
    if (IsRange(node) && nodes_.level[node.value] != Level::kStep) {
      in_ranges[process] += trace_.duration(work);
    }
  }
  h_.has_ranges_.assign(trace_.processes().size(), 0);
  for (std::uint32_t p = 0; p < all.size(); ++p) {
    const bool has_any = ranges_.MainThread(ProcessId(p)).valid();
    h_.has_ranges_[p] = has_any && in_ranges[p] * 10 >= all[p] ? 1 : 0;
  }
}

}  // namespace xsp
