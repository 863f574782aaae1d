#include "hierarchy/tree_builder.h"

#include <algorithm>
#include <map>

namespace xsp {
namespace {

constexpr std::uint32_t kSkipped = 0xfffffffe;  // Belongs to a step that was not chosen.
constexpr std::uint32_t kUnknown = TreeNode::kNone;

std::uint32_t DeviceOf(const Trace& trace, EventId work) {
  return trace.track(trace.track_of(work)).device;
}

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

TreeBuilder::TreeBuilder(const Hierarchy& hierarchy, const TreeOptions& options, Tree& tree)
    : h_(hierarchy),
      trace_(hierarchy.trace()),
      options_(options),
      tree_(tree),
      nodes_(tree.nodes_),
      unattributed_(hierarchy.names().Find("[unattributed]")),
      step_(hierarchy.names().Find("step")) {
  chosen_.assign(h_.steps().size(), options.steps ? 0 : 1);
  if (options.steps) {
    for (std::uint32_t step : *options.steps) chosen_[step] = 1;
    tree_.divisor_ = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(options.steps->size()));
  }
}

bool TreeBuilder::IsChosen(std::uint32_t step) const {
  return step == Steps::kOutside ? !options_.steps : chosen_[step] != 0;
}

void TreeBuilder::Build() {
  device_end_ = h_.LastDeviceEnds();
  if (options_.keep_places) tree_.places_.assign(trace_.DeviceWork().size(), TreeNode::kNone);
  FindRanks();
  call_is_counted_.assign(trace_.OfKind(EventKind::kApi).size(), 0);
  for (Rank& rank : ranks_) {
    tree_node_of_.assign(h_.nodes().size(), kUnknown);
    AddWork(rank);
    AddRanges(rank);
  }
  for (const Rank& rank : ranks_) {
    if (!rank.speaks_for_process || !options_.with_calls) continue;
    tree_node_of_.assign(h_.nodes().size(), kUnknown);
    AddCallsWithoutWork(rank);
  }
  Finish();
}

// A rank per process and device with work, and one for a process that has only a host side.
void TreeBuilder::FindRanks() {
  Child(TreeNode::kNone, Level::kTrace, h_.names().Find("trace"), Source::kNone);
  std::map<std::pair<ProcessId, std::uint32_t>, std::vector<EventId>> work;
  for (EventId e : WorkByBegin(trace_))
    work[{trace_.process_of(e), DeviceOf(trace_, e)}].push_back(e);
  for (std::uint32_t p = 0; p < trace_.processes().size(); ++p) {
    auto it = work.lower_bound({ProcessId(p), 0});
    const bool has_work = it != work.end() && it->first.first == ProcessId(p);
    if (!has_work && h_.HasHostEvents(ProcessId(p))) {
      work[{ProcessId(p), kMissing<std::uint32_t>}];
    }
  }
  ProcessId before;
  for (auto& [key, list] : work) {
    ranks_.push_back({key.first, key.second, key.first != before, 0, std::move(list)});
    before = key.first;
  }
  if (ranks_.size() < 2) return;
  for (Rank& rank : ranks_) {
    rank.node = Child(0, Level::kRank, h_.NameOfRank(rank.process, rank.device), Source::kNone);
  }
}

std::uint32_t TreeBuilder::Child(std::uint32_t parent, Level level, NameId name, Source source) {
  const auto fresh = static_cast<std::uint32_t>(nodes_.size());
  const std::uint32_t found = index_.FindOrAdd(parent, level, name, fresh);
  if (found != fresh) return found;
  TreeNode node;
  node.parent = parent;
  node.level = level;
  node.name = name;
  node.source = source;
  nodes_.push_back(node);
  busy_until_.push_back(std::numeric_limits<TimeNs>::min());
  wall_until_.push_back(std::numeric_limits<TimeNs>::min());
  sum_in_step_.push_back(-1);
  steps_seen_.push_back(0);
  last_child_.push_back(TreeNode::kNone);
  if (parent != TreeNode::kNone) {
    std::uint32_t& last = last_child_[parent];
    (last == TreeNode::kNone ? nodes_[parent].first_child : nodes_[last].next_sibling) = fresh;
    last = fresh;
  }
  return fresh;
}

// The tree's node for a node of the hierarchy: that of its parent, then one further. Remembered,
// so that all nodes together take time in proportion to their number.
std::uint32_t TreeBuilder::NodeFor(const Rank& rank, NodeId node) {
  const Nodes& nodes = h_.nodes();
  chain_.clear();
  while (tree_node_of_[node.value] == kUnknown && nodes.level[node.value] > Level::kRank) {
    chain_.push_back(node);
    node = nodes.parent[node.value];
  }
  if (nodes.level[node.value] <= Level::kRank) tree_node_of_[node.value] = rank.node;
  std::uint32_t at = tree_node_of_[node.value];
  for (; !chain_.empty(); chain_.pop_back()) {
    const std::uint32_t n = chain_.back().value;
    const bool is_step = nodes.level[n] == Level::kStep;
    if (is_step && !IsChosen(h_.StepOfNode(NodeId(n)))) at = kSkipped;
    if (at != kSkipped) {
      const NameId name = is_step && options_.steps ? step_ : nodes.name[n];
      at = Child(at, nodes.level[n], name, nodes.source[n]);
    }
    tree_node_of_[n] = at;
  }
  return at;
}

// What no range holds goes to [unattributed].
std::uint32_t TreeBuilder::PlaceFor(const Rank& rank, NodeId node) {
  const std::uint32_t at = NodeFor(rank, node);
  if (at == kSkipped || h_.nodes().level[node.value] > Level::kStep) return at;
  return Child(at, Level::kPhase, unattributed_, Source::kNone);
}

// The same for device work. Where nobody named operations, what work does stands in for them: in
// layers found by repetition, and in all inferred nodes of a process without ranges.
std::uint32_t TreeBuilder::PlaceForWork(const Rank& rank, EventId work) {
  const NodeId node = h_.NodeOfWork(work);
  const Nodes& nodes = h_.nodes();
  const bool is_inferred = !nodes.event[node.value].valid();
  const bool by_class = nodes.source[node.value] == Source::kRepetition
                            ? nodes.level[node.value] == Level::kLayer
                            : is_inferred && !h_.HasRanges(rank.process);
  const bool is_loose = nodes.level[node.value] <= Level::kStep;
  if (is_loose ? h_.SourceOfWork(work) != Source::kClass : !by_class) return PlaceFor(rank, node);
  const KernelClass kind = h_.kinds().Of(trace_, work).kernel_class;
  return Child(NodeFor(rank, node), Level::kOp, h_.NameOfClass(kind), Source::kClass);
}

void TreeBuilder::AddWork(Rank& rank) {
  if (options_.steps) {
    std::stable_sort(rank.work.begin(), rank.work.end(),
                     [&](EventId a, EventId b) { return h_.StepOfWork(a) < h_.StepOfWork(b); });
  }
  std::uint32_t step = Steps::kOutside;
  for (EventId work : rank.work) {
    if (!IsChosen(h_.StepOfWork(work))) continue;
    if (options_.steps && h_.StepOfWork(work) != step) CloseStep();
    step = h_.StepOfWork(work);
    std::uint32_t at = PlaceForWork(rank, work);
    const Source source = h_.SourceOfWork(work);
    const EventId call = trace_.call_of(work);
    bool is_launch = false;
    if (call.valid()) {
      std::uint8_t& counted = call_is_counted_[call.value - trace_.OfKind(EventKind::kApi).first];
      is_launch = counted == 0;
      counted = 1;
      if (options_.with_calls) {
        at = Child(at, Level::kApi, h_.names().OfString(trace_.name_of(call)), source);
        if (is_launch) AddHostTime(at, trace_.duration(call), trace_.duration(call));
      }
    }
    const std::uint32_t leaf = Child(at, Level::kDevice, h_.NameOfWork(work), source);
    AddToChain(leaf, work, is_launch);
    if (options_.keep_places) tree_.places_[work.value] = leaf;
  }
  CloseStep();
}

void TreeBuilder::AddToChain(std::uint32_t leaf, EventId work, bool is_launch) {
  const TimeNs begin = trace_.begin(work);
  const TimeNs end = trace_.end(work);
  const bool is_graph = trace_.OfKind(EventKind::kGraphSpan).Contains(work);
  const DurationNs sum = is_graph ? 0 : end - begin;
  tree_.coverage_[static_cast<std::size_t>(h_.SourceOfWork(work))] += sum;
  nodes_[leaf].own_device_sum += sum;
  ++nodes_[leaf].count;
  nodes_[leaf].wall = nodes_[leaf].wall.value_or(0) + (end - begin);
  for (std::uint32_t n = leaf; n != TreeNode::kNone; n = nodes_[n].parent) {
    TreeNode& node = nodes_[n];
    node.device_sum += sum;
    node.launches += is_launch ? 1 : 0;
    // The root may hold several devices: it gets the sum of its ranks.
    if (n != 0 || ranks_.size() == 1) {
      const TimeNs from = std::max(begin, busy_until_[n]);
      if (end > from) node.device_busy += end - from;
      busy_until_[n] = std::max(busy_until_[n], end);
    }
    if (sum_in_step_[n] < 0) {
      touched_.push_back(n);
      sum_in_step_[n] = 0;
    }
    sum_in_step_[n] += sum;
  }
}

// In a mean over steps each step's busy time counts on its own.
void TreeBuilder::CloseStep() {
  for (std::uint32_t n : touched_) {
    TreeNode& node = nodes_[n];
    const bool is_first = steps_seen_[n]++ == 0;
    node.least_step_sum =
        is_first ? sum_in_step_[n] : std::min(node.least_step_sum, sum_in_step_[n]);
    node.most_step_sum = std::max(node.most_step_sum, sum_in_step_[n]);
    sum_in_step_[n] = -1;
    busy_until_[n] = std::numeric_limits<TimeNs>::min();
  }
  touched_.clear();
}

void TreeBuilder::AddHostTime(std::uint32_t at, DurationNs host, DurationNs wall) {
  TreeNode& node = nodes_[at];
  node.host = node.host.value_or(0) + host;
  node.wall = node.wall.value_or(0) + wall;
  ++node.count;
}

// Host ranges count in every rank of their process that has work of theirs; those without work in
// the first one.
void TreeBuilder::AddRanges(const Rank& rank) {
  const Nodes& nodes = h_.nodes();
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    if (nodes.level[n] <= Level::kStep) continue;
    const bool is_range = nodes.event[n].valid();
    if (is_range && trace_.process_of(nodes.event[n]) != rank.process) continue;
    const bool has_work = tree_node_of_[n] != kUnknown;
    if (!has_work && !(is_range && rank.speaks_for_process)) continue;
    const std::uint32_t at = NodeFor(rank, NodeId(n));
    if (at == kSkipped) continue;
    if (nodes.host_begin[n] == nodes.host_end[n] && !is_range) {
      ++nodes_[at].count;
      continue;
    }
    // Occurrences that overlap (the device lags behind) must not count twice.
    const TimeNs end = std::max(nodes.host_end[n], device_end_[n]);
    const TimeNs from = std::max(nodes.host_begin[n], wall_until_[at]);
    wall_until_[at] = std::max(wall_until_[at], end);
    AddHostTime(at, nodes.host_end[n] - nodes.host_begin[n], std::max<DurationNs>(0, end - from));
  }
  // Steps and [outside steps] tile the time, so all of them are there, be they empty.
  if (!options_.steps && h_.steps().size() > 0) NodeFor(rank, h_.NodeOutside(rank.process));
  for (std::uint32_t k = 0; k < h_.steps().size(); ++k) {
    const NodeId step = h_.NodeOfStep(rank.process, k);
    if (!step.valid() || !IsChosen(k)) continue;
    const std::uint32_t at = NodeFor(rank, step);
    const DurationNs host = nodes.host_end[step.value] - nodes.host_begin[step.value];
    AddHostTime(at, host, h_.steps().steps[k].time.Length());
  }
}

void TreeBuilder::AddCallsWithoutWork(const Rank& rank) {
  const EventSpan calls = trace_.OfKind(EventKind::kApi);
  for (EventId call : calls) {
    if (call_is_counted_[call.value - calls.first] != 0) continue;
    if (trace_.process_of(call) != rank.process || !IsChosen(h_.StepOfCall(call))) continue;
    const std::uint32_t at = PlaceFor(rank, h_.NodeOfCall(call));
    if (at == kSkipped) continue;
    const std::uint32_t node =
        Child(at, Level::kApi, h_.names().OfString(trace_.name_of(call)), Source::kNone);
    AddHostTime(node, trace_.duration(call), trace_.duration(call));
  }
}

}  // namespace xsp
