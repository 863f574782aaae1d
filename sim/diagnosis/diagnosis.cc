#include "sim/diagnosis/diagnosis.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "base/enum_names.h"
#include "graph/call_class.h"
#include "graph/device_map.h"
#include "graph/one_time.h"
#include "graph/readings/critical_path.h"
#include "graph/readings/device_work.h"
#include "graph/unit/unit_bench.h"
#include "model/names/call_names.h"
#include "model/names/communication.h"
#include "model/spans.h"
#include "sim/diagnosis/diagnosis_words.h"

namespace xsp {
namespace {

constexpr double kHalf = 0.5;
constexpr double kWorthNaming = 0.1;  // Of the unit, that ranks wait for each other.

// Finds what a task has to do with which resource, and simulates without one.
class ResourceTasks {
 public:
  ResourceTasks(const UnitBench& bench, const Hierarchy& hierarchy)
      : bench_(bench), graph_(bench.graph()), kinds_(hierarchy.kinds()), classes_(*graph_.trace) {}

  // How much sooner the unit would be over if this cost nothing.
  DurationNs GainOf(Resource what, DurationNs unchanged) const {
    Overlay overlay;
    overlay.own = graph_.own;
    if (what == Resource::kHost) overlay.gap = graph_.gap;
    for (TaskId task : graph_.tasks()) {
      // What came before a span would only move it.
      if (!bench_.unit().is_step && !bench_.IsInUnit(task)) continue;
      if (what == Resource::kHost && graph_.IsHost(task)) overlay.gap[task] = 0;
      if (ResourceOfTask(task) != what) continue;
      overlay.own[task] = OneTimeOf(graph_, task);
      overlay.SetInterval(graph_, task, 0);
    }
    return std::max<DurationNs>(0, unchanged - bench_.Length(overlay));
  }

 private:
  Resource ResourceOfTask(TaskId task) const {
    if (!graph_.IsHost(task)) return ResourceOfOp(task);
    if (graph_.kind[task] == TaskKind::kLoad) return Resource::kInput;
    if (graph_.kind[task] != TaskKind::kCall) return Resource::kUnknown;
    switch (classes_.Of(graph_, task)) {
      case CallClass::kLaunch:
        return Resource::kLaunches;
      case CallClass::kFree:
      case CallClass::kAllocate:
      case CallClass::kPool:
        return Resource::kAllocation;
      default:
        return Resource::kHost;
    }
  }

  Resource ResourceOfOp(TaskId op) const {
    if (graph_.kind[op] == TaskKind::kMemcpy) return Resource::kCopies;
    if (graph_.HasPeers(op)) return Resource::kCommunication;
    if (graph_.kind[op] != TaskKind::kKernel || graph_.IsNew(op)) return Resource::kGpu;
    const KernelClass of = kinds_.OfName(graph_.trace->name_of(graph_.event[op])).kernel_class;
    return IsCommunication(of) ? Resource::kCommunication : Resource::kGpu;
  }

