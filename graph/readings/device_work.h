#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/task_graph.h"
#include "graph/unit/unit.h"
#include "model/select.h"

namespace xsp {

// What a device was busy with, from farther away than single kernels.
enum class WorkKind : std::uint8_t {
  kKernels = 0,  // Of one class.
  kTransfer,     // Collectives: from when the last rank had come,
  kWaiting,      // and the time before, in which kernels of the others waited for it.
  kCollectives,  // Those of which only one rank was recorded: the two cannot be told apart.
  kCopies,       // Of one direction and kind of host memory.
  kMigrations,   // Of unified memory, of one direction.
  kMemsets,
  kGraphs,     // CUDA graphs traced as one piece.
  kElsewhere,  // What was not launched in the range that was asked for.
};

// A piece of device work within the times that are looked at.
struct WorkPiece {
  EventId event;
  DurationNs ns = 0;       // Of its time, what lies in there.
  bool begins = false;     // It begins in there: it counts.
  bool elsewhere = false;  // It was launched outside of the range that was asked for.
};

// Device work that has a part in these times, which follow each other; by event. `launched` tells
// what counts as launched there; null: all.
std::vector<WorkPiece> WorkIn(const Trace& trace, const std::vector<TimeRange>& times,
                              const EventMask* launched);

// All work of one kind on one device.
struct WorkRow {
  WorkKind kind = WorkKind::kKernels;
  std::string what;         // "kernels: gemm", "copies: HtoD pageable", "memsets".
  DurationNs ns = 0;        // Summed: work that runs at the same time counts several times.
  std::uint32_t count = 0;  // Operations.
  std::uint64_t bytes = 0;  // Of copies, migrations and memsets.
};

struct DeviceWork {
  std::uint32_t number = 0;   // As people know the device.
  std::string name;           // Of the GPU; empty where the trace does not say.
  std::vector<WorkRow> rows;  // The longest first; ties by kind and name.

  DurationNs Sum() const;
};

// By device, in the order of IdleReport::devices. Where the unit is a step, times are means over
// its steps. Each device's rows sum to at least its busy time.
std::vector<DeviceWork> SumWork(const TaskGraph& graph, const std::vector<WorkPiece>& pieces,
                                const Unit& unit);

}  // namespace xsp
