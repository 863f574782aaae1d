#include "sim/diagnosis/step_kinds.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <unordered_map>

#include "base/quantile.h"
#include "hierarchy/names/graph_names.h"
#include "hierarchy/steps/counted_steps.h"
#include "model/names/call_names.h"
#include "model/spans.h"

namespace xsp {
namespace {

constexpr std::size_t kStepsForP95 = 20;
constexpr std::size_t kStepsForP99 = 100;

// Of lengths that are sorted: the smallest that so many percent do not exceed.
DurationNs PercentileOf(const std::vector<DurationNs>& sorted, std::size_t percent) {
  const std::size_t place = (sorted.size() * percent + 99) / 100;
  return sorted[std::max<std::size_t>(place, 1) - 1];
}

void AddPercentiles(const Steps& steps, const CountedSteps& set, StepKindRow& row) {
  std::vector<DurationNs> lengths;
  for (std::uint32_t step : set.counted) lengths.push_back(steps.steps[step].time.Length());
  for (std::uint32_t step : set.outliers) lengths.push_back(steps.steps[step].time.Length());
  std::sort(lengths.begin(), lengths.end());
  row.p50 = MedianOf<DurationNs>(lengths);
  if (lengths.size() >= kStepsForP95) row.p95 = PercentileOf(lengths, 95);
  if (lengths.size() >= kStepsForP99) row.p99 = PercentileOf(lengths, 99);
}

// The median of what all of these steps tell.
std::optional<std::uint64_t> TypicalOf(const Steps& steps, const std::vector<std::uint32_t>& list,
                                       std::uint64_t StepContent::*figure) {
  std::vector<std::uint64_t> values;
  for (std::uint32_t step : list) {
    const std::uint64_t value = steps.steps[step].content.*figure;
    if (value == kMissing<std::uint64_t>) return std::nullopt;
    values.push_back(value);
  }
  return UpperMedian(values);
}

void AddBatch(const Steps& steps, const CountedSteps& set, StepKindRow& row) {
  row.requests = TypicalOf(steps, set.counted, &StepContent::requests);
  row.tokens = TypicalOf(steps, set.counted, &StepContent::tokens);
  if (!row.tokens) return;
  double tokens = 0, ns = 0;
  for (std::uint32_t step : set.counted) {
    tokens += static_cast<double>(steps.steps[step].content.tokens);
    ns += static_cast<double>(steps.steps[step].time.Length());
  }
  if (ns > 0) row.tokens_per_s = tokens * 1e9 / ns;
}

// Causes of all devices, for one of so many: the means sum to the mean of the sum.
std::array<DurationNs, kIdleCauseCount> MeansOf(const IdleReport& report, std::size_t count) {
  std::array<DurationNs, kIdleCauseCount> means{};
  const auto divisor =
      static_cast<DurationNs>(count * std::max<std::size_t>(1, report.devices.size()));
  DurationNs sum = 0, told = 0;
  for (std::size_t cause = 0; cause < kIdleCauseCount; ++cause) {
    for (const DeviceIdle& device : report.devices) sum += device.causes[cause].ns;
    means[cause] = sum / divisor - told;
    told += means[cause];
  }
  return means;
}

void AddBusy(const TaskGraph& graph, const Schedule& guided, const Steps& steps,
             const CountedSteps& set, StepKindRow& row) {
  std::vector<TimeRange> times;
  for (std::uint32_t step : set.counted) times.push_back(steps.steps[step].time);
  const IdleReport report = FindIdle(graph, guided, times);
  if (report.devices.empty()) return;
  row.causes = MeansOf(report, set.counted.size());
  row.idle = std::accumulate(row.causes.begin(), row.causes.end(), DurationNs{0});
  row.busy = *row.typical - *row.idle;
}

// When the device work of each step begins and ends; empty for one without any.
std::vector<TimeRange> WorkTimes(const Hierarchy& hierarchy) {
  const Trace& trace = hierarchy.trace();
  std::vector<TimeRange> times(hierarchy.steps().size());
  for (EventId work : trace.DeviceWork()) {
    const std::uint32_t step = hierarchy.StepOfWork(work);
    if (step == Steps::kOutside) continue;
    TimeRange& time = times[step];
    const bool is_first = time.Empty();
    time.begin = is_first ? trace.begin(work) : std::min(time.begin, trace.begin(work));
    time.end = is_first ? trace.end(work) : std::max(time.end, trace.end(work));
  }
  return times;
}

void AddGap(const TaskGraph& graph, const Schedule& guided, const std::vector<TimeRange>& work,
            const CountedSteps& set, StepKindRow& row) {
  std::vector<TimeRange> gaps;
  std::size_t count = 0;
  for (std::uint32_t step : set.counted) {
    if (step + 1 >= work.size() || work[step].Empty() || work[step + 1].Empty()) continue;
    ++count;
    if (work[step].end < work[step + 1].begin) {
      gaps.push_back({work[step].end, work[step + 1].begin});
    }
  }
  if (count == 0) return;
  row.gap_causes = MeansOf(FindIdle(graph, guided, gaps), count);
  row.gap = std::accumulate(row.gap_causes.begin(), row.gap_causes.end(), DurationNs{0});
}

// How much of stretches that follow each other lies in one more.
DurationNs LengthIn(const std::vector<TimeRange>& stretches, TimeRange part) {
  DurationNs sum = 0;
  auto it = std::partition_point(stretches.begin(), stretches.end(),
                                 [&](const TimeRange& s) { return s.end <= part.begin; });
  for (; it != stretches.end() && it->begin < part.end; ++it) sum += it->Clip(part).Length();
  return sum;
}

// What the host does around the model: ranges that frameworks are known to put there, the outermost
// of each thread.
struct HostPiece {
  TimeRange time;
  ProcessId process;
  std::string_view what;
};
std::vector<HostPiece> NamedPieces(const Hierarchy& hierarchy) {
  const Trace& trace = hierarchy.trace();
  const HostRanges& ranges = hierarchy.ranges();
  std::map<TrackId, TimeNs> covered;  // By thread: until when.
  std::vector<HostPiece> pieces;
  for (std::uint32_t i = 0; i < ranges.size(); ++i) {
    const EventId e = ranges.event(i);
    const FrameworkText* const known = hierarchy.names().Known(trace.name_of(e));
    if (known == nullptr || known->role != TextRole::kHost) continue;
    TimeNs& until = covered.try_emplace(trace.track_of(e), trace.begin(e)).first->second;
    if (trace.begin(e) < until) continue;
    until = trace.end(e);
    pieces.push_back({{trace.begin(e), trace.end(e)}, trace.process_of(e), known->word});
  }
  return pieces;
}

// The calls of the threads that have steps.
std::vector<HostPiece> CallPieces(const Hierarchy& hierarchy) {
  const Trace& trace = hierarchy.trace();
  std::set<TrackId> threads;
  for (const std::vector<HostStep>& host : hierarchy.steps().of_process) {
    for (const HostStep& step : host) threads.insert(step.thread);
  }
  std::vector<HostPiece> pieces;
  for (EventId call : trace.OfKind(EventKind::kApi)) {
    if (!threads.contains(trace.track_of(call))) continue;
    pieces.push_back(
        {{trace.begin(call), trace.end(call)}, trace.process_of(call), CallName(trace.name(call))});
  }
  return pieces;
}

// When a process's devices were at work. One that launches nothing (a scheduler of its own) works
// for all of them.
class BusyTimes {
 public:
  explicit BusyTimes(const Trace& trace) {
    std::vector<TimeRange> all;
    for (EventId e : trace.DeviceWork()) {
      all.push_back({trace.begin(e), trace.end(e)});
      of_process_[trace.process_of(e)].push_back(all.back());
    }
    for (auto& [process, times] : of_process_) times = Merged(std::move(times));
    all_ = Merged(std::move(all));
  }

