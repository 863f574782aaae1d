#include "report/summary/late_starts.h"

#include <set>
#include <utility>

#include "report/tables/units.h"

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

std::string LateStartWords(const TaskGraph& graph, const IdleReport& idle) {
  DurationNs late = 0;
  std::int64_t count = 0, first = 0;
  const std::set<TaskId> firsts = FirstOfTheirName(graph);
  for (const IdleGap& gap : idle.gaps) {
    if (!IsLate(graph, gap)) continue;
    late += gap.unexplained;
    ++count;
    first += firsts.count(gap.next) > 0 ? 1 : 0;
  }
  if (late * 10 < idle.total() || late == 0) return "";
  std::string text = "Not explained: the GPU began " + FormatCount(count) +
                     (count == 1 ? " operation" : " operations") + " late, by " +
                     FormatDuration(late) +
                     " in all; the calls had returned, and nothing was left to wait for. No row of "
                     "the trace says why.";
  if (first == 0) return text;
  return text + " " +
         (first == count ? (count == 1 ? "It is" : "All are") : FormatCount(first) + " are") +
         " the first of " + (first == 1 ? "its" : "their") +
         " name; code and memory may have to be made ready on first use.";
}

}  // namespace xsp
