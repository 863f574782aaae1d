#include "tests/unit/graph/edges_text.h"

#include <stdexcept>

#include "tests/support/graph_checks.h"
#include "tests/support/timeline.h"

namespace xsp::test {

GraphOf::GraphOf(std::string_view timeline)
    : trace_(MakeTrace(timeline)), hierarchy_(trace_), graph_(BuildGraph(trace_, hierarchy_)) {
  SimulateGuided(graph_, &answers_);
  CheckEdges(graph_);
  CheckSlack(graph_);
}

std::string GraphOf::NameOf(TaskId task) const {
  const EventId event = graph_.event[task];
  if (graph_.kind[task] == TaskKind::kOsCall) {
    const std::string name(event.valid() ? trace_.name(event) : "silence");
    return name + "@" + std::to_string(graph_.measured_begin[task]);
  }
  if (!event.valid()) return "before";
  const std::uint32_t id = trace_.events().correlation[event.value];
  return (graph_.IsHost(task) ? "call " : "op ") + std::to_string(id);
}

std::string GraphOf::Edges(Rule rule) const {
  std::string text;
  for (const Edge& edge : AllEdges(graph_, answers_)) {
    if (edge.rule != rule) continue;
    const char* arrow = !edge.from_finish && edge.to_finish ? " |> "
                        : edge.to_finish                    ? " => "
                                                            : " -> ";
    text += (text.empty() ? "" : "\n") + NameOf(edge.from) + arrow + NameOf(edge.to);
  }
  return text;
}

TaskId GraphOf::Task(std::string_view name) const {
  for (TaskId task : graph_.tasks()) {
    if (NameOf(task) == name) return task;
  }
  throw std::invalid_argument("no task " + std::string(name));
}

DurationNs GraphOf::constant(std::string_view name) const {
  for (const Constant& constant : graph_.constants.all()) {
    if (constant.name == name) return constant.value;
  }
  throw std::invalid_argument("no constant " + std::string(name));
}

}  // namespace xsp::test
