#pragma once

#include <cstddef>
#include <string>

#include "model/names/kernel_names.h"
#include "report/tables/report.h"
#include "sim/diagnosis/summary.h"

namespace xsp {

struct SummaryOptions {
  std::size_t top = 5;         // Kernels that people see; 0: all.
  std::string sort = "total";  // Or mean, longest, count, name.
  NameForm names = NameForm::kShort;
  std::string path;         // Of the trace, as a shell wants it.
  bool has_tokens = false;  // How many tokens a step has was said: MFU follows.
};

// The first look at a trace, on one screen: a verdict, what to change, what devices were busy with
// and why they were idle, which kernels took the time, what to do next.
Report MakeSummaryReport(const Summary& summary, const TraceSource& source,
                         const SummaryOptions& options);

}  // namespace xsp
