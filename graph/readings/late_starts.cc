#include "graph/readings/late_starts.h"

#include <set>
#include <utility>

namespace xsp {
namespace {

// Operations that are the first of their name in the trace.
std::set<TaskId> FirstOfTheirName(const TaskGraph& graph) {
  std::set<std::pair<OpClass, StringId>> seen;
  std::set<TaskId> first;
  for (TaskId op : graph.ops()) {
    const EventId event = graph.event[op];
    if (!event.valid()) continue;
    const OpClass op_class = graph.op_class[graph.RowOf(op)];
    if (seen.emplace(op_class, graph.trace->name_of(event)).second) first.insert(op);
  }
  return first;
}

// Whether the device alone was late: the call had returned before the part that is not explained.
bool IsLate(const TaskGraph& graph, const IdleGap& gap) {
  const TaskId op = gap.next;
  if (gap.unexplained == 0 || !op.valid()) return false;
  const OpIndex row = graph.RowOf(op);
  if (graph.submit[row] != Submit::kAfterOwnCost) return false;
  constexpr DurationNs kClocks = 5'000;  // What host and device may be apart.
  return graph.measured_end[graph.call[row]] <=
         graph.measured_begin[op] - gap.unexplained + kClocks;
}

}  // namespace

LateStarts FindLateStarts(const TaskGraph& graph, const IdleReport& idle) {
  LateStarts late;
  const std::set<TaskId> firsts = FirstOfTheirName(graph);
  for (const IdleGap& gap : idle.gaps) {
    if (!IsLate(graph, gap)) continue;
    late.ns += gap.unexplained;
    ++late.count;
    late.first_of_name += firsts.count(gap.next) > 0 ? 1 : 0;
  }
  return late;
}

}  // namespace xsp
