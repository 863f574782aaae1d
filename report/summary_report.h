#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "graph/idle.h"
#include "hierarchy/kernel_names.h"
#include "model/trace.h"
#include "report/report.h"

namespace xsp {

// A command worth running next, and why.
struct NextStep {
  std::string command;
  std::string why;
};

struct SummaryOptions {
  std::size_t top = 10;        // Kernels shown; 0: all.
  std::string sort = "total";  // Or mean, longest, count, name.
  NameForm names = NameForm::kShort;
  std::vector<NextStep> next;
  const IdleReport* idle = nullptr;  // Why devices did nothing; none: not looked into.
};

// The first look at a trace: what was recorded, how busy each device was, why it was idle, which
// kernels took the time, what to try next. Kernels with one name are one row per device; ties go by
// device and name.
Report MakeSummaryReport(const Trace& trace, const TraceSource& source, const Window& window,
                         const SummaryOptions& options);

}  // namespace xsp
