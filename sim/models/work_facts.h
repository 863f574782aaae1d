#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "graph/task_graph.h"
#include "hierarchy/hierarchy.h"
#include "hierarchy/level.h"
#include "model/names/kernel_class.h"

namespace xsp {

// What is known of a task beyond its time: what its work is, and where it
// belongs. Texts are rows of FactNames; row 0 is the empty text.
struct WorkFact {
  KernelKind kind;             // Of device operations; of others the default.
  Phase phase = Phase::kNone;  // Told by ranges, by the thread, or by the order of work.
  std::uint32_t step = Steps::kOutside;
  std::uint32_t name = 0;        // Of the kernel or call as in the trace; "[CUDA memcpy HtoD]".
  std::uint32_t layer = 0;       // All layers around it: "block 3/attention".
  std::uint32_t operation = 0;   // The framework's innermost operation: "aten::addmm";
  EventId operation_range = {};  // its range, which may have recorded the operands' sizes.
};

// Texts by number, each once.
class FactNames {
 public:
  FactNames() { Add(""); }
  std::uint32_t Add(std::string_view text);
  std::string_view operator[](std::uint32_t row) const { return texts_[row]; }

 private:
  std::vector<std::string> texts_;
  std::unordered_map<std::string, std::uint32_t> rows_;
};

// The facts of a graph's tasks, one each, in their order. They are found once,
// for the part of a run that is simulated; an edit hands them on to the graph
// that it makes (plan.h).
struct WorkFacts {
  FactNames names;
  PerTask<WorkFact> of_task;

  const WorkFact& operator[](TaskId task) const { return of_task[task]; }
  std::string_view Name(TaskId task) const { return names[of_task[task].name]; }
  std::string_view Layer(TaskId task) const { return names[of_task[task].layer]; }
  std::string_view Operation(TaskId task) const { return names[of_task[task].operation]; }
};

// `graph` is of the hierarchy's trace, or a part of it.
WorkFacts FindFacts(const TaskGraph& graph, const Hierarchy& hierarchy);

}  // namespace xsp
