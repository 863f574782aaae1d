#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "graph/task_graph.h"
#include "sim/edit/edit.h"

namespace xsp::proof {

// What became of a copy, as whoever changes the program knows it.
struct NewCopy {
  DurationNs duration = 0;
  DurationNs call = 0;  // Own cost of its call.
};

// An edit whose tasks are chosen by a part of their event's name; "" fits all.
class Edit : public GraphEdit {
 public:
  using GraphEdit::GraphEdit;

  // Operations of a kind take `factor` of their time.
  void ScaleOps(TaskKind kind, std::string_view part_of_name, double factor);
  void ScaleKernels(std::string_view part_of_name, double factor) {
    ScaleOps(TaskKind::kKernel, part_of_name, factor);
  }
  // Calls cost `factor` of what such a call usually costs, and one-time costs stay.
  void ScaleCalls(std::string_view part_of_name, double factor);
  // Untraced host time.
  void ScaleGaps(double factor);
  void ScaleLoads(double factor);
  // Calls do not happen, nor what they issue; the first `skipped` stay.
  void RemoveCalls(std::string_view part_of_name, std::uint32_t skipped = 0);
  // Copies no longer hold their calls; `change` says what they take.
  void MakeCopiesAsync(OpClass direction,
                       const std::function<NewCopy(std::uint64_t bytes)>& change);
  // Operations on the n-th stream (in the order of their numbers) go to another.
  void MergeStreams(std::uint32_t from, std::uint32_t to);

 private:
  bool Fits(TaskId task, std::string_view part_of_name) const;
};

// What one would expect without a graph: the measured GPU span, with every duration that the edit
// changes (as measured, waits included) added or taken off and nothing scheduled anew; at least 0.
DurationNs NaiveForecast(const TaskGraph& graph, const EditedGraph& edited);

}  // namespace xsp::proof
