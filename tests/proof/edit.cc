#include "tests/proof/edit.h"

#include <algorithm>
#include <map>
#include <vector>

#include "graph/replay.h"

namespace xsp::proof {
namespace {

DurationNs Scaled(DurationNs duration, double factor) {
  return static_cast<DurationNs>(static_cast<double>(duration) * factor);
}

}  // namespace

Edit::Edit(const TaskGraph& graph) : graph_(graph) {
  overlay_.own = graph.own;
  overlay_.gap = graph.gap;
  overlay_.removed.resize(graph.task_count());
}

bool Edit::Fits(std::uint32_t task, std::string_view part_of_name) const {
  const EventId event = graph_.event[task];
  return event.valid() && graph_.trace->name(event).find(part_of_name) != std::string_view::npos;
}

void Edit::ScaleOps(TaskKind kind, std::string_view part_of_name, double factor) {
  for (std::uint32_t op = graph_.host_count(); op < graph_.task_count(); ++op) {
    if (graph_.kind[op] != kind || !Fits(op, part_of_name)) continue;
    overlay_.own[op] = Scaled(overlay_.own[op], factor);
  }
}

void Edit::ScaleCalls(std::string_view part_of_name, double factor) {
  std::map<StringId, std::vector<DurationNs>> costs;
  auto fits = [&](std::uint32_t task) {
    return graph_.kind[task] == TaskKind::kCall && Fits(task, part_of_name);
  };
  auto name_of = [&](std::uint32_t task) { return graph_.trace->name_of(graph_.event[task]); };
  for (std::uint32_t task = 0; task < graph_.host_count(); ++task) {
    if (fits(task)) costs[name_of(task)].push_back(graph_.own[task]);
  }
  std::map<StringId, DurationNs> usual;
  for (auto& [name, samples] : costs) usual[name] = Median(samples);
  for (std::uint32_t task = 0; task < graph_.host_count(); ++task) {
    if (!fits(task)) continue;
    DurationNs& own = overlay_.own[task];
    const DurationNs typical = usual[name_of(task)];
    own -= Scaled(own > 2 * typical ? typical : own, 1 - factor);
  }
}

void Edit::ScaleGaps(double factor) {
  for (DurationNs& gap : overlay_.gap) gap = Scaled(gap, factor);
}

void Edit::ScaleLoads(double factor) {
  for (std::uint32_t task = 0; task < graph_.host_count(); ++task) {
    if (graph_.kind[task] != TaskKind::kLoad) continue;
    overlay_.own[task] = Scaled(overlay_.own[task], factor);
  }
}

void Edit::RemoveCalls(std::string_view part_of_name, std::uint32_t skipped) {
  for (std::uint32_t task = 0; task < graph_.host_count(); ++task) {
    if (graph_.kind[task] != TaskKind::kCall || !Fits(task, part_of_name)) continue;
    if (skipped > 0) {
      --skipped;
      continue;
    }
    overlay_.removed[task] = 1;
  }
}

void Edit::EditQuestions() {
  if (overlay_.question.empty()) overlay_.question = graph_.question;
}

void Edit::MakeAsync(OpClass direction, const std::function<NewCopy(std::uint64_t bytes)>& change) {
  EditQuestions();
  const Trace& trace = *graph_.trace;
  for (std::uint32_t op = graph_.host_count(); op < graph_.task_count(); ++op) {
    const std::uint32_t row = graph_.OpIndex(op);
    if (graph_.kind[op] != TaskKind::kMemcpy || graph_.op_class[row] != direction) continue;
    const NewCopy copy = change(trace.copies().bytes[trace.Row(graph_.event[op])]);
    overlay_.own[op] = copy.duration;
    overlay_.own[graph_.call[row]] = copy.call;
    overlay_.question[graph_.call[row]] = {};
  }
}

void Edit::MoveToStream(std::uint32_t from, std::uint32_t to) {
  if (overlay_.lane.empty()) overlay_.lane = graph_.lane;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> by_number;
  for (std::uint32_t i = 0; i < graph_.streams.size(); ++i) {
    by_number.emplace_back(graph_.trace->track(graph_.streams[i].track).stream, i);
  }
  std::sort(by_number.begin(), by_number.end());
  for (std::uint32_t op = graph_.host_count(); op < graph_.task_count(); ++op) {
    if (graph_.lane[op] == by_number[from].second) overlay_.lane[op] = by_number[to].second;
  }
}

void Edit::InsertAfter(TaskId task, Splice splice) {
  splice.after = task;
  overlay_.splices.push_back(splice);
}

void Edit::Ignore(Rule rule) { overlay_.ignored_rules |= 1u << IndexOf(rule); }

DurationNs NaiveForecast(const TaskGraph& graph, const Overlay& overlay) {
  DurationNs span = MeasuredGpuSpan(graph).Length();
  for (std::uint32_t task = 0; task < graph.task_count(); ++task) {
    if (overlay.removed[task] != 0) {
      span -= graph.measured(task);
    } else {
      span += overlay.own[task] - graph.own[task];
    }
  }
  for (std::uint32_t task = 0; task < graph.host_count(); ++task) {
    span += overlay.gap[task] - graph.gap[task];
  }
  for (const Splice& splice : overlay.splices) span += splice.gap + splice.own + splice.duration;
  return std::max<DurationNs>(0, span);
}

}  // namespace xsp::proof
