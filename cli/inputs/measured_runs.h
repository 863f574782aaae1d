#pragma once

#include <string>
#include <utility>
#include <vector>

#include "diff/runs/run.h"
#include "hierarchy/selection/selection.h"
#include "model/names/kernel_rules.h"
#include "model/progress.h"
#include "report/tables/report.h"

namespace xsp {

// A trace that was read, measured for a comparison, and let go again.
struct ComparedRun {
  Run run;
  TraceSource source;
};

// How to read and measure the traces of a comparison.
struct MeasureSettings {
  Selection selection;
  const KernelRules* rules = nullptr;
  bool quiet = false;
};

// Reads and measures traces, in the order given. Reading one goes on while the one before is being
// measured; no more than two are in memory at a time. All runs of the result speak of the same
// unit: where not all have steps found in the same way, of the GPU span. Throws Error.
std::vector<ComparedRun> MeasureTraces(const std::vector<std::string>& paths,
                                       const MeasureSettings& settings, Progress* progress);

}  // namespace xsp
