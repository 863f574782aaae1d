#include "diff/runs/measure.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "base/interrupt.h"
#include "diff/runs/input_sizes.h"
#include "diff/runs/kept_steps.h"
#include "diff/runs/numbered_ranges.h"
#include "diff/runs/peak_memory.h"
#include "diff/runs/run_places.h"
#include "graph/readings/critical_path.h"
#include "graph/simulation/scheduler.h"
#include "graph/unit/step_borders.h"
#include "graph/unit/unit.h"
#include "hierarchy/selection/filters.h"
#include "model/spans.h"

namespace xsp {
namespace {

CostKind KindOf(PathKind kind) {
  switch (kind) {
    case PathKind::kKernel:
    case PathKind::kMemset:
    case PathKind::kGraph:
      return CostKind::kDevice;
    case PathKind::kCollective:
      return CostKind::kCommunication;
    case PathKind::kCopy:
      return CostKind::kCopy;
    case PathKind::kSubmit:
    case PathKind::kLaunch:
    case PathKind::kQueueTail:
      return CostKind::kLaunch;
    case PathKind::kSyncTail:
    case PathKind::kCopyTail:
      return CostKind::kSync;
    case PathKind::kOneTime:
      return CostKind::kOneTime;
    case PathKind::kStreamGap:
    case PathKind::kThreadHandoff:
    case PathKind::kThreadWait:
    case PathKind::kTimer:
    case PathKind::kOsWait:
      return CostKind::kIdle;
    case PathKind::kCall:
    case PathKind::kAllocation:
    case PathKind::kDataLoading:
    case PathKind::kHostGap:
    case PathKind::kOffCpu:
    case PathKind::kStart:
      return CostKind::kHost;
  }
  return CostKind::kHost;
}

RunFactsheet FactsOf(const Trace& trace) {
  const TraceInfo& info = trace.info();
  RunFactsheet facts;
  facts.driver = info.driver_version;
  facts.cuda = info.cuda_version;
  facts.cpu = info.cpu;
  facts.os = info.os;
  facts.recorder = info.tool_version;
  facts.format = info.format;
  facts.partial = info.partial;
  facts.has_calls = !trace.OfKind(EventKind::kApi).empty();
  facts.whole_graphs = !trace.OfKind(EventKind::kGraphSpan).empty();
  facts.has_kernels = facts.whole_graphs || !trace.OfKind(EventKind::kKernel).empty();
  std::set<ProcessId> processes;
  std::set<std::pair<ProcessId, std::uint32_t>> devices;
  std::set<GpuId> gpus;
  std::vector<std::uint8_t> has_work(trace.tracks().size());
  for (EventId work : trace.DeviceWork()) has_work[trace.track_of(work).value] = 1;
  for (std::uint32_t i = 0; i < has_work.size(); ++i) {
    if (has_work[i] == 0) continue;
    const Track& track = trace.track(TrackId(i));
    processes.insert(track.process);
    devices.insert({track.process, track.device});
    if (track.gpu.valid()) gpus.insert(track.gpu);
  }
  facts.processes = static_cast<std::uint32_t>(processes.size());
  facts.devices = static_cast<std::uint32_t>(devices.size());
  for (GpuId id : gpus) {
    const Gpu& gpu = trace.gpus()[id.value];
    if (gpu.name.valid()) facts.gpus.emplace_back(trace.strings()[gpu.name]);
    if (gpu.uuid.valid()) facts.cards.emplace_back(trace.strings()[gpu.uuid]);
    if (gpu.clock_hz != kMissing<std::uint64_t>) facts.clocks.push_back(gpu.clock_hz);
  }
  std::sort(facts.gpus.begin(), facts.gpus.end());
  std::sort(facts.cards.begin(), facts.cards.end());
  std::sort(facts.clocks.begin(), facts.clocks.end());
  return facts;
}

class Measurer {
 public:
  Measurer(const TaskGraph& graph, const Hierarchy& hierarchy, std::string name,
           const MeasureOptions& options)
      : graph_(graph), hierarchy_(hierarchy), trace_(hierarchy.trace()) {
    run_.name = std::move(name);
    run_.facts = FactsOf(trace_);
    if (trace_.DeviceWork().empty()) {
      throw Error(run_.name + " holds no work of a GPU: there is nothing to compare",
                  "xsp info TRACE shows what was recorded");
    }
    if (!options.as_span) kept_ = StepsToCompare(hierarchy.steps(), options.steps);
    run_.facts.input_shape = InputSizes(trace_, FirstUnit());
    run_.facts.in_ranges = ShareInNamedRanges(trace_, hierarchy.ranges());
    run_.facts.ranges_left_out = options.ranges_left_out;
  }

