#include "hierarchy/totals/path_totals_builder.h"

#include <algorithm>

#include "base/interrupt.h"
#include "hierarchy/steps/step_candidates.h"

namespace xsp {
namespace {

constexpr PathId kUnknown;              // Not looked up yet.
constexpr PathId kSkipped(0xfffffffe);  // Belongs to a step that was not chosen.

// All device work by begin: a merge of the kinds, each sorted already.
std::vector<EventId> WorkByBegin(const Trace& trace) {
  std::vector<EventId> work;
  work.reserve(trace.DeviceWork().size());
  for (EventId e : trace.DeviceWork()) work.push_back(e);
  auto before = [&](EventId a, EventId b) { return trace.begin(a) < trace.begin(b); };
  for (EventKind kind :
       {EventKind::kMemcpy, EventKind::kMigration, EventKind::kMemset, EventKind::kGraphSpan}) {
    const EventSpan span = trace.OfKind(kind);
    std::inplace_merge(work.begin(), work.begin() + span.first, work.begin() + span.last, before);
  }
  return work;
}

}  // namespace

PathTotalsBuilder::PathTotalsBuilder(PathTotals& result)
    : result_(result),
      h_(result.hierarchy()),
      trace_(h_.trace()),
      options_(result.options()),
      ranks_(result.ranks()),
      nodes_(result.nodes_),
      unattributed_(h_.names().Find("[unattributed]")),
      step_name_(h_.names().Find("step")) {}

void PathTotalsBuilder::Build() {
  FindPlacesOfNodes();
  device_end_ = h_.LastDeviceEnds();
  if (options_.with_elapsed) {
    for (const LaunchedWork& launched : LaunchOrder(trace_)) finish_.emplace_back(trace_, launched);
  }
  const EventSpan calls = trace_.OfKind(EventKind::kApi);
  if (options_.keep_places) {
    result_.call_places_.assign(calls.size(), PathId());
    result_.first_call_ = calls.first;
  }
  AddRankNodes();
  CheckInterrupt();
  work_.resize(ranks_.size());
  for (EventId e : WorkByBegin(trace_)) {
    if (options_.steps.Contains(h_.StepOfWork(e))) work_[ranks_.OfWork(e)].push_back(e);
  }
  place_of_work_.assign(trace_.DeviceWork().size(), PathId());
  call_is_counted_.assign(calls.size(), 0);
  path_of_.assign(h_.nodes().size(), kUnknown);
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    AddWork(rank, work_[rank]);
    CheckInterrupt();
    AddRanges(rank);
    CheckInterrupt();
    AddSteps(rank);
    ForgetPlaces();
  }
  // Only now is known which calls launched nothing on any device.
  if (options_.with_calls) AddCallsWithoutWork();
  Finish();
}

PathSample& PathTotalsBuilder::SampleOf(PathId node, std::uint32_t step) {
  std::vector<PathSample>& samples = samples_[node.value];
  // Most come in the order of steps.
  if (!samples.empty() && samples.back().step == step) return samples.back();
  auto at = samples.end();
  if (!samples.empty() && samples.back().step > step) {
    at = std::partition_point(samples.begin(), samples.end(),
                              [&](const PathSample& s) { return s.step < step; });
  }
  if (at == samples.end() || at->step != step) {
    at = samples.emplace(at);
    at->step = step;
  }
  return *at;
}

// The step and process of every node of the hierarchy, from the top down.
void PathTotalsBuilder::FindPlacesOfNodes() {
  const Nodes& nodes = h_.nodes();
  step_of_.assign(nodes.size(), Steps::kOutside);
  process_of_.resize(nodes.size());
  nodes_of_process_.resize(trace_.processes().size());
  for (NodeId node : h_.TopDown()) {
    const NodeId parent = nodes.parent[node.value];
    if (!parent.valid()) continue;
    step_of_[node.value] =
        nodes.level[node.value] == Level::kStep ? h_.StepOfNode(node) : step_of_[parent.value];
    process_of_[node.value] = parent == h_.root()
                                  ? ProcessId(node.value - h_.NodeOfProcess(ProcessId(0u)).value)
                                  : process_of_[parent.value];
  }
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    if (process_of_[n].valid()) nodes_of_process_[process_of_[n].value].push_back(NodeId(n));
  }
}

