#include "report/summary/summary.h"

#include <set>
#include <utility>

#include "graph/builder.h"
#include "graph/simulation/scheduler.h"
#include "graph/unit/graph_part.h"
#include "model/spans.h"
#include "report/summary/devices.h"

namespace xsp {
namespace {

std::uint32_t MultiprocessorsOf(const Trace& trace) {
  std::set<std::uint32_t> counts;
  for (const Track& track : trace.tracks()) {
    if (track.kind != TrackKind::kStream) continue;
    const bool is_known =
        track.gpu.valid() && trace.gpus()[track.gpu.value].sm_count != kMissing<std::uint32_t>;
    counts.insert(is_known ? trace.gpus()[track.gpu.value].sm_count : 0);
  }
  return counts.size() == 1 ? *counts.begin() : 0;
}

// What was recorded, whether or not a device did anything.
Summary OfRecording(const Trace& trace, const Window& window) {
  Summary summary;
  summary.gpus = GpuWords(trace);
  if (const auto span = ProgramSpan(trace)) summary.program = span->Length();
  if (const auto span = GpuSpan(trace)) summary.gpu_span = span->Length();
  summary.multiprocessors = MultiprocessorsOf(trace);
  summary.format = trace.info().format;
  if (!trace.info().missing.empty()) summary.missing = trace.info().missing.front();
  summary.window = window;
  return summary;
}

Unit WithoutParts(Unit unit) {
  unit.parts.clear();
  unit.margins.clear();
  return unit;
}

}  // namespace

Summary Summarize(Trace trace, const Selection& selection, NameForm names) {
  if (trace.DeviceWork().empty()) {
    const TracePart part = TakePart(std::move(trace), selection);
    return OfRecording(part.trace, part.window);
  }
  GraphPart part = ChooseGraphPart(std::move(trace), selection);
  const TaskGraph graph = BuildGraph(*part.trace, *part.hierarchy);
  const Unit unit = UnitOf(graph, part);
  const std::vector<TimeRange> times = MeasuredTimes(part.steps(), unit);
  IdleReport idle = FindIdle(graph, SimulateGuided(graph), times);
  TakeMeans(unit, idle);
  const std::optional<EventMask> wanted = EventsOfRanges(part);
  const std::vector<WorkPiece> pieces = WorkIn(*part.trace, times, wanted ? &*wanted : nullptr);

  Summary summary = OfRecording(*part.trace, part.window);
  summary.unit = WithoutParts(unit);
  summary.work = SumWork(graph, pieces, unit);
  summary.idle.length = idle.length;
  summary.idle.devices = std::move(idle.devices);
  summary.kernels = GroupKernels(*part.hierarchy, pieces, names, unit);
  summary.habits = HabitsAtFirstLook(graph, *part.hierarchy, unit, times);
  return summary;
}

}  // namespace xsp
