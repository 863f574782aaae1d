#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph/readings/device_work.h"
#include "graph/readings/idle.h"
#include "graph/readings/kernel_sums.h"
#include "graph/trust/trust.h"
#include "graph/unit/trace_graph.h"
#include "graph/unit/unit.h"
#include "hierarchy/selection/selection.h"
#include "model/names/kernel_names.h"
#include "model/trace.h"
#include "model/trace_info.h"
#include "sim/diagnosis/diagnosis.h"
#include "sim/diagnosis/fixes.h"
#include "sim/diagnosis/habits.h"
#include "sim/diagnosis/host_look.h"
#include "sim/diagnosis/outside_steps.h"
#include "sim/diagnosis/ranks_look.h"
#include "sim/diagnosis/step_kinds.h"
#include "sim/diagnosis/unit_facts.h"

namespace xsp {

// All that the first look at a trace shows, without the trace.
struct Summary {
  std::string gpus;  // "2 x A100"; empty where the trace does not say.
  std::optional<DurationNs> program;
  std::optional<DurationNs> gpu_span;
  std::uint32_t multiprocessors = 0;  // Of each GPU that worked; 0: unknown, or not the same.
  std::string format;                 // As in TraceInfo: what another recording is made with,
  std::vector<MissingData> missing;   // and what it would tell, the most important first.
  Window window;
  HostLook host;  // Only where the whole trace has no work of a device.

  // From here on nothing where no device did anything. All is of the same times: those of the unit,
  // where that is a step as means.
  Unit unit;  // Without parts.
  std::vector<DeviceWork> work;
  IdleReport idle;                     // Of the same devices; without gaps and hosts.
  std::vector<SummaryKernel> kernels;  // By device and name.
  std::vector<Habit> habits;
  Trust trust;
  Diagnosis diagnosis;
  Fixes fixes;
  UnitFacts facts;
  OutsideSteps outside;              // Where the unit is a step.
  std::string only_layers;           // What repeats are layers, no steps: Steps::only_layers.
  std::vector<DeviceTimes> devices;  // Of several devices, in the order of `work`.
  std::vector<CollectiveSum> collectives;
  std::vector<StepKindRow> step_kinds;  // None where frameworks tell no kinds.
};

// The first look at the part of a trace that was asked for; part and unit are those of idle,
// critical-path and leverage. Throws Error for what is not in the trace.
Summary Summarize(Trace trace, const Selection& selection, NameForm names);
// The same for whoever has the graph of that part already.
Summary Summarize(const TraceGraph& run, NameForm names);

}  // namespace xsp
