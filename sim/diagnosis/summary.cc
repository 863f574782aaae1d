#include "sim/diagnosis/summary.h"

#include <set>
#include <utility>

#include "graph/simulation/scheduler.h"
#include "graph/unit/trace_graph.h"
#include "hierarchy/names/device_number.h"
#include "model/spans.h"

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
  const TraceGraph run(std::move(trace), selection);
  const TaskGraph& graph = run.graph();
  const Unit& unit = run.unit();
  const std::vector<TimeRange> times = MeasuredTimes(run.steps(), unit);
  GuidedReplay guided;
  guided.schedule = SimulateGuided(graph, &guided.answers);
  IdleReport idle = FindIdle(graph, guided.schedule, times);
  TakeMeans(unit, idle);
  const std::optional<EventMask> wanted = EventsOfRanges(run.part());
  const std::vector<WorkPiece> pieces = WorkIn(run.trace(), times, wanted ? &*wanted : nullptr);

  Summary summary = OfRecording(run.trace(), run.window());
  summary.unit = WithoutParts(unit);
  summary.work = SumWork(graph, pieces, unit);
  summary.idle.length = idle.length;
  summary.idle.devices = std::move(idle.devices);
  summary.kernels = GroupKernels(run.hierarchy(), pieces, names, unit);
  summary.habits = HabitsAtFirstLook(graph, run.hierarchy(), unit, times);
  const UnitBench bench(graph, run.steps(), unit);
  summary.trust =
      JudgeTrust(bench, run.steps(), Simulate(bench.graph()), unit.is_step ? nullptr : &guided);
  summary.diagnosis = Diagnose(graph, run.hierarchy(), unit);
  return summary;
}

}  // namespace xsp
