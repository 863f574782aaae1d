#include "sim/models/work_facts.h"

#include "hierarchy/totals/path_text.h"

namespace xsp {

std::uint32_t FactNames::Add(std::string_view text) {
  const auto [it, is_new] =
      rows_.emplace(std::string(text), static_cast<std::uint32_t>(texts_.size()));
  if (is_new) texts_.emplace_back(text);
  return it->second;
}

namespace {

// What a node of the hierarchy tells of all that lies in it.
struct NodeFact {
  bool known = false;
  Phase phase = Phase::kNone;
  std::uint32_t layer = 0;
  std::uint32_t operation = 0;
  EventId operation_range = {};
};

class FactFinder {
 public:
  FactFinder(const TaskGraph& graph, const Hierarchy& hierarchy)
      : graph_(graph), h_(hierarchy), trace_(hierarchy.trace()), nodes_(hierarchy.nodes().size()) {}

  WorkFacts Find() {
    facts_.of_task.resize(graph_.task_count());
    for (TaskId task : graph_.tasks()) {
      const EventId event = graph_.event[task];
      if (event.valid()) facts_.of_task[task] = OfEvent(event, graph_.kind[task]);
    }
    return std::move(facts_);
  }

 private:
  WorkFact OfEvent(EventId event, TaskKind kind) {
    WorkFact fact;
    if (kind == TaskKind::kLoad) {
      fact.name = NameOf(trace_.name_of(event));
      fact.phase = Phase::kDataLoading;
      return fact;
    }
    if (kind == TaskKind::kOsCall) {
      fact.name = NameOf(trace_.name_of(event));
      return fact;
    }
    NodeId node;
    if (kind == TaskKind::kCall) {
      fact.name = NameOf(trace_.name_of(event));
      fact.step = h_.StepOfCall(event);
      node = h_.NodeOfCall(event);
    } else {
      fact.kind = h_.kinds().Of(trace_, event);
      fact.name = kind == TaskKind::kKernel
                      ? NameOf(trace_.name_of(event))
                      : facts_.names.Add(h_.names().Text(h_.NameOfWork(event)));
      fact.step = h_.StepOfWork(event);
      node = h_.NodeOfWork(event);
    }
    const NodeFact& above = OfNode(node);
    fact.phase = above.phase;
    fact.layer = above.layer;
    fact.operation = above.operation;
    fact.operation_range = above.operation_range;
    return fact;
  }

  // Strings of the trace are looked up by their number: names are long and
  // repeat.
  std::uint32_t NameOf(StringId id) {
    if (!id.valid()) return 0;
    const auto [it, is_new] = by_string_.emplace(id, 0);
    if (is_new) it->second = facts_.names.Add(trace_.strings()[id]);
    return it->second;
  }

  // Chains of parents can be as deep as a trace wants them: no recursion.
  const NodeFact& OfNode(NodeId node) {
    chain_.clear();
    for (NodeId n = node; n.valid() && !nodes_[n.value].known; n = h_.nodes().parent[n.value]) {
      chain_.push_back(n);
    }
    for (auto n = chain_.rbegin(); n != chain_.rend(); ++n) Settle(*n);
    static const NodeFact kNothing;
    return node.valid() ? nodes_[node.value] : kNothing;
  }

  void Settle(NodeId node) {
    const Nodes& nodes = h_.nodes();
    const NodeId parent = nodes.parent[node.value];
    NodeFact fact = parent.valid() ? nodes_[parent.value] : NodeFact();
    fact.known = true;
    if (nodes.phase[node.value] != Phase::kNone) fact.phase = nodes.phase[node.value];
    const Level level = nodes.level[node.value];
    if (level == Level::kLayer) {
      fact.layer = LayerBelow(fact.layer, h_.Name(node));
    } else if (level == Level::kOp) {
      fact.operation = facts_.names.Add(h_.Name(node));
      fact.operation_range = nodes.event[node.value];
    }
    nodes_[node.value] = fact;
  }

  std::uint32_t LayerBelow(std::uint32_t above, std::string_view name) {
    PathText path = layers_[above].Below(name);
    const std::uint32_t layer = facts_.names.Add(path.text());
    layers_.try_emplace(layer, std::move(path));
    return layer;
  }

  const TaskGraph& graph_;
  const Hierarchy& h_;
  const Trace& trace_;
  WorkFacts facts_;
  std::vector<NodeFact> nodes_;
  std::vector<NodeId> chain_;
  std::unordered_map<std::uint32_t, PathText> layers_;  // By row of the names.
  std::unordered_map<StringId, std::uint32_t> by_string_;
};

}  // namespace

WorkFacts FindFacts(const TaskGraph& graph, const Hierarchy& hierarchy) {
  return FactFinder(graph, hierarchy).Find();
}

}  // namespace xsp
