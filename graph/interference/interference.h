#pragma once

#include <cstdint>
#include <vector>

#include "graph/simulation/scheduler.h"
#include "graph/task_graph.h"

namespace xsp {

// Kernels of one device that run at the same time take from each other.
//
// Room (room.h): a multiprocessor holds so many blocks, threads, registers and so much shared
// memory. Kernels whose blocks do not fit beside each other take turns, whatever their streams.
// Where kernels overlapped in the trace, what each would take alone is what it got of the device in
// that time; so a replay, in which they overlap alike, takes what was measured.
//
// Beyond room (LearnInterference): a collective holds multiprocessors and memory bandwidth, and so
// does a kernel of another stream. How much longer a kernel takes beside them is read off the
// trace, and only where it shows both: kernels of one name, grid and block alone and in company (20
// beside other kernels), clearly apart. All others take what they took.
//
// A simulation gives an operation its finish when it is issued, before it is known what will run
// beside it. So it is repeated: each time with the durations that follow from running each device's
// operations beside each other as the time before had them, until they hardly change. What it
// cannot tell: how much slower the collective gets, and whether it makes a difference which kernel
// is beside.

// Whether some durations depend on what runs beside.
bool HasInterference(const TaskGraph& graph, const Overlay& overlay);

// What tasks take in the company that they find if they begin as in a schedule, but whatever that
// has bound to the end of another operation of its device moves with it; `own` is what they take in
// the company that they were measured in.
PerTask<DurationNs> OwnInCompany(const TaskGraph& graph, const PerTask<DurationNs>& own,
                                 const Schedule& schedule);

// Time that kernels spent beside a collective, or beside kernels of other streams, and how much of
// it belongs to kernels of which the trace shows how much longer they took.
struct CompanyTime {
  DurationNs total = 0;
  DurationNs learned = 0;
};
CompanyTime MeasuredCompany(const TaskGraph& graph);

}  // namespace xsp
