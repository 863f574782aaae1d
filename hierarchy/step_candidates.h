#pragma once

#include <cstdint>
#include <vector>

#include "hierarchy/host_ranges.h"
#include "hierarchy/name_table.h"
#include "hierarchy/steps.h"
#include "model/trace.h"

// The ways to find the host part of steps in one process. Each gives steps in order of time, none
// overlapping, or nothing.
namespace xsp {

// A process's device work in the order of its launches.
struct LaunchedWork {
  std::vector<EventId> work;   // Kernels and whole graphs, by launch, then by begin.
  std::vector<TimeNs> launch;  // Begin of the call; of the work itself where no call is known.
};
std::vector<LaunchedWork> LaunchOrder(const Trace& trace);  // By process.

// Ranges whose names speak of steps.
std::vector<HostStep> StepsFromNames(const Trace& trace, const HostRanges& ranges,
                                     const NameTable& names, ProcessId process);

// Outermost ranges of the main thread whose names come again in the same order.
std::vector<HostStep> StepsFromRepeatedRanges(const Trace& trace, const HostRanges& ranges,
                                              const NameTable& names, ProcessId process);

// The same kernels, by name and launch shape, come again in the same order.
std::vector<HostStep> StepsFromRepeatedKernels(const Trace& trace, const LaunchedWork& work,
                                               ProcessId process);

}  // namespace xsp