  Run Measure() {
    const PathTotals totals(hierarchy_, {kept_ ? StepSet(kept_->steps()) : StepSet(), true, true,
                                         RankSplit::kDevice, false, true});
    CheckInterrupt();
    RunPlaces places(totals, kept_, run_);
    sample_of_ = SamplesOfSteps(kept_, hierarchy_.steps().size());
    run_.is_step = kept_.has_value();
    run_.step_source = hierarchy_.steps().source;
    run_.period = kept_ ? kept_->per_sample : 1;
    run_.steps = kept_ ? kept_->set : CountSteps(hierarchy_.steps());
    AddKinds();
    const std::size_t samples = kept_ ? kept_->steps().size() / kept_->per_sample : 1;
    run_.unit_ns.assign(samples, 0);
    run_.residual_ns.assign(samples, 0);
    run_.one_time_ns.assign(samples, 0);
    AddFigures(totals, samples);
    CheckInterrupt();
    AddPaths(places);
    run_.peak_memory = PeakDeviceMemory(trace_);
    if (const auto span = GpuSpan(trace_)) run_.span_ns = span->Length();
    if (const auto span = ProgramSpan(trace_)) {
      run_.wall_ns = span->Length();
      if (run_.facts.has_calls) run_.program_one_time_ns = hierarchy_.steps().one_time.In(*span);
    }
    AddRanges();
    return std::move(run_);
  }

 private:
  // The time of the first kept step; without steps, all of it.
  TimeRange FirstUnit() const {
    if (kept_) return hierarchy_.steps().steps[kept_->steps().front()].time;
    return {std::numeric_limits<TimeNs>::min(), std::numeric_limits<TimeNs>::max()};
  }

  std::uint32_t SampleOf(std::uint32_t step) const {
    if (!kept_) return 0;
    return step == Steps::kOutside ? kNoSample : sample_of_[step];
  }

  // What else could be compared.
  void AddKinds() {
    const Steps& steps = hierarchy_.steps();
    if (!run_.steps.kind.empty()) run_.batches = BatchesOf(steps, run_.steps);
    for (const StepKindFacts& kind : steps.kinds) {
      if (steps.Counted(kind.name).size() >= kStepsForUnit) run_.kinds.push_back(kind.name);
    }
  }

  // Figures of the unit as a whole.
  void AddFigures(const PathTotals& totals, std::size_t samples) {
    run_.busy_ns.assign(samples, 0);
    run_.launches.assign(samples, 0);
    run_.kernels.assign(samples, 0);
    run_.syncs.assign(samples, 0);
    for (const PathSample& sample : totals.Samples(PathId(0u))) {
      const std::uint32_t at = SampleOf(sample.step);
      run_.busy_ns[at] += sample.device_busy;
      run_.launches[at] += sample.launches;
    }
    for (EventId kernel : trace_.OfKind(EventKind::kKernel)) {
      const std::uint32_t at = SampleOf(hierarchy_.StepOfWork(kernel));
      if (at != kNoSample) ++run_.kernels[at];
    }
    for (TaskId task : graph_.host_tasks()) {
      if (graph_.kind[task] != TaskKind::kCall || !IsWait(graph_.question[task].ask)) continue;
      const std::uint32_t at = SampleOf(hierarchy_.StepOfCall(graph_.event[task]));
      if (at != kNoSample) ++run_.syncs[at];
    }
  }

  std::uint32_t StepOfRange(EventId range) const {
    return hierarchy_.steps().StepAt(trace_.process_of(range), trace_.begin(range));
  }

  // How long ranges of each name were open, by the step in which they began.
  void AddRanges() {
    const NameTable& names = hierarchy_.names();  // An operator's text holds numbers, its name not.
    std::unordered_map<std::uint32_t, std::vector<RangeSample>> by_id;
    for (EventKind kind : {EventKind::kNvtxPushPop, EventKind::kNvtxStartEnd}) {
      for (EventId range : trace_.OfKind(kind)) {
        const std::uint32_t at = SampleOf(StepOfRange(range));
        if (at == kNoSample) continue;
        auto& samples = by_id[names.OfRange(trace_.name_of(range)).name.value];
        // Ranges of a kind are in order of time; those of a name mostly follow step by step.
        if (samples.empty() || samples.back().step != at) samples.push_back({0, at, 0});
        samples.back().ns += trace_.duration(range);
      }
    }
    RangesByName by_name;
    for (const auto& [id, samples] : by_id) {
      auto& all = by_name[std::string(names.Text(NameId(id)))];
      all.insert(all.end(), samples.begin(), samples.end());
    }
    for (const auto& [name, samples] : JoinNumbered(std::move(by_name))) {
      const auto row = static_cast<std::uint32_t>(run_.range_names.size());
      run_.range_names.push_back(name);
      for (const RangeSample& sample : samples) {
        run_.ranges.push_back({row, sample.step, sample.ns});
      }
    }
  }

