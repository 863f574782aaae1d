#pragma once

#include <algorithm>

#include "graph/task_graph.h"
#include "hierarchy/steps/steps.h"

namespace xsp {

// Whether no step waits for what a thread launches: it runs beside them, or all of its process
// does.
inline bool IsBeside(const Steps& steps, const GraphThread& thread) {
  return std::any_of(steps.beside.begin(), steps.beside.end(), [&](const WorkBeside& work) {
    return work.process == thread.process && (work.thread == thread.track || !work.thread.valid());
  });
}

}  // namespace xsp
