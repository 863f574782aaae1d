#include "graph/copy_tasks.h"

namespace xsp {
namespace {

// Rows that stand one behind the other in both graphs; from `first` on in the old one, or new.
struct Run {
  std::uint32_t first;
  std::uint32_t count;
  bool is_new;
};

// Most of a graph is copied as it is: long runs make that a copy of memory.
std::vector<Run> RunsOf(const TaskGraph& from, const TaskId* begin, const TaskId* end) {
  std::vector<Run> runs;
  for (const TaskId* task = begin; task != end; ++task) {
    const bool is_new = task->value >= from.task_count();
    const bool goes_on = !runs.empty() && runs.back().is_new == is_new &&
                         (is_new || runs.back().first + runs.back().count == task->value);
    if (goes_on) {
      ++runs.back().count;
    } else {
      runs.push_back({task->value, 1, is_new});
    }
  }
  return runs;
}

// Copies a column whose row 0 belongs to task `zero`. An empty column stays empty.
template <class T>
void Copy(const std::vector<Run>& runs, std::size_t rows, const std::vector<T>& from,
          std::vector<T>& to, std::uint32_t zero = 0) {
  if (from.empty()) return;
  to.reserve(rows);
  for (const Run& run : runs) {
    if (run.is_new) {
      to.resize(to.size() + run.count);
    } else {
      const auto first = from.begin() + (run.first - zero);
      to.insert(to.end(), first, first + run.count);
    }
  }
}

void CopyOrigins(const std::vector<Run>& runs, std::size_t rows, const TaskGraph& from,
                 std::vector<TaskId>& to) {
  if (!from.origin.empty()) return Copy(runs, rows, from.origin, to);
  to.reserve(rows);
  for (const Run& run : runs) {
    for (std::uint32_t i = 0; i < run.count; ++i) {
      to.push_back(run.is_new ? TaskId() : TaskId(run.first + i));
    }
  }
}

}  // namespace

void CopyTasks(const TaskGraph& from, const std::vector<TaskId>& source, std::size_t hosts,
               TaskGraph& to) {
  static_cast<GraphFrame&>(to) = from;
  const std::size_t tasks = source.size();
  const std::vector<Run> all = RunsOf(from, source.data(), source.data() + tasks);
  Copy(all, tasks, from.event, to.event);
  Copy(all, tasks, from.measured_begin, to.measured_begin);
  Copy(all, tasks, from.measured_end, to.measured_end);
  Copy(all, tasks, from.own, to.own);
  Copy(all, tasks, from.lane, to.lane);
  Copy(all, tasks, from.kind, to.kind);
  Copy(all, tasks, from.flags, to.flags);
  Copy(all, tasks, from.label, to.label);
  CopyOrigins(all, tasks, from, to.origin);

  const std::vector<Run> host_runs = RunsOf(from, source.data(), source.data() + hosts);
  Copy(host_runs, hosts, from.gap, to.gap);
  Copy(host_runs, hosts, from.gap_off_cpu, to.gap_off_cpu);
  Copy(host_runs, hosts, from.wait, to.wait);
  Copy(host_runs, hosts, from.question, to.question);

  const std::size_t ops = tasks - hosts;
  const std::uint32_t zero = from.host_count();
  const std::vector<Run> op_runs = RunsOf(from, source.data() + hosts, source.data() + tasks);
  Copy(op_runs, ops, from.op_class, to.op_class, zero);
  Copy(op_runs, ops, from.submit, to.submit, zero);
  Copy(op_runs, ops, from.engine, to.engine, zero);
  Copy(op_runs, ops, from.clock_ahead, to.clock_ahead, zero);
  Copy(op_runs, ops, from.reaction, to.reaction, zero);
  Copy(op_runs, ops, from.interference, to.interference, zero);
}

}  // namespace xsp
