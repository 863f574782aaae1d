#pragma once

#include <string>

#include "graph/readings/host_profile.h"
#include "graph/readings/idle.h"
#include "graph/task_graph.h"
#include "report/tables/report.h"

namespace xsp {

struct IdleReportOptions {
  std::size_t top = 10;    // Gaps and activities shown; 0: all.
  DurationNs min_gap = 0;  // Gaps below this are not listed (they count all the same).
};

// When and why devices did nothing, and what the host did meanwhile. Refers to what it is given.
Report MakeIdleReport(const TaskGraph& graph, const IdleAnalysis& analysis,
                      const OpenRanges& ranges, const TraceSource& source, const Window& window,
                      const IdleReportOptions& options);

}  // namespace xsp
