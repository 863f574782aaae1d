#include "graph/unit/slice.h"

#include <algorithm>

#include "graph/copy_tasks.h"

namespace xsp {
namespace {

class Slicer {
 public:
  Slicer(const TaskGraph& from, const std::vector<TimeRange>& times) : from_(from), times_(times) {
    place_.resize(from.task_count());
  }

  GraphSlice Run() {
    Hosts();
    const std::size_t hosts = slice_.task_of.size();
    Ops(hosts);
    CopyTasks(from_, slice_.task_of, hosts, to_);
    Handoffs();
    NodeOrders();
    Collectives();
    Channels();
    return std::move(slice_);
  }

 private:
  void Take(TaskId task) {
    place_[task] = TaskId(slice_.task_of.size());
    slice_.task_of.push_back(task);
  }

  void Hosts() {
    for (std::size_t i = 0; i < from_.threads.size(); ++i) {
      const GraphThread& thread = from_.threads[i];
      const TaskId first = LowerBound(from_.measured_begin, thread.tasks(), times_[i].begin);
      TaskId last = LowerBound(from_.measured_begin, {first, thread.last}, times_[i].end);
      if (first != last && last != thread.last) ++last.value;  // By which the end is told.
      GraphThread part = thread;
      part.first = TaskId(slice_.task_of.size());
      // Nothing that could have made a thread begin is in the part: it begins when it did.
      if (first < last && first > thread.first) part.start = from_.measured_begin[first];
      for (TaskId task : TaskRange{first, last}) Take(task);
      part.last = TaskId(slice_.task_of.size());
      to_.threads.push_back(part);
    }
  }

  void Ops(std::size_t hosts) {
    for (TaskId host : TaskRange{TaskId(0), TaskId(hosts)}) {
      to_.first_op.emplace_back(slice_.task_of.size());
      for (TaskId op : from_.OpsOf(slice_.task_of[host])) {
        Take(op);
        to_.call.push_back(host);
      }
    }
    to_.first_op.emplace_back(slice_.task_of.size());
  }

  // What joins tasks stays where both ends do.

  void Handoffs() {
    for (const Handoff& handoff : from_.handoffs) {
      const TaskId task = place_[handoff.task];
      if (!task.valid()) continue;
      if (const TaskId source = place_[handoff.from]; source.valid()) {
        to_.handoffs.push_back({task, source, handoff.lag, handoff.rule});
      } else if (handoff.rule != Rule::kThreadHandoff) {
        continue;  // A wait that nothing ends lasts as long as measured.
      } else if (const TaskId previous = to_.PreviousOf(task); previous.valid()) {
        to_.gap[task] = to_.measured_begin[task] - to_.measured_end[previous];
      }
    }
  }

  void NodeOrders() {
    for (const NodeOrder& order : from_.node_orders) {
      if (!place_[order.op].valid()) continue;
      to_.node_orders.push_back({place_[order.op], place_[order.from]});
    }
  }

  // A collective of which a rank is missing takes as long as it was measured to.
  void Collectives() {
    if (from_.collectives.empty()) return;
    to_.collective.assign(to_.op_count(), TaskGraph::kNoCollective);
    for (const std::vector<TaskId>& members : from_.collectives) {
      std::vector<TaskId> inside;
      for (TaskId member : members) {
        if (place_[member].valid()) inside.push_back(place_[member]);
      }
      const bool is_whole = inside.size() == members.size();
      for (TaskId member : inside) {
        if (is_whole) {
          to_.collective[to_.RowOf(member)] = static_cast<std::uint32_t>(to_.collectives.size());
        } else {
          to_.own[member] = std::max(to_.own[member], to_.measured(member));
        }
      }
      if (is_whole) to_.collectives.push_back(std::move(inside));
    }
  }

  void Channels() {
    if (from_.channel.empty()) return;
    to_.channel.assign(to_.op_count(), TaskGraph::kNoChannel);
    for (TaskId op : to_.ops()) {
      const std::uint32_t row = from_.channel[from_.RowOf(slice_.task_of[op])];
      if (row == TaskGraph::kNoChannel) continue;
      ChannelPlace place = from_.channel_places[row];
      if (place.after.valid()) place.after = place_[place.after];
      to_.channel[to_.RowOf(op)] = static_cast<std::uint32_t>(to_.channel_places.size());
      to_.channel_places.push_back(place);
    }
  }

  const TaskGraph& from_;
  const std::vector<TimeRange>& times_;  // One for each thread.
  GraphSlice slice_;
  TaskGraph& to_ = slice_.graph;
  PerTask<TaskId> place_;  // By task of the whole: its number in the part, or none.
};

}  // namespace

GraphSlice Slice(const TaskGraph& graph, const std::vector<TimeRange>& times) {
  return Slicer(graph, times).Run();
}

}  // namespace xsp