  DurationNs In(ProcessId process, TimeRange part) const {
    const auto it = of_process_.find(process);
    return LengthIn(it == of_process_.end() ? all_ : it->second, part);
  }

 private:
  std::map<ProcessId, std::vector<TimeRange>> of_process_;
  std::vector<TimeRange> all_;
};

// Ranks do the same at the same time: their mean is what a step has.
void AddHost(const std::vector<HostPiece>& pieces, const BusyTimes& busy, const Steps& steps,
             const CountedSteps& set, StepKindRow& row) {
  struct Sum {
    HostPhase phase;
    std::set<ProcessId> processes;
  };
  std::vector<TimeRange> times;
  for (std::uint32_t step : set.counted) {  // Until the next one begins.
    const bool is_last = step + 1 == steps.size();
    const TimeRange& time = steps.steps[step].time;
    times.push_back({time.begin, is_last ? time.end : steps.steps[step + 1].time.begin});
  }
  std::map<std::string_view, Sum> by_name;
  for (const HostPiece& piece : pieces) {
    auto it = std::partition_point(times.begin(), times.end(),
                                   [&](const TimeRange& t) { return t.end <= piece.time.begin; });
    for (; it != times.end() && it->begin < piece.time.end; ++it) {
      const TimeRange part = it->Clip(piece.time);
      Sum& sum = by_name[piece.what];
      sum.phase.ns += part.Length();
      sum.phase.exposed += part.Length() - busy.In(piece.process, part);
      sum.processes.insert(piece.process);
    }
  }
  for (auto& [what, sum] : by_name) {
    const auto count = static_cast<DurationNs>(set.counted.size() * sum.processes.size());
    row.host.push_back({std::string(what), sum.phase.ns / count, sum.phase.exposed / count});
  }
  std::stable_sort(row.host.begin(), row.host.end(),
                   [](const auto& a, const auto& b) { return a.exposed > b.exposed; });
}

// By kind, who writes the texts of such steps: "vLLM"; two where both stand around them.
std::map<std::string, std::string> FrameworksByKind(const Hierarchy& hierarchy) {
  const HostRanges& ranges = hierarchy.ranges();
  const NameTable& names = hierarchy.names();
  std::set<std::pair<std::string, std::string>> seen;
  std::map<std::string, std::string> by_kind;
  for (std::uint32_t i = 0; i < ranges.size(); ++i) {
    const FrameworkText* const known = names.Known(hierarchy.trace().name_of(ranges.event(i)));
    if (known == nullptr || known->role != TextRole::kStep) continue;
    const std::string& framework = names.frameworks().patterns()[known->pattern].framework;
    if (!seen.emplace(known->step.kind, framework).second) continue;
    std::string& words = by_kind[known->step.kind];
    words += (words.empty() ? "" : " and ") + framework;
  }
  return by_kind;
}

bool IsInLayer(const Hierarchy& hierarchy, EventId work) {
  const Nodes& nodes = hierarchy.nodes();
  for (NodeId node = hierarchy.NodeOfWork(work); node.valid(); node = nodes.parent[node.value]) {
    if (nodes.level[node.value] == Level::kLayer) return true;
  }
  return false;
}

// By kind, whether most of its device time is in replayed kernels that no layer holds.
std::set<std::string_view> KindsWithoutLayers(const Hierarchy& hierarchy) {
  const Trace& trace = hierarchy.trace();
  struct Times {
    DurationNs all = 0, unnamed = 0;
  };
  std::map<std::string_view, Times> by_kind;
  // By name of a call: millions of kernels have a few.
  std::unordered_map<StringId, bool> replays;
  const auto is_replayed = [&](EventId kernel) {
    const EventId call = trace.call_of(kernel);
    if (!call.valid()) return false;
    const auto [it, is_new] = replays.try_emplace(trace.name_of(call));
    if (is_new) it->second = IsReplayed(trace, kernel);
    return it->second;
  };
  for (EventId kernel : trace.OfKind(EventKind::kKernel)) {
    const std::uint32_t step = hierarchy.StepOfWork(kernel);
    if (step == Steps::kOutside) continue;
    Times& times = by_kind[hierarchy.steps().steps[step].kind()];
    times.all += trace.duration(kernel);
    if (is_replayed(kernel) && !IsInLayer(hierarchy, kernel)) {
      times.unnamed += trace.duration(kernel);
    }
  }
  std::set<std::string_view> kinds;
  for (const auto& [kind, times] : by_kind) {
    if (2 * times.unnamed > times.all) kinds.insert(kind);
  }
  return kinds;
}

}  // namespace

std::vector<StepKindRow> RowsOfKinds(const TaskGraph& graph, const Hierarchy& hierarchy,
                                     const Schedule& guided) {
  const Steps& steps = hierarchy.steps();
  std::vector<StepKindRow> rows;
  if (steps.kinds.empty()) return rows;
  const std::vector<TimeRange> work = WorkTimes(hierarchy);
  std::vector<HostPiece> pieces = NamedPieces(hierarchy);
  const bool by_call = pieces.empty();
  if (by_call) pieces = CallPieces(hierarchy);
  const BusyTimes busy(hierarchy.trace());
  std::map<std::string, std::string> frameworks = FrameworksByKind(hierarchy);
  const std::set<std::string_view> unnamed = KindsWithoutLayers(hierarchy);
  const auto processes = static_cast<std::uint32_t>(
      std::count_if(steps.of_process.begin(), steps.of_process.end(),
                    [](const std::vector<HostStep>& host) { return !host.empty(); }));
  for (const StepKindFacts& kind : steps.kinds) {
    const CountedSteps set = CountSteps(steps, kind.name);
    StepKindRow& row = rows.emplace_back();
    row.kind = kind.name;
    row.framework = frameworks[kind.name];
    row.count = kind.count;
    row.processes = processes;
    row.host_by_call = by_call;
    row.lacks_layers = unnamed.contains(kind.name);
    row.counted = static_cast<std::uint32_t>(set.counted.size());
    if (set.empty()) continue;
    row.typical = set.typical;
    AddPercentiles(steps, set, row);
    AddBatch(steps, set, row);
    AddBusy(graph, guided, steps, set, row);
    AddGap(graph, guided, work, set, row);
    AddHost(pieces, busy, steps, set, row);
  }
  return rows;
}

}  // namespace xsp
