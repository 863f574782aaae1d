#include "graph/slice.h"

#include <algorithm>

namespace xsp {
namespace {

constexpr std::uint32_t kOutside = 0xFFFFFFFF;

void CopyTask(const TaskGraph& from, std::uint32_t task, TaskGraph& to) {
  to.event.push_back(from.event[task]);
  to.measured_begin.push_back(from.measured_begin[task]);
  to.measured_end.push_back(from.measured_end[task]);
  to.own.push_back(from.own[task]);
  to.lane.push_back(from.lane[task]);
  to.kind.push_back(from.kind[task]);
  to.flags.push_back(from.flags[task]);
  to.origin.push_back(from.OriginOf(task));
  if (!from.label.empty()) to.label.push_back(from.label[task]);
}

void CopyHosts(const TaskGraph& from, const std::vector<TimeRange>& times, GraphSlice& slice,
               std::vector<std::uint32_t>& new_number) {
  TaskGraph& to = slice.graph;
  for (std::size_t i = 0; i < from.threads.size(); ++i) {
    const GraphThread& thread = from.threads[i];
    GraphThread part = thread;
    part.first = to.task_count();
    const auto begins = from.measured_begin.begin();
    const auto end = begins + thread.last;
    const auto first = std::lower_bound(begins + thread.first, end, times[i].begin);
    auto last = std::lower_bound(first, end, times[i].end);
    if (first != last && last != end) ++last;
    for (auto it = first; it != last; ++it) {
      const auto task = static_cast<std::uint32_t>(it - begins);
      new_number[task] = to.task_count();
      slice.task_of.push_back(task);
      CopyTask(from, task, to);
      to.gap.push_back(from.gap[task]);
      if (!from.wait.empty()) to.wait.push_back(from.wait[task]);
      to.question.push_back(from.question[task]);
    }
    part.last = to.task_count();
    if (part.first < part.last && first > begins + thread.first)
      part.start = to.measured_begin[part.first];
    to.threads.push_back(part);
  }
}

void CopyOps(const TaskGraph& from, GraphSlice& slice, std::vector<std::uint32_t>& new_number) {
  TaskGraph& to = slice.graph;
  const std::uint32_t hosts = to.host_count();
  for (std::uint32_t host = 0; host < hosts; ++host) {
    to.first_op.push_back(to.task_count());
    const std::uint32_t call = slice.task_of[host];
    for (std::uint32_t op = from.first_op[call]; op < from.first_op[call + 1]; ++op) {
      const std::uint32_t row = from.OpIndex(op);
      new_number[op] = to.task_count();
      slice.task_of.push_back(op);
      CopyTask(from, op, to);
      to.op_class.push_back(from.op_class[row]);
      to.submit.push_back(from.submit[row]);
      to.call.push_back(host);
      to.engine.push_back(from.engine[row]);
      if (!from.clock_ahead.empty()) to.clock_ahead.push_back(from.clock_ahead[row]);
    }
  }
  to.first_op.push_back(to.task_count());
}

// Edges between tasks stay where both ends do.
void CopyEdges(const TaskGraph& from, TaskGraph& to, const std::vector<std::uint32_t>& new_number) {
  for (const Handoff& handoff : from.handoffs) {
    const std::uint32_t task = new_number[handoff.task];
    if (task == kOutside) continue;
    if (new_number[handoff.from] != kOutside) {
      to.handoffs.push_back({task, new_number[handoff.from], handoff.lag});
    } else if (task > to.threads[to.lane[task]].first) {
      to.gap[task] = to.measured_begin[task] - to.measured_end[task - 1];
    }
  }
  for (const NodeOrder& order : from.node_orders) {
    if (new_number[order.op] == kOutside) continue;
    to.node_orders.push_back({new_number[order.op], new_number[order.from]});
  }
  if (from.collectives.empty()) return;
  to.collective.assign(to.op_count(), TaskGraph::kNoCollective);
  for (const std::vector<TaskId>& members : from.collectives) {
    std::vector<TaskId> inside;
    for (TaskId member : members) {
      if (new_number[member.value] != kOutside) inside.emplace_back(new_number[member.value]);
    }
    const bool is_whole = inside.size() == members.size();
    for (TaskId member : inside) {
      if (is_whole) {
        to.collective[to.OpIndex(member.value)] = static_cast<std::uint32_t>(to.collectives.size());
      } else {
        to.own[member.value] = to.measured(member.value);
      }
    }
    if (is_whole) to.collectives.push_back(std::move(inside));
  }
}

}  // namespace

GraphSlice Slice(const TaskGraph& graph, const std::vector<TimeRange>& times) {
  GraphSlice slice;
  static_cast<GraphFrame&>(slice.graph) = graph;
  std::vector<std::uint32_t> new_number(graph.task_count(), kOutside);
  CopyHosts(graph, times, slice, new_number);
  CopyOps(graph, slice, new_number);
  CopyEdges(graph, slice.graph, new_number);
  return slice;
}

}  // namespace xsp
