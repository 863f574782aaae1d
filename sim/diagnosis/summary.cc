#include "sim/diagnosis/summary.h"

#include <set>
#include <utility>

#include "graph/simulation/scheduler.h"
#include "hierarchy/names/device_number.h"
#include "model/spans.h"
#include "sim/diagnosis/first_look.h"

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
  summary.missing = trace.info().missing;
  summary.window = window;
  return summary;
}

Unit WithoutParts(Unit unit) {
  unit.parts.clear();
  unit.margins.clear();
  return unit;
}

// What it would gain to change something, all on one workbench.
void AddForecasts(const TaskGraph& graph, const Hierarchy& hierarchy, const Unit& unit,
                  Summary& summary) {
  const Workbench workbench(graph, hierarchy, unit);
  summary.facts = FactsOf(workbench, hierarchy);
  summary.fixes = FindFixes(workbench, summary.diagnosis, summary.facts.is_torch);
  // Gains by a graph that is not to be trusted are none to speak of.
  const bool is_trusted = workbench.trust().level != TrustLevel::kLow;
  const bool is_small = workbench.graph().task_count() <= kMostTasksAtFirstLook;
  if (is_trusted && is_small) SimulateHabits(workbench, summary.habits);
}

}  // namespace

Summary Summarize(Trace trace, const Selection& selection, NameForm names) {
  if (trace.DeviceWork().empty()) {
    const TracePart part = TakePart(std::move(trace), selection);
    Summary summary = OfRecording(part.trace, part.window);
    summary.host = LookAtHost(part.trace);
    return summary;
  }
  return Summarize(TraceGraph(std::move(trace), selection), names);
}

Summary Summarize(const TraceGraph& run, NameForm names) {
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
  if (summary.work.size() > 1) {
    summary.devices = TimesOfDevices(graph, times, summary.work, summary.idle, unit);
  }
  if (unit.is_step) summary.outside = LookOutsideSteps(run.hierarchy());
  if (run.steps().size() == 0) summary.only_layers = run.steps().only_layers;
  summary.collectives = CollectivesIn(graph, run.hierarchy(), times, unit);
  summary.habits = FindHabits(graph, unit, times);
  summary.diagnosis = Diagnose(graph, run.hierarchy(), unit);
  AddForecasts(graph, run.hierarchy(), unit, summary);
  const UnitBench bench(graph, run.steps(), unit);
  summary.trust =
      JudgeTrust(bench, run.steps(), Simulate(bench.graph()), unit.is_step ? nullptr : &guided);
  if (summary.trust.level == TrustLevel::kLow || IsTiny(LookAt(summary))) summary.fixes = {};
  summary.step_kinds = RowsOfKinds(graph, run.hierarchy(), guided.schedule);
  return summary;
}

}  // namespace xsp