  const UnitBench& bench_;
  const TaskGraph& graph_;
  const KernelKinds& kinds_;
  const CallClasses classes_;
};

// What the unit's paths are made of, for one unit.
std::vector<PathPart> MeanPath(const UnitBench& bench, const Steps& steps,
                               const Schedule& schedule) {
  const TaskGraph& graph = bench.graph();
  const TaskPlaces places(graph);
  CriticalPath joined;
  for (CriticalPath& path :
       FindCriticalPaths(graph, schedule, SpansOf(graph, schedule, steps, bench.unit()))) {
    joined.segments.insert(joined.segments.end(), path.segments.begin(), path.segments.end());
  }
  std::vector<PathPart> parts = PartsOf(graph, places, joined);
  UnitMeans means = UnitMeans::OfRun(bench.unit());
  for (PathPart& part : parts) {
    part.ns = means.Next(part.ns);
    part.pieces = means.Count(part.pieces);
  }
  return parts;
}

// By resource; what the path is short of the measured unit is not known, nor what it is longer.
std::vector<ResourceTime> ResourcesOf(const std::vector<PathPart>& parts, DurationNs measured) {
  std::array<DurationNs, kResourceCount> sums{};
  DurationNs known = 0;
  for (const PathPart& part : parts) {
    sums[static_cast<std::size_t>(ResourceOf(part.kind))] += part.ns;
    known += part.ns;
  }
  sums[static_cast<std::size_t>(Resource::kUnknown)] += measured - known;
  std::vector<ResourceTime> resources;
  for (std::size_t i = 0; i < kResourceCount; ++i) {
    if (sums[i] != 0) resources.push_back({static_cast<Resource>(i), sums[i], std::nullopt});
  }
  std::stable_sort(resources.begin(), resources.end(),
                   [](const ResourceTime& a, const ResourceTime& b) { return a.ns > b.ns; });
  return resources;
}

bool Recurs(Resource what) { return what != Resource::kOneTime && what != Resource::kUnknown; }

// Simulates the unit without one resource after the other, those with most of the path first: none
// can gain more than it has there.
void MeasureGains(const ResourceTasks& tasks, DurationNs unchanged,
                  std::vector<ResourceTime>& resources) {
  DurationNs best = 0;
  for (ResourceTime& resource : resources) {
    if (!Recurs(resource.what)) continue;
    if (resource.ns <= best) return;
    resource.gain = tasks.GainOf(resource.what, unchanged);
    best = std::max(best, *resource.gain);
  }
}

const ResourceTime* Decisive(const std::vector<ResourceTime>& resources) {
  const ResourceTime* first = nullptr;
  const ResourceTime* best = nullptr;
  for (const ResourceTime& resource : resources) {
    if (!Recurs(resource.what) || resource.ns <= 0) continue;
    if (first == nullptr) first = &resource;
    if (resource.gain && (best == nullptr || *resource.gain > *best->gain)) best = &resource;
  }
  const bool is_confirmed = best == nullptr || !first->gain || 2 * *first->gain >= *best->gain;
  return is_confirmed ? first : best;
}

DurationNs TimeOf(const std::vector<ResourceTime>& resources, Resource what) {
  for (const ResourceTime& resource : resources) {
    if (resource.what == what) return resource.ns;
  }
  return 0;
}

// How long a device was at work in these times; of several the mean.
DurationNs MeanBusy(const TaskGraph& graph, const std::vector<TimeRange>& times) {
  const Trace& trace = *graph.trace;
  const DeviceMap devices(graph);
  std::vector<std::vector<TimeRange>> busy(devices.size());
  for (EventId work : trace.DeviceWork()) {
    const std::uint32_t device = devices.OfTrack(trace.track_of(work));
    if (device != DeviceMap::kNone) busy[device].push_back({trace.begin(work), trace.end(work)});
  }
  DurationNs sum = 0;
  for (std::vector<TimeRange>& of_device : busy) {
    auto time = times.begin();
    for (const TimeRange& range : Merged(std::move(of_device))) {
      while (time != times.end() && time->end <= range.begin) ++time;
      for (auto it = time; it != times.end() && it->begin < range.end; ++it) {
        sum += range.Clip(*it).Length();
      }
    }
  }
  return busy.empty() ? 0 : sum / static_cast<DurationNs>(busy.size());
}

// How many operations begin in these times, which follow each other.
std::uint64_t CountOperations(const Trace& trace, const std::vector<TimeRange>& times) {
  std::uint64_t count = 0;
  for (EventId work : trace.DeviceWork()) {
    if (trace.KindOf(work) == EventKind::kMigration) continue;
    const auto time = std::partition_point(times.begin(), times.end(), [&](const TimeRange& range) {
      return range.end <= trace.begin(work);
    });
    count += time != times.end() && time->begin <= trace.begin(work);
  }
  return count;
}

// How long the devices' collectives wait for the last of them, and which that is: the one whose own
// wait least.
struct LateDevice {
  DurationNs waiting = 0;  // Of a device, on average.
  std::uint32_t number = 0;
};

std::optional<LateDevice> FindLateDevice(const TaskGraph& graph, const Steps& steps,
                                         const Unit& unit) {
  if (graph.collectives.empty()) return std::nullopt;
  const std::vector<TimeRange> times = MeasuredTimes(steps, unit);
  LateDevice late;
  DurationNs least = 0, sum = 0, devices = 0;
  for (const DeviceWork& device : SumWork(graph, WorkIn(*graph.trace, times, nullptr), unit)) {
    DurationNs waiting = 0;
    bool communicates = false;
    for (const WorkRow& row : device.rows) {
      waiting += row.kind == WorkKind::kWaiting ? row.ns : 0;
      communicates |= row.kind == WorkKind::kWaiting || row.kind == WorkKind::kTransfer;
    }
    if (!communicates) continue;
    if (devices == 0 || waiting < least) {
      least = waiting;
      late.number = device.number;
    }
    sum += waiting;
    ++devices;
  }
  if (devices < 2) return std::nullopt;
  late.waiting = sum / devices;
  return late;
}

// The call whose measured time is longest beyond what the simulation gives it.
TaskId LeastExplained(const UnitBench& bench, const Schedule& schedule) {
  const TaskGraph& graph = bench.graph();
  TaskId longest;
  DurationNs most = 0;
  for (TaskId host : graph.host_tasks()) {
    if (graph.kind[host] != TaskKind::kCall || !schedule.finish[host].known()) continue;
    if (!bench.unit().time.Contains(graph.measured_end[host] - 1)) continue;
    const DurationNs beyond = graph.measured(host) - (schedule.finish[host] - schedule.begin[host]);
    if (beyond <= most) continue;
    most = beyond;
    longest = host;
  }
  return longest;
}

// The host waited long for an event that is recorded only later: the record that it waited for came
// before the recording began.
bool WaitsForEarlierEvent(const Trace& trace) {
  constexpr DurationNs kWaited = 50'000;  // No call takes so long for an event that is over.
  std::map<std::tuple<ProcessId, std::uint32_t, std::uint32_t>, TimeNs> first_records;
  const EventRecords& records = trace.event_records();
  for (EventId record : trace.OfKind(EventKind::kEventRecord)) {
    const std::uint32_t row = trace.Row(record, EventKind::kEventRecord);
    first_records.try_emplace({trace.process_of(record), records.context[row], records.event[row]},
                              trace.begin(record));
  }
  const Syncs& syncs = trace.syncs();
  for (EventId sync : trace.OfKind(EventKind::kSync)) {
    const std::uint32_t row = trace.Row(sync, EventKind::kSync);
    if (syncs.sync_kind[row] != SyncKind::kEvent || trace.duration(sync) < kWaited) continue;
    const auto first =
        first_records.find({trace.process_of(sync), syncs.context[row], syncs.event[row]});
    if (first != first_records.end() && trace.begin(sync) < first->second) return true;
  }
  return false;
}

// The first operation's call was not recorded, though those of others were.
bool IsFirstLaunchMissing(const TaskGraph& graph) {
  TaskId first;
  bool has_calls = false;
  for (TaskId op : graph.ops()) {
    has_calls |= graph.submit[graph.RowOf(op)] == Submit::kAfterOwnCost;
    if (!first.valid() || graph.measured_begin[op] < graph.measured_begin[first]) first = op;
  }
  return has_calls && graph.submit[graph.RowOf(first)] != Submit::kAfterOwnCost;
}

}  // namespace

std::string_view NameOf(Resource resource) {
  constexpr EnumNames<Resource::kUnknown> kNames({"gpu", "host", "launches", "communication",
                                                  "input", "copies", "allocation", "other_rank",
                                                  "one_time", "unknown"});
  return kNames[resource];
}

Resource ResourceOf(PathKind kind) {
  switch (kind) {
    case PathKind::kKernel:
    case PathKind::kMemset:
    case PathKind::kGraph:
    case PathKind::kStreamGap:
      return Resource::kGpu;
    case PathKind::kCollective:
      return Resource::kCommunication;
    case PathKind::kCopy:
    case PathKind::kCopyTail:
      return Resource::kCopies;
    case PathKind::kLaunch:
    case PathKind::kSubmit:
    case PathKind::kQueueTail:
      return Resource::kLaunches;
    case PathKind::kAllocation:
      return Resource::kAllocation;
    case PathKind::kDataLoading:
      return Resource::kInput;
    case PathKind::kOneTime:
      return Resource::kOneTime;
    case PathKind::kStart:
      return Resource::kUnknown;
    case PathKind::kCall:
    case PathKind::kHostGap:
    case PathKind::kOffCpu:
    case PathKind::kSyncTail:
    case PathKind::kThreadHandoff:
    case PathKind::kThreadWait:
    case PathKind::kTimer:
    case PathKind::kOsWait:
      break;
  }
  return Resource::kHost;
}

std::uint64_t TasksOf(const TaskGraph& graph, const Steps& steps, const Unit& unit) {
  if (!unit.is_step || steps.size() == 0) return graph.task_count();
  return std::uint64_t{graph.task_count()} * (unit.step_count + unit.fill) / steps.size();
}

Diagnosis Diagnose(const TaskGraph& graph, const Hierarchy& hierarchy, const Unit& unit) {
  const Steps& steps = hierarchy.steps();
  const UnitBench bench(graph, steps, unit);
  const Schedule replay = Simulate(bench.graph());
  DiagnosisFacts facts;
  facts.parts = MeanPath(bench, steps, replay);
  Diagnosis result;
  result.unit = unit.measured;
  result.is_step = unit.is_step;
  result.devices = DeviceMap(graph).size();
  result.busy = unit.MeanOfCounted(MeanBusy(graph, MeasuredTimes(steps, unit)));
  result.operations = UnitMeans::OfCounted(unit).Count(
      static_cast<std::uint32_t>(CountOperations(*graph.trace, MeasuredTimes(steps, unit))));
  result.resources = ResourcesOf(facts.parts, unit.run_measured);
  if (TasksOf(graph, steps, unit) <= kMostTasksAtFirstLook) {
    MeasureGains(ResourceTasks(bench, hierarchy), bench.Length(replay), result.resources);
  }

  const ResourceTime* decisive = Decisive(result.resources);
  if (decisive != nullptr) facts.recurring = decisive->what;
  result.what = facts.recurring;
  result.ns = TimeOf(result.resources, result.what);
  const auto late = FindLateDevice(graph, steps, unit);
  const DurationNs gain = decisive == nullptr ? 0 : decisive->gain.value_or(decisive->ns);
  if (late && late->waiting > gain && late->waiting > kWorthNaming * unit.measured) {
    result.what = facts.recurring = Resource::kOtherRank;
    result.ns = late->waiting;
  }
  if (late) facts.late_device = late->number;
  const DurationNs unknown = TimeOf(result.resources, Resource::kUnknown);
  const DurationNs one_time = unit.OneTime();
  if (unknown > kHalf * unit.measured) {
    result.what = Resource::kUnknown;
    result.ns = unknown;
    facts.unexplained = LeastExplained(bench, replay);
  } else if (one_time > kHalf * unit.measured) {
    result.what = Resource::kOneTime;
    result.ns = one_time;
  }
  facts.begins_in_the_middle = IsFirstLaunchMissing(graph) || WaitsForEarlierEvent(*graph.trace);
  result.share =
      static_cast<double>(result.ns) / static_cast<double>(std::max<DurationNs>(1, unit.measured));
  result.mostly = MostOf(facts, result.what);
  result.text = TextOf(bench.graph(), unit, facts, result);
  return result;
}

}  // namespace xsp
