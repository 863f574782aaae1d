#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "graph/device_work.h"
#include "graph/idle.h"
#include "graph/unit.h"
#include "hierarchy/kernel_names.h"
#include "hierarchy/steps.h"
#include "report/report.h"
#include "sim/habits.h"

namespace xsp {

struct SummaryOptions {
  std::size_t top = 5;         // Kernels that people see; 0: all.
  std::string sort = "total";  // Or mean, longest, count, name.
  NameForm names = NameForm::kShort;
  std::string path;  // Of the trace, as a shell wants it.
};

// What the first look at work of devices found, all of the same times. Where the unit is a step,
// idle time is a mean over its steps.
struct SummaryFigures {
  const TaskGraph& graph;
  const Steps& steps;
  const Unit& unit;
  const IdleReport& idle;
  const std::vector<WorkPiece>& pieces;
  const std::vector<Habit>& habits;
};

// The first look at a trace, on one screen: a verdict, the step, what devices were busy with and
// why they were idle, which kernels took the time, what to do next.
Report MakeSummaryReport(const SummaryFigures& figures, const TraceSource& source,
                         const Window& window, const SummaryOptions& options);

// The same for a trace, or a part of one, in which no device did anything.
Report MakeHostSummaryReport(const Trace& trace, const TraceSource& source, const Window& window,
                             const SummaryOptions& options);

}  // namespace xsp
