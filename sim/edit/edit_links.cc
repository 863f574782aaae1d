#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "sim/edit/edit_build.h"

// What joins the tasks of an edited graph: hand-offs, orders within CUDA graphs, collectives.
namespace xsp {

void EditBuild::Handoffs() {
  std::sort(stand_ins_.begin(), stand_ins_.end(),
            [](const StandIn& a, const StandIn& b) { return a.removed < b.removed; });
  for (const GraphEdit::NewHandoff& handoff : kept_) {
    AddHandoff(handoff.task, handoff);
  }
  for (const GraphEdit::NewHandoff& handoff : edit_.handoffs_) {
    const TaskId task = place_[handoff.task];
    if (task.valid()) AddHandoff(task, handoff);
  }
  std::sort(graph_.handoffs.begin(), graph_.handoffs.end(), [](const Handoff& a, const Handoff& b) {
    return std::tuple(a.task, a.from, a.lag) < std::tuple(b.task, b.from, b.lag);
  });
}

// `task` is a number of the new graph, the source of the hand-off one of the edit.
void EditBuild::AddHandoff(TaskId task, const GraphEdit::NewHandoff& handoff) {
  const TaskId from = handoff.from;
  DurationNs lag = handoff.lag;
  TaskId source = place_[from];
  if (!source.valid()) {
    const auto it = std::lower_bound(
        stand_ins_.begin(), stand_ins_.end(), from,
        [](const StandIn& stand_in, TaskId wanted) { return stand_in.removed < wanted; });
    if (it != stand_ins_.end() && it->removed == from) {
      source = it->before;
      lag += it->later;
    }
  }
  if (source.valid()) {
    graph_.handoffs.push_back({task, source, lag, handoff.rule});
  } else if (handoff.rule != Rule::kThreadHandoff) {
    return;  // A wait that nothing ends lasts as long as measured.
  } else if (const TaskId previous = graph_.PreviousOf(task); previous.valid()) {
    // Nothing is left that could wake the thread: it was silent for as long as measured.
    graph_.gap[task] =
        std::max<DurationNs>(0, graph_.measured_begin[task] - graph_.measured_end[previous]);
  }
}

// Nodes keep their order within their launch; where one was removed, what waited for it waits for
// what it waited for.
void EditBuild::NodeOrders() {
  const auto from_of = [&](TaskId op) {
    const auto it = std::partition_point(old_.node_orders.begin(), old_.node_orders.end(),
                                         [&](const NodeOrder& order) { return order.op < op; });
    return it != old_.node_orders.end() && it->op == op ? it->from : TaskId();
  };
  const auto is_there = [&](TaskId op) {
    return place_[op].valid() && edit_.FateOf(op) == GraphEdit::kStays;
  };
  for (const NodeOrder& order : old_.node_orders) {
    if (!is_there(order.op)) continue;
    TaskId from = order.from;
    while (from.valid() && !is_there(from)) from = from_of(from);
    if (!from.valid()) continue;
    graph_.node_orders.push_back({place_[order.op], place_[from]});
  }
}

void EditBuild::GraphLaunches() {
  PerTask<std::uint8_t> is_made(edit_.graph_launches_.empty() ? 0 : graph_.host_count());
  for (TaskId launch : edit_.graph_launches_) {
    if (const TaskId call = place_[launch]; call.valid()) is_made[call] = 1;
  }
  std::erase_if(graph_.node_orders, [&](const NodeOrder& order) {
    return !is_made.empty() && is_made[graph_.CallOf(order.op)] != 0;
  });
  for (TaskId launch : edit_.graph_launches_) {
    const TaskId call = place_[launch];
    if (!call.valid()) continue;
    const TaskRange nodes = graph_.OpsOf(call);
    if (nodes.size() < 2) continue;
    std::unordered_map<std::uint32_t, TaskId> last_on;  // By stream.
    for (TaskId op : nodes) {
      OpClass& op_class = graph_.op_class[graph_.RowOf(op)];
      if (op_class == OpClass::kKernel) op_class = OpClass::kNode;
      graph_.flags[op] |= kNode;
      const auto [it, is_first] = last_on.emplace(graph_.lane[op], op);
      if (!is_first) graph_.node_orders.push_back({op, it->second});
      it->second = op;
    }
  }
  std::sort(graph_.node_orders.begin(), graph_.node_orders.end(),
            [](const NodeOrder& a, const NodeOrder& b) { return a.op < b.op; });
  // What no other node waits for, the stream waits for.
  for (TaskId op : graph_.ops()) {
    if ((graph_.flags[op] & kNode) != 0) graph_.flags[op] |= kLastNode;
  }
  for (const NodeOrder& order : graph_.node_orders) {
    graph_.flags[order.from] &= static_cast<std::uint8_t>(~kLastNode);
  }
}

void EditBuild::Collectives() {
  if (old_.collectives.empty() && edit_.collectives_.empty()) return;
  graph_.collective.assign(graph_.op_count(), TaskGraph::kNoCollective);
  PerTask<std::uint8_t> leaves(edit_.collectives_.empty() ? 0 : place_.size());
  for (const std::vector<TaskId>& members : edit_.collectives_) {
    for (TaskId member : members) leaves[member] = 1;
  }
  const auto add = [&](const std::vector<TaskId>& members, bool is_new) {
    std::vector<TaskId> inside;
    for (TaskId member : members) {
      const TaskId place = place_[member];
      if (!place.valid() || (!is_new && !leaves.empty() && leaves[member] != 0)) continue;
      graph_.collective[graph_.RowOf(place)] =
          static_cast<std::uint32_t>(graph_.collectives.size());
      inside.push_back(place);
    }
    if (!inside.empty()) graph_.collectives.push_back(std::move(inside));
  };
  for (const std::vector<TaskId>& members : old_.collectives) add(members, false);
  for (const std::vector<TaskId>& members : edit_.collectives_) add(members, true);
}

void EditBuild::Channels() {
  if (graph_.channels.empty()) return;
  graph_.channel.assign(graph_.op_count(), TaskGraph::kNoChannel);
  const auto add = [&](TaskId op, ChannelPlace place) {
    const TaskId number = place_[op];
    if (!number.valid()) return;
    if (place.after.valid()) place.after = place_[place.after];
    std::uint32_t& row = graph_.channel[graph_.RowOf(number)];
    if (row == TaskGraph::kNoChannel) {
      row = static_cast<std::uint32_t>(graph_.channel_places.size());
      graph_.channel_places.push_back(place);
    } else {
      graph_.channel_places[row] = place;
    }
  };
  for (OpIndex row : old_.channel.rows()) {
    if (old_.channel[row] == TaskGraph::kNoChannel) continue;
    add(old_.OpAt(row), old_.channel_places[old_.channel[row]]);
  }
  for (const auto& [op, place] : edit_.on_channel_) add(op, place);
}

}  // namespace xsp