  // The critical paths of all kept steps in one replay of the whole run.
  void AddPaths(RunPlaces& places) {
    const Schedule replay = Simulate(graph_);
    if (!kept_) {
      const Unit unit = SpanUnit(graph_);
      run_.unit_ns[0] = unit.measured;
      AddOneTime(unit.time, 0);
      const std::vector<SimSpan> spans = SpansOf(graph_, replay, hierarchy_.steps(), unit);
      AddPath(FindCriticalPaths(graph_, replay, spans).front(), 0, places);
      run_.residual_ns[0] += unit.measured;
    } else {
      const std::uint32_t first = kept_->steps().front();
      const std::uint32_t count = kept_->steps().back() - first + 1;
      std::vector<SimSpan> spans = StepBorders(graph_, hierarchy_.steps(), first, count).In(replay);
      std::vector<SimSpan> kept_spans;
      for (std::uint32_t step : kept_->steps()) kept_spans.push_back(spans[step - first]);
      const std::vector<CriticalPath> paths = FindCriticalPaths(graph_, replay, kept_spans);
      for (std::size_t i = 0; i < paths.size(); ++i) {
        const std::uint32_t at = sample_of_[kept_->steps()[i]];
        const DurationNs measured = hierarchy_.steps().steps[kept_->steps()[i]].time.Length();
        run_.unit_ns[at] += measured;
        AddOneTime(hierarchy_.steps().steps[kept_->steps()[i]].time, at);
        run_.residual_ns[at] += measured;
        AddPath(paths[i], at, places);
      }
    }
    SortPath();
  }

  void AddOneTime(TimeRange time, std::uint32_t sample) {
    const OneTimeSums by_reason = hierarchy_.steps().one_time.ByReason({time});
    for (std::size_t i = 0; i < by_reason.size(); ++i) {
      run_.one_time_ns[sample] += by_reason[i];
      run_.one_time_by[i] += by_reason[i];
    }
  }

  void AddPath(const CriticalPath& path, std::uint32_t sample, RunPlaces& places) {
    for (const PathSegment& segment : path.segments) {
      const DurationNs ns = segment.end - segment.begin;
      if (ns == 0) continue;
      run_.path.push_back({PlaceOf(segment, places), KindOf(segment.kind), sample, ns});
      run_.residual_ns[sample] -= ns;
    }
  }

  std::uint32_t PlaceOf(const PathSegment& segment, RunPlaces& places) const {
    if (!segment.task.valid()) return 0;
    const TaskId task = segment.task;
    const EventId event = graph_.event[task];
    if (!graph_.IsHost(task)) return places.OfWork(event);
    if (graph_.kind[task] == TaskKind::kLoad) {
      const NameTable& names = hierarchy_.names();
      return places.Phase(names.Text(names.OfRange(trace_.name_of(event)).name));
    }
    if (graph_.kind[task] != TaskKind::kCall) return 0;
    const std::uint32_t place = places.OfCall(event);
    // Untraced time is the range's, not the next call's.
    const bool is_gap = segment.kind == PathKind::kHostGap || segment.kind == PathKind::kOffCpu ||
                        segment.kind == PathKind::kThreadHandoff;
    return is_gap && run_.places[place].IsCall() ? run_.places[place].parent : place;
  }

  void SortPath() {
    auto key = [](const PathCost& c) { return std::tuple(c.place, c.kind, c.step); };
    std::stable_sort(run_.path.begin(), run_.path.end(),
                     [&](const PathCost& a, const PathCost& b) { return key(a) < key(b); });
    std::size_t last = 0;
    for (std::size_t i = 1; i < run_.path.size(); ++i) {
      if (key(run_.path[last]) == key(run_.path[i])) {
        run_.path[last].ns += run_.path[i].ns;
      } else {
        run_.path[++last] = run_.path[i];
      }
    }
    if (!run_.path.empty()) run_.path.resize(last + 1);
  }

  const TaskGraph& graph_;
  const Hierarchy& hierarchy_;
  const Trace& trace_;
  std::optional<KeptSteps> kept_;
  std::vector<std::uint32_t> sample_of_;  // By step.
  Run run_;
};

}  // namespace

Run MeasureRun(const TaskGraph& graph, const Hierarchy& hierarchy, std::string name,
               const MeasureOptions& options) {
  return Measurer(graph, hierarchy, std::move(name), options).Measure();
}

}  // namespace xsp
