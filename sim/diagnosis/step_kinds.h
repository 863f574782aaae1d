#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph/readings/idle.h"
#include "graph/task_graph.h"
#include "hierarchy/hierarchy.h"

namespace xsp {

// What the host does around the model, as its framework names it; by call where it names nothing.
struct HostPhase {
  std::string what;        // "schedule", "prepare", "sample", "output", ...; "cudaGraphLaunch".
  DurationNs ns = 0;       // In a typical step,
  DurationNs exposed = 0;  // and of that while no device was at work.
};

// The steps of one kind, as the first look shows them.
struct StepKindRow {
  std::string kind;
  std::string framework;      // Whose texts tell it: "vLLM".
  std::uint32_t count = 0;    // Of all that were found,
  std::uint32_t counted = 0;  // and of those that the figures are means over.
  std::optional<DurationNs> typical;
  // Of the warm ones, outliers included: half of them are shorter than p50. From 20 on p95, from
  // 100 on p99: fewer do not tell.
  std::optional<DurationNs> p50, p95, p99;
  // Of a typical step; nothing where its framework does not tell.
  std::optional<std::uint64_t> requests, tokens;
  std::optional<double> tokens_per_s;
  // Of a typical step, the mean of the devices; causes sum to the idle time.
  std::optional<DurationNs> busy, idle;
  std::array<DurationNs, kIdleCauseCount> causes{};
  // From the last device work of such a step to the first of the next one, whatever its kind.
  std::optional<DurationNs> gap;
  std::array<DurationNs, kIdleCauseCount> gap_causes{};  // Sum to the gap.
  std::vector<HostPhase> host;  // The mean of the processes; those that are exposed most first.
  bool host_by_call = false;
  std::uint32_t processes = 0;  // That take part in such steps.
  bool lacks_layers = false;    // Most of its device time is in kernels of CUDA graphs, unnamed.
};

// A row for each kind, those that took most time first; none where frameworks tell no kinds.
// `guided` comes from SimulateGuided.
std::vector<StepKindRow> RowsOfKinds(const TaskGraph& graph, const Hierarchy& hierarchy,
                                     const Schedule& guided);

}  // namespace xsp
