#include "graph/slice.h"

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
    place_[task.value] = TaskId(slice_.task_of.size());
    slice_.task_of.push_back(task);
  }

  void Hosts() {
    for (std::size_t i = 0; i < from_.threads.size(); ++i) {
      const GraphThread& thread = from_.threads[i];
      const auto begins = from_.measured_begin.begin();
      const auto end = begins + thread.last;
      const auto first = std::lower_bound(begins + thread.first, end, times_[i].begin);
      auto last = std::lower_bound(first, end, times_[i].end);
      if (first != last && last != end) ++last;  // By which the end of the stretch is told.
      GraphThread part = thread;
      part.first = static_cast<std::uint32_t>(slice_.task_of.size());
      // Nothing that could have made a thread begin is in the part: it begins when it did.
      if (first < last && first > begins + thread.first) part.start = *first;
      for (auto it = first; it != last; ++it) Take(TaskId(static_cast<std::size_t>(it - begins)));
      part.last = static_cast<std::uint32_t>(slice_.task_of.size());
      to_.threads.push_back(part);
    }
  }

  void Ops(std::size_t hosts) {
    for (std::uint32_t host = 0; host < hosts; ++host) {
      to_.first_op.push_back(static_cast<std::uint32_t>(slice_.task_of.size()));
      const std::uint32_t call = slice_.task_of[host].value;
      for (TaskId op(from_.first_op[call]); op.value < from_.first_op[call + 1]; ++op.value) {
        Take(op);
        to_.call.push_back(host);
      }
    }
    to_.first_op.push_back(static_cast<std::uint32_t>(slice_.task_of.size()));
  }

  // What joins tasks stays where both ends do.

  void Handoffs() {
    for (const Handoff& handoff : from_.handoffs) {
      const TaskId task = place_[handoff.task];
      if (!task.valid()) continue;
      if (const TaskId source = place_[handoff.from]; source.valid()) {
        to_.handoffs.push_back({task.value, source.value, handoff.lag});
      } else if (task.value > to_.threads[to_.lane[task.value]].first) {
        to_.gap[task.value] = to_.measured_begin[task.value] - to_.measured_end[task.value - 1];
      }
    }
  }

  void NodeOrders() {
    for (const NodeOrder& order : from_.node_orders) {
      if (!place_[order.op].valid()) continue;
      to_.node_orders.push_back({place_[order.op].value, place_[order.from].value});
    }
  }

  // A collective of which a rank is missing takes as long as it was measured to.
  void Collectives() {
    if (from_.collectives.empty()) return;
    to_.collective.assign(to_.op_count(), TaskGraph::kNoCollective);
    for (const std::vector<TaskId>& members : from_.collectives) {
      std::vector<TaskId> inside;
      for (TaskId member : members) {
        if (place_[member.value].valid()) inside.push_back(place_[member.value]);
      }
      const bool is_whole = inside.size() == members.size();
      for (TaskId member : inside) {
        if (is_whole) {
          to_.collective[to_.OpIndex(member.value)] =
              static_cast<std::uint32_t>(to_.collectives.size());
        } else {
          to_.own[member.value] = std::max(to_.own[member.value], to_.measured(member.value));
        }
      }
      if (is_whole) to_.collectives.push_back(std::move(inside));
    }
  }

  void Channels() {
    if (from_.channel.empty()) return;
    to_.channel.assign(to_.op_count(), TaskGraph::kNoChannel);
    for (std::uint32_t op = to_.host_count(); op < to_.task_count(); ++op) {
      const std::uint32_t row = from_.channel[from_.OpIndex(slice_.task_of[op].value)];
      if (row == TaskGraph::kNoChannel) continue;
      ChannelPlace place = from_.channel_places[row];
      if (place.after.valid()) place.after = place_[place.after.value];
      to_.channel[to_.OpIndex(op)] = static_cast<std::uint32_t>(to_.channel_places.size());
      to_.channel_places.push_back(place);
    }
  }

  const TaskGraph& from_;
  const std::vector<TimeRange>& times_;  // One for each thread.
  GraphSlice slice_;
  TaskGraph& to_ = slice_.graph;
  std::vector<TaskId> place_;  // By task of the whole: its number in the part, or none.
};

}  // namespace

GraphSlice Slice(const TaskGraph& graph, const std::vector<TimeRange>& times) {
  return Slicer(graph, times).Run();
}

}  // namespace xsp