void PathTotalsBuilder::AddRankNodes() {
  const PathId root = Child(PathId(), Level::kTrace, h_.names().Find("trace"), Source::kNone);
  result_.rank_nodes_.assign(ranks_.size(), root);
  if (ranks_.size() < 2) return;
  for (std::uint32_t i = 0; i < ranks_.size(); ++i) {
    result_.rank_nodes_[i] = Child(
        root, Level::kRank, h_.NameOfRank(ranks_[i].process, ranks_[i].device), Source::kNone);
  }
}

PathId PathTotalsBuilder::Child(PathId parent, Level level, NameId name, Source source) {
  const PathId fresh(nodes_.size());
  const PathId found = index_.FindOrAdd(parent, level, name, fresh);
  if (found != fresh) return found;
  PathNode& node = nodes_.emplace_back();
  node.parent = parent;
  node.level = level;
  node.name = name;
  node.source = source;
  samples_.emplace_back();
  wall_until_.push_back(std::numeric_limits<TimeNs>::min());
  host_until_.push_back(std::numeric_limits<TimeNs>::min());
  last_child_.emplace_back();
  if (parent.valid()) {
    PathId& last = last_child_[parent.value];
    (last.valid() ? nodes_[last.value].next_sibling : nodes_[parent.value].first_child) = fresh;
    last = fresh;
  }
  return fresh;
}

// Ranges, and layers between recorded marks; not what was inferred.
bool PathTotalsBuilder::IsRecorded(std::uint32_t node) const {
  const Nodes& nodes = h_.nodes();
  return nodes.event[node].valid() ||
         (nodes.source[node] == Source::kRange && nodes.host_begin[node] < nodes.host_end[node]);
}

// The path of a node of the hierarchy: that of its parent, then one further. Remembered, so that
// all nodes together take time in proportion to their number.
PathId PathTotalsBuilder::NodeFor(std::uint32_t rank, NodeId node) {
  const Nodes& nodes = h_.nodes();
  chain_.clear();
  while (path_of_[node.value] == kUnknown && nodes.level[node.value] > Level::kRank) {
    chain_.push_back(node);
    node = nodes.parent[node.value];
  }
  if (nodes.level[node.value] <= Level::kRank) {
    path_of_[node.value] = result_.rank_nodes_[rank];
    placed_.push_back(node);
  }
  PathId at = path_of_[node.value];
  for (; !chain_.empty(); chain_.pop_back()) {
    const std::uint32_t n = chain_.back().value;
    const bool is_step = nodes.level[n] == Level::kStep;
    if (is_step && !options_.steps.Contains(step_of_[n])) at = kSkipped;
    const bool is_shown = is_step || options_.with_inferred || IsRecorded(n);
    if (at != kSkipped && is_shown) {
      const NameId name = is_step && !options_.steps.is_whole() ? step_name_ : nodes.name[n];
      at = Child(at, nodes.level[n], name, nodes.source[n]);
    }
    path_of_[n] = at;
    placed_.push_back(NodeId(n));
  }
  return at;
}

// What was remembered belongs to one rank.
void PathTotalsBuilder::ForgetPlaces() {
  for (NodeId node : placed_) path_of_[node.value] = kUnknown;
  placed_.clear();
}

// What no range holds goes to [unattributed].
PathId PathTotalsBuilder::PlaceFor(std::uint32_t rank, NodeId node) {
  const PathId at = NodeFor(rank, node);
  if (at == kSkipped || !options_.with_inferred) return at;
  if (h_.nodes().level[node.value] > Level::kStep) return at;
  return Child(at, Level::kPhase, unattributed_, Source::kNone);
}

