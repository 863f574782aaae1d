#pragma once

#include <string>

#include "cli/inputs/open_trace.h"
#include "hierarchy/selection/selection.h"
#include "model/names/kernel_rules.h"
#include "model/progress.h"
#include "report/tables/json.h"

namespace xsp {

// What a page shall show of a trace.
struct TracePageOptions {
  Selection selection = {};  // Steps only.
  const KernelRules* rules = &KernelRules::BuiltIn();
  bool with_forecasts = true;  // Leverage, advice, what-ifs; else only what was measured.
  bool with_hosts = false;     // Paths and hosts as they are in the trace.
  bool quiet = false;
  std::size_t budget = 0;  // Bytes, about.
};

// Reads a trace and asks all that a page shows of it: the documents of the commands, the tree and
// the waterfalls as columns. A trace without device work has fewer of them. Throws Error.
Json TracePage(const std::string& path, const TracePageOptions& options, Progress* progress);

}  // namespace xsp
