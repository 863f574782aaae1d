#pragma once

#include <string>
#include <vector>

#include "cli/inputs/open_trace.h"
#include "diff/runs/run.h"
#include "hierarchy/selection/selection.h"
#include "model/names/kernel_rules.h"
#include "model/progress.h"
#include "report/tables/json.h"

namespace xsp {

// What a page shall show of a trace.
struct TracePageOptions {
  Selection selection = {};  // Steps only.
  const KernelRules* rules = &KernelRules::BuiltIn();
  bool with_forecasts = true;   // Leverage, advice, what-ifs; else only what was measured.
  bool for_comparison = false;  // Also measures it. Throws Error for a trace without device work.
  bool with_hosts = false;      // Paths and hosts as they are in the trace.
  bool quiet = false;
  std::size_t budget = 0;  // Bytes, about.
};

// A trace as a page shows it: the documents of the commands, the tree and the waterfalls as
// columns. One without device work has fewer of them.
struct TracePage {
  Json data;
  TraceSource source;
  // For a comparison, where asked for: measured by its steps, and by its GPU span.
  std::vector<Run> runs;
};

// Reads a trace and asks all that a page shows of it. Throws Error.
TracePage MakeTracePage(const std::string& path, const TracePageOptions& options,
                        Progress* progress);

}  // namespace xsp
