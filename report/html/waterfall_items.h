#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/task_graph.h"
#include "hierarchy/hierarchy.h"
#include "model/names/kernel_names.h"
#include "report/html/packed.h"

namespace xsp {

// A bar of a waterfall: an event of the trace, on the track where it happened.
struct WaterfallItem {
  EventId event;
  TaskId task;  // None for what is no task: ranges.
};

// What a waterfall of a part of the time shows of a trace: device work, CUDA calls, ranges, calls
// of libraries and MPI; of the operating system what others wait for, and what takes long. By
// track, then by begin, who holds another first.
class WaterfallItems {
 public:
  // `graph` may be null.
  WaterfallItems(const Hierarchy& hierarchy, const TaskGraph* graph, TimeRange part);

  const std::vector<WaterfallItem>& list() const { return items_; }
  TimeRange part() const { return part_; }
  // The row of a task in the list; -1 for what is not shown.
  std::int64_t RowOf(TaskId task) const;

  // Columns, with the tracks in the order in which they are shown.
  Json ToJson(PackedTexts& texts) const;

 private:
  void Collect(EventKind kind);
  bool IsShown(EventId event, EventKind kind) const;
  Json TracksToJson() const;
  std::string NameOfTrack(TrackId track) const;

  const Hierarchy& hierarchy_;
  const Trace& trace_;
  TimeRange part_;
  std::vector<WaterfallItem> items_;
  std::vector<TrackId> tracks_;       // Those that have items: by process, streams first.
  std::vector<std::uint32_t> place_;  // Per track: its place among them.
  PerTask<std::uint32_t> row_;        // Per task.
  std::vector<TaskId> task_of_;       // Per event; empty without a graph.
};

}  // namespace xsp
