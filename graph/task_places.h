#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graph/readings/open_ranges.h"
#include "graph/task_graph.h"
#include "hierarchy/hierarchy.h"
#include "hierarchy/layers.h"

namespace xsp {

// Where the tasks of a graph belong: the layer of the model and the range of the host. Device
// operations belong where their launch was made, what an edit put in where the call that it follows
// does. Reads the graph's hierarchy; texts stay valid as long as this does.
class TaskPlaces {
 public:
  explicit TaskPlaces(const TaskGraph& graph);

  bool IsHost(TaskId task) const { return graph_.IsHost(task); }
  // "forward/block 3": the layer it is in (see LayerMap); empty where there is none.
  std::string_view Layer(TaskId task) const;
  // The innermost range, without sequence numbers and ids: "aten::addmm"; empty where there is
  // none.
  std::string_view Range(TaskId task) const;
  // Whether that range was open on the thread of the task's call, and not just on the main thread.
  bool RangeIsOwn(TaskId task) const;

  // What was open during the untraced time before a host task: ranges, MPI and operating-system
  // calls. In order; the pieces fill it. The range of the call that ends it says nothing about it.
  std::vector<OpenRanges::Piece> GapBefore(TaskId host) const;

  // "gemm", "optimizer", ...; of device operations.
  std::string_view Class(TaskId op) const;

 private:
  void FindNeighbours();
  // The node that a task belongs to; none where only its thread is known.
  NodeId NodeOf(TaskId task) const;
  // The host task that says where a task belongs.
  TaskId HostOf(TaskId task) const;
  KernelClass ClassOfNew(TaskId op) const;

  const TaskGraph& graph_;
  const Hierarchy& hierarchy_;
  const LayerMap layers_;
  const OpenRanges open_;
  // By LayerMap::NumberOf; empty for what is no layer, or has no task.
  std::vector<std::string> layer_paths_;
  // Where an edit put something in: per host task the one whose place it shares, and per label the
  // class of a kernel of that name.
  PerTask<TaskId> neighbour_;
  std::vector<KernelClass> label_classes_;
};

}  // namespace xsp
