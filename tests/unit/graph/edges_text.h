#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graph/builder.h"
#include "graph/simulation/scheduler.h"
#include "hierarchy/hierarchy.h"
#include "model/trace.h"

namespace xsp::test {

// A timeline with its graph, whose edges and slack are checked (tests/support/graph_checks.h).
// Tasks are named after correlation ids: "call 3", "op 3"; calls of the operating system after
// their name and begin: "sem_wait@1000".
class GraphOf {
 public:
  explicit GraphOf(std::string_view timeline);

  // The edges of a rule, one a line: "op 1 -> call 3" ("=>" where both ends are finishes, "|>"
  // where it leads from begin to finish), in the order of AllEdges.
  std::string Edges(Rule rule) const;

  // The task of a call or operation by its name above.
  TaskId Task(std::string_view name) const;
  std::string NameOf(TaskId task) const;

  const TaskGraph& graph() const { return graph_; }
  const Answers& answers() const { return answers_; }
  DurationNs constant(std::string_view name) const;

 private:
  Trace trace_;
  Hierarchy hierarchy_;
  TaskGraph graph_;
  Answers answers_;
};

}  // namespace xsp::test
