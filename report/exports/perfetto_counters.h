#pragma once

#include <cstdint>

#include "graph/task_graph.h"
#include "model/trace.h"
#include "report/exports/perfetto_packets.h"

namespace xsp {

// Writes what a trace counts over time: work that was issued and is not done yet, by process (with
// a graph); device memory in use, by device; sampled metrics. Times are less `origin`. Returns how
// many values were written.
std::uint64_t WritePerfettoCounters(const Trace& trace, const TaskGraph* graph, TimeNs origin,
                                    PerfettoPackets& packets);

}  // namespace xsp