// The same for device work. Where nobody named operations, what work does stands in for them: in
// layers found by repetition, and in all inferred nodes of a process without ranges.
PathId PathTotalsBuilder::PlaceForWork(std::uint32_t rank, EventId work) {
  const NodeId node = h_.NodeOfWork(work);
  const Nodes& nodes = h_.nodes();
  const bool is_inferred = !nodes.event[node.value].valid();
  const bool by_class = nodes.source[node.value] == Source::kRepetition
                            ? nodes.level[node.value] == Level::kLayer
                            : is_inferred && !h_.HasRanges(ranks_[rank].process);
  const bool is_loose = nodes.level[node.value] <= Level::kStep;
  const bool has_class = is_loose ? h_.SourceOfWork(work) == Source::kClass : by_class;
  if (!has_class || !options_.with_inferred) return PlaceFor(rank, node);
  const KernelClass kind = h_.kinds().Of(trace_, work).kernel_class;
  return Child(NodeFor(rank, node), Level::kOp, h_.NameOfClass(kind), Source::kClass);
}

void PathTotalsBuilder::AddWork(std::uint32_t rank, std::vector<EventId>& list) {
  if (!options_.steps.is_whole()) {
    std::stable_sort(list.begin(), list.end(),
                     [&](EventId a, EventId b) { return h_.StepOfWork(a) < h_.StepOfWork(b); });
  }
  const EventSpan calls = trace_.OfKind(EventKind::kApi);
  InterruptPoll poll;
  for (EventId work : list) {
    poll();
    const std::uint32_t step = KeyOf(h_.StepOfWork(work));
    PathId at = PlaceForWork(rank, work);
    const Source source = h_.SourceOfWork(work);
    const EventId call = trace_.call_of(work);
    bool is_launch = false;
    if (call.valid()) {
      std::uint8_t& counted = call_is_counted_[call.value - calls.first];
      is_launch = counted == 0;
      counted = 1;
      if (options_.with_calls) {
        at = Child(at, Level::kApi, h_.NameOfCall(call), source);
        if (is_launch) AddHostTime(at, step, trace_.duration(call), trace_.duration(call));
        if (options_.keep_places) result_.call_places_[call.value - calls.first] = at;
      }
    }
    const PathId leaf = Child(at, Level::kDevice, h_.NameOfWork(work), source);
    AddOperation(leaf, work, step, is_launch);
    place_of_work_[work.value] = leaf;
  }
}

void PathTotalsBuilder::AddOperation(PathId leaf, EventId work, std::uint32_t step,
                                     bool is_launch) {
  const TimeNs begin = trace_.begin(work);
  const TimeNs end = trace_.end(work);
  const bool is_graph = trace_.OfKind(EventKind::kGraphSpan).Contains(work);
  const DurationNs sum = is_graph ? 0 : end - begin;
  result_.coverage_[static_cast<std::size_t>(h_.SourceOfWork(work))] += sum;
  PathSample& sample = SampleOf(leaf, step);
  sample.device_sum += sum;
  sample.device_busy += std::max<DurationNs>(0, end - begin);
  sample.wall += end - begin;
  ++sample.count;
  ++sample.operations;
  sample.launches += is_launch ? 1 : 0;
  nodes_[leaf.value].has_wall = true;
}

void PathTotalsBuilder::AddHostTime(PathId at, std::uint32_t step, DurationNs host,
                                    DurationNs wall) {
  PathNode& node = nodes_[at.value];
  node.has_host = true;
  node.has_wall = true;
  PathSample& sample = SampleOf(at, step);
  sample.host += host;
  sample.wall += wall;
  ++sample.count;
  sample.calls += node.level == Level::kApi ? 1 : 0;
}

// Host ranges count in every rank of their process that has work of theirs; those without work in
// the first one.
void PathTotalsBuilder::AddRanges(std::uint32_t rank) {
  if (ranks_[rank].speaks_for_process) {
    for (NodeId n : nodes_of_process_[ranks_[rank].process.value]) AddRangeAt(rank, n);
    return;
  }
  std::vector<NodeId> with_work = placed_;
  std::sort(with_work.begin(), with_work.end());
  for (NodeId n : with_work) AddRangeAt(rank, n);
}

