#include "graph/readings/path_parts.h"

#include <algorithm>
#include <map>

#include "graph/one_time.h"
#include "model/names/call_names.h"

namespace xsp {
namespace {

constexpr DurationNs kRunsPerSpan = 100;  // A run takes at least a hundredth of the span.

DurationNs LengthOf(const PathSegment& segment) { return segment.end - segment.begin; }

std::string NameOfTask(const TaskGraph& graph, const TaskPlaces& places, TaskId task) {
  if (graph.kind[task] == TaskKind::kMemcpy)
    return std::string(NameOf(graph.op_class[graph.RowOf(task)]));
  if (graph.kind[task] == TaskKind::kKernel) return std::string(places.Class(task));
  if (graph.kind[task] == TaskKind::kLoad) return std::string(places.Range(task));
  if (graph.kind[task] != TaskKind::kCall && graph.kind[task] != TaskKind::kOsCall) return "";
  if (graph.IsNew(task)) return graph.labels[graph.label[task].value];
  if (!graph.event[task].valid()) return "";
  return std::string(CallName(graph.trace->name(graph.event[task])));
}

// "every 16.7 ms"
std::string TimerOf(const TaskGraph& graph, TaskId wait) {
  const GraphDeadline& deadline = graph.deadlines[graph.question[wait].target];
  const DurationNs tenths = (graph.timers[deadline.timer].period + 50'000) / 100'000;
  return "every " + std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " ms";
}

// "for thread 17", "for receive" if it has a name.
std::string WakersOf(const TaskGraph& graph, TaskId wait) {
  const std::span<const Handoff> wakers = graph.HandoffsTo(wait);
  if (wakers.empty()) return "";
  if (!graph.IsHost(wakers.front().from)) return "for a host function of a stream";
  const TrackId track = graph.threads[graph.lane[wakers.front().from]].track;
  if (!track.valid()) return "for another thread";
  const Track& thread = graph.trace->track(track);
  const std::string_view name = graph.trace->strings().Get(thread.name);
  return "for " + (name.empty() ? "thread " + std::to_string(thread.thread) : std::string(name));
}

// Places while they are summed.
class PlaceSums {
 public:
  explicit PlaceSums(const char* otherwise) : otherwise_(otherwise) {}

  void Add(std::string_view name, DurationNs ns, bool on_device) {
    if (name.empty()) name = otherwise_;
    auto it = sums_.find(name);
    if (it == sums_.end()) it = sums_.emplace(std::string(name), PathPlace{}).first;
    it->second.ns += ns;
    (on_device ? it->second.device : it->second.host) += ns;
  }

  std::vector<PathPlace> Finish() {
    std::vector<PathPlace> places;
    for (auto& [name, place] : sums_) {
      place.name = name;
      places.push_back(std::move(place));
    }
    std::stable_sort(places.begin(), places.end(),
                     [](const PathPlace& a, const PathPlace& b) { return a.ns > b.ns; });
    return places;
  }

 private:
  std::string_view otherwise_;
  std::map<std::string, PathPlace, std::less<>> sums_;
};

// Shares a piece of untraced time out among the ranges that were open while it was measured.
void AddGap(const TaskPlaces& places, const PathSegment& segment, PlaceSums& sums) {
  const std::vector<OpenRanges::Piece> pieces = places.GapBefore(segment.task);
  DurationNs measured = 0;
  for (const OpenRanges::Piece& piece : pieces) measured += piece.time.Length();
  if (measured == 0) return sums.Add("", LengthOf(segment), false);
  const double scale = static_cast<double>(LengthOf(segment)) / static_cast<double>(measured);
  DurationNs passed = 0, given = 0;
  for (const OpenRanges::Piece& piece : pieces) {
    passed += piece.time.Length();
    const DurationNs until = passed == measured
                                 ? LengthOf(segment)
                                 : static_cast<DurationNs>(static_cast<double>(passed) * scale);
    sums.Add(piece.name, until - given, false);
    given = until;
  }
}

// A run while it grows: segments [first, last) of the path.
struct Stretch {
  bool on_device;
  std::size_t first;
  std::size_t last;
};

// Alternating stretches of host and device, short ones taken into those around them.
std::vector<Stretch> Stretches(const CriticalPath& path) {
  const DurationNs shortest = path.span.Length() / kRunsPerSpan;
  const std::vector<PathSegment>& segments = path.segments;
  std::vector<Stretch> stack;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const bool on_device = IsOnDevice(segments[i].kind);
    if (stack.empty() || stack.back().on_device != on_device) {
      if (stack.size() >= 2) {
        const Stretch& top = stack.back();
        if (segments[top.last - 1].end - segments[top.first].begin < shortest) stack.pop_back();
      }
      if (stack.empty() || stack.back().on_device != on_device) {
        stack.push_back({on_device, i, i});
      }
    }
    stack.back().last = i + 1;
  }
  return stack;
}

PathRun RunOf(const TaskGraph& graph, const TaskPlaces& places, const CriticalPath& path,
              const Stretch& stretch) {
  PathRun run;
  run.on_device = stretch.on_device;
  run.begin = path.segments[stretch.first].begin;
  run.end = path.segments[stretch.last - 1].end;
  run.pieces = static_cast<std::uint32_t>(stretch.last - stretch.first);
  CriticalPath part{{run.begin, run.end}, {}};
  part.segments.assign(path.segments.begin() + static_cast<std::ptrdiff_t>(stretch.first),
                       path.segments.begin() + static_cast<std::ptrdiff_t>(stretch.last));
  const PathPart most = PartsOf(graph, places, part).front();
  run.mostly = NameOf(most.kind);
  if (!most.name.empty() && most.name != run.mostly) run.mostly += " " + most.name;
  const PathPlace range = RangesOf(places, part).front();
  if (range.name != "[no range]") run.range = range.name;
  DurationNs longest = -1;
  for (const PathSegment& segment : part.segments) {
    if (!segment.task.valid() || LengthOf(segment) <= longest) continue;
    longest = LengthOf(segment);
    run.longest = segment.task;
  }
  return run;
}

}  // namespace

bool IsOnDevice(PathKind kind) { return kind <= PathKind::kStreamGap; }

std::string NameOfSegment(const TaskGraph& graph, const TaskPlaces& places,
                          const PathSegment& segment) {
  switch (segment.kind) {
    case PathKind::kStreamGap:
    case PathKind::kSubmit:
    case PathKind::kHostGap:
    case PathKind::kOffCpu:
    case PathKind::kThreadHandoff:
    case PathKind::kQueueTail:
    case PathKind::kStart:
      return "";
    case PathKind::kTimer:
      return TimerOf(graph, segment.task);
    case PathKind::kThreadWait:
      return WakersOf(graph, segment.task);
    default:
      return segment.task.valid() ? NameOfTask(graph, places, segment.task) : "";
  }
}

std::string GroupName(const TaskGraph& graph, const TaskPlaces& places, TaskId task) {
  const std::string name = NameOfTask(graph, places, task);
  switch (graph.kind[task]) {
    case TaskKind::kKernel:
      return "kernel " + name;
    case TaskKind::kMemcpy:
      return "copy " + name;
    case TaskKind::kMemset:
      return "memset";
    case TaskKind::kGraphSpan:
      return "graph";
    case TaskKind::kLoad:
      return "data loading" + (name.empty() ? "" : " (" + name + ")");
    case TaskKind::kBefore:
      return "before the recording";
    case TaskKind::kOsCall:
      return "system call" + (name.empty() ? "" : " " + name);
    case TaskKind::kCall:
      break;
  }
  return name;
}

std::vector<PathPart> PartsOf(const TaskGraph& graph, const TaskPlaces& places,
                              const CriticalPath& path) {
  std::map<std::pair<PathKind, std::string>, PathPart> sums;
  for (const PathSegment& segment : path.segments) {
    PathPart& part = sums[{segment.kind, NameOfSegment(graph, places, segment)}];
    part.ns += LengthOf(segment);
    ++part.pieces;
  }
  std::vector<PathPart> parts;
  for (auto& [key, part] : sums) parts.push_back({key.first, key.second, part.ns, part.pieces});
  std::stable_sort(parts.begin(), parts.end(),
                   [](const PathPart& a, const PathPart& b) { return a.ns > b.ns; });
  return parts;
}

std::vector<PathPlace> LayersOf(const TaskPlaces& places, const CriticalPath& path) {
  PlaceSums sums("[no layer]");
  for (const PathSegment& segment : path.segments) {
    const bool has_task = segment.task.valid();
    sums.Add(has_task ? places.Layer(segment.task) : std::string_view(), LengthOf(segment),
             IsOnDevice(segment.kind));
  }
  return sums.Finish();
}

std::vector<PathPlace> RangesOf(const TaskPlaces& places, const CriticalPath& path) {
  PlaceSums sums("[no range]");
  for (const PathSegment& segment : path.segments) {
    const bool has_task = segment.task.valid();
    const bool is_gap = segment.kind == PathKind::kHostGap || segment.kind == PathKind::kOffCpu;
    if (has_task && is_gap && places.IsHost(segment.task)) {
      AddGap(places, segment, sums);
      continue;
    }
    sums.Add(has_task ? places.Range(segment.task) : std::string_view(), LengthOf(segment),
             IsOnDevice(segment.kind));
  }
  return sums.Finish();
}

std::vector<PathRun> FoldPath(const TaskGraph& graph, const TaskPlaces& places,
                              const CriticalPath& path) {
  std::vector<PathRun> runs;
  for (const Stretch& stretch : Stretches(path)) {
    runs.push_back(RunOf(graph, places, path, stretch));
  }
  return runs;
}

const PathPart* LargestFixable(const std::vector<PathPart>& parts) {
  for (const PathPart& part : parts) {
    switch (part.kind) {
      case PathKind::kStreamGap:
      case PathKind::kSubmit:
      case PathKind::kSyncTail:
      case PathKind::kCopyTail:
      case PathKind::kQueueTail:
      case PathKind::kThreadHandoff:
      case PathKind::kThreadWait:
      case PathKind::kTimer:
      case PathKind::kOsWait:
      case PathKind::kOffCpu:
      case PathKind::kOneTime:
      case PathKind::kStart:
        continue;
      default:
        if (part.ns > 0) return &part;
    }
  }
  return nullptr;
}

Overlay WithoutPart(const TaskGraph& graph, const TaskPlaces& places, const PathPart& part) {
  Overlay overlay;
  if (part.kind == PathKind::kHostGap) {
    overlay.gap = graph.gap_off_cpu;
    overlay.gap.resize(graph.host_count(), 0);
    return overlay;
  }
  overlay.own = graph.own;
  const bool on_device = IsOnDevice(part.kind);
  for (TaskId task : on_device ? graph.ops() : graph.host_tasks()) {
    const bool is_memset = graph.kind[task] == TaskKind::kMemset;
    if (on_device && is_memset != (part.kind == PathKind::kMemset)) continue;
    if (NameOfTask(graph, places, task) != part.name) continue;
    overlay.own[task] = OneTimeOf(graph, task);
    overlay.SetInterval(graph, task, 0);
  }
  return overlay;
}

}  // namespace xsp