void PathTotalsBuilder::AddRangeAt(std::uint32_t rank, NodeId node) {
  const std::uint32_t n = node.value;
  if (h_.nodes().level[n] <= Level::kStep) return;
  const bool is_recorded = IsRecorded(n);
  if (!is_recorded && !options_.with_inferred) return;
  const bool has_work = path_of_[n] != kUnknown;
  if (!has_work && !(is_recorded && ranks_[rank].speaks_for_process)) return;
  const PathId at = NodeFor(rank, node);
  if (at != kSkipped) AddRange(at, node);
}

void PathTotalsBuilder::AddRange(PathId at, NodeId node) {
  const Nodes& nodes = h_.nodes();
  const std::uint32_t n = node.value;
  const std::uint32_t step = KeyOf(step_of_[n]);
  const TimeNs begin = nodes.host_begin[n];
  if (begin == nodes.host_end[n] && !nodes.event[n].valid()) {
    ++SampleOf(at, step).count;
    return;
  }
  // Occurrences that overlap (the device lags behind) must not count twice.
  const TimeNs end = std::max(nodes.host_end[n], device_end_[n]);
  const TimeNs from = std::max(begin, wall_until_[at.value]);
  wall_until_[at.value] = std::max(wall_until_[at.value], end);
  // Nor must the launch of a CUDA graph, in whose work several layers were found; of ranges each is
  // the time of a thread of its own.
  TimeNs& host_until = host_until_[at.value];
  const bool is_found = nodes.source[n] == Source::kRepetition;
  const TimeNs host_from = is_found ? std::max(begin, host_until) : begin;
  host_until = std::max(host_until, nodes.host_end[n]);
  AddHostTime(at, step, std::max<DurationNs>(0, nodes.host_end[n] - host_from),
              std::max<DurationNs>(0, end - from));
  if (finish_.empty()) return;
  const FinishTimes& finish = finish_[process_of_[n].value];
  const TimeRange time = {finish.Boundary(begin), finish.Boundary(nodes.host_end[n])};
  SampleOf(at, step).elapsed += time.Length();
  std::optional<TimeRange>& span = result_.elapsed_span_;
  if (!span) span = time;
  span = TimeRange{std::min(span->begin, time.begin), std::max(span->end, time.end)};
}

// Steps and [outside steps] tile the time, so all of them are there, be they empty.
void PathTotalsBuilder::AddSteps(std::uint32_t rank) {
  const Nodes& nodes = h_.nodes();
  const Steps& steps = h_.steps();
  const ProcessId process = ranks_[rank].process;
  if (options_.steps.is_whole() && steps.size() > 0) NodeFor(rank, h_.NodeOutside(process));
  for (std::uint32_t k = 0; k < steps.size(); ++k) {
    const NodeId step = h_.NodeOfStep(process, k);
    if (!step.valid() || !options_.steps.Contains(k)) continue;
    const DurationNs host = nodes.host_end[step.value] - nodes.host_begin[step.value];
    AddHostTime(NodeFor(rank, step), KeyOf(k), host, steps.steps[k].time.Length());
  }
}

void PathTotalsBuilder::AddCallsWithoutWork() {
  const EventSpan calls = trace_.OfKind(EventKind::kApi);
  std::vector<std::vector<EventId>> of_process(trace_.processes().size());
  for (EventId call : calls) {
    if (call_is_counted_[call.value - calls.first] != 0) continue;
    if (!options_.steps.Contains(h_.StepOfCall(call))) continue;
    of_process[trace_.process_of(call).value].push_back(call);
  }
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    if (!ranks_[rank].speaks_for_process) continue;
    for (EventId call : of_process[ranks_[rank].process.value]) {
      const PathId at = PlaceFor(rank, h_.NodeOfCall(call));
      if (at == kSkipped) continue;
      const PathId node = Child(at, Level::kApi, h_.NameOfCall(call), Source::kNone);
      AddHostTime(node, KeyOf(h_.StepOfCall(call)), trace_.duration(call), trace_.duration(call));
      if (options_.keep_places) result_.call_places_[call.value - calls.first] = node;
    }
    ForgetPlaces();
    CheckInterrupt();
  }
}

}  // namespace xsp
