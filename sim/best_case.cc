#include "sim/best_case.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

#include "graph/interference/room.h"

namespace xsp {
namespace {

// Longer ones may hold a wait that nobody knows of.
constexpr DurationNs kSurelyWork = 100'000;

struct Border {
  TimeNs time;
  bool is_begin;
  TaskId op;
};

// Begins and ends of the kernels of each device, in order of time; ends first.
std::map<std::uint32_t, std::vector<Border>> BordersOf(const TaskGraph& graph) {
  std::map<std::uint32_t, std::vector<Border>> borders;
  for (TaskId op : graph.ops()) {
    if (graph.kind[op] != TaskKind::kKernel || graph.IsNew(op)) continue;
    if (graph.measured(op) <= 0) continue;
    std::vector<Border>& of_device = borders[graph.DeviceOf(op)];
    of_device.push_back({graph.measured_begin[op], true, op});
    of_device.push_back({graph.measured_end[op], false, op});
  }
  for (auto& [device, list] : borders) {
    std::sort(list.begin(), list.end(), [](const Border& a, const Border& b) {
      return std::tuple(a.time, a.is_begin, a.op) < std::tuple(b.time, b.is_begin, b.op);
    });
  }
  return borders;
}

// Whether it is known how much of their device kernels fill, each launch looked at once.
class RoomFacts {
 public:
  explicit RoomFacts(const Trace& trace) : trace_(trace) {}
  bool IsKnown(EventId kernel) {
    const auto [it, is_new] = known_.try_emplace(kernel);
    if (is_new) it->second = DemandOf(trace_, kernel) > 0;
    return it->second;
  }

 private:
  const Trace& trace_;
  std::unordered_map<EventId, bool> known_;
};

void MarkPath(const TaskGraph& graph, const std::vector<CriticalPath>& paths,
              std::vector<std::uint8_t>& threads, std::vector<std::uint8_t>& streams) {
  for (const CriticalPath& path : paths) {
    for (const PathSegment& piece : path.segments) {
      if (!piece.task.valid()) continue;
      std::vector<std::uint8_t>& lanes = graph.IsHost(piece.task) ? threads : streams;
      const std::uint32_t lane = graph.lane[piece.task];
      if (lane < lanes.size()) lanes[lane] = 1;
    }
  }
}

// What the busiest stream or thread of a process has to do: of those that decide, where one does.
struct ProcessWork {
  DurationNs of_path = 0, of_any = 0;
  DurationNs device = 0;  // On all streams.

  void Add(DurationNs lane, bool is_on_path) {
    of_any = std::max(of_any, lane);
    if (is_on_path) of_path = std::max(of_path, lane);
  }
  DurationNs Busiest() const { return of_path > 0 ? of_path : of_any; }
};

// Ranks that no longer wait for each other take a step each in their own time: the one with the
// least to do first. What does less than half of the most is no such rank.
DurationNs LeastOf(const std::map<ProcessId, ProcessWork>& processes) {
  DurationNs most = 0;
  for (const auto& [id, work] : processes) most = std::max(most, work.device);
  std::optional<DurationNs> least;
  for (const auto& [id, work] : processes) {
    if (2 * work.device < most) continue;
    least = std::min(least.value_or(work.Busiest()), work.Busiest());
  }
  return least.value_or(0);
}

}  // namespace

KernelsAlone::KernelsAlone(const TaskGraph& graph) {
  constexpr TimeNs kNeverDoubted = std::numeric_limits<TimeNs>::min();
  RoomFacts room(*graph.trace);
  for (const auto& [device, borders] : BordersOf(graph)) {
    // What each of those that run gets of the device, added up over time: a kernel needed as much
    // as came to this while it ran, however many others there were.
    struct Begun {
      double served;
      TimeNs time;
    };
    double served = 0;
    std::unordered_map<TaskId, Begun> running;
    std::size_t unknown = 0;             // Of those that run: whose room is not known,
    TimeNs doubt_until = kNeverDoubted;  // and when one of them last had company.
    TimeNs since = 0;
    for (const Border& border : borders) {
      const bool passes = !running.empty() && border.time > since;
      if (passes) {
        served += static_cast<double>(border.time - since) / static_cast<double>(running.size());
      }
      if (passes && running.size() > 1 && unknown > 0) doubt_until = border.time;
      since = border.time;
      const bool is_known = room.IsKnown(graph.event[border.op]);
      if (border.is_begin) {
        running.emplace(border.op, Begun{served, border.time});
        unknown += is_known ? 0 : 1;
        continue;
      }
      const auto begun = running.find(border.op);
      const double share =
          (served - begun->second.served) / static_cast<double>(graph.measured(border.op));
      if (share < 0.999) share_[graph.event[border.op]] = share;
      if (doubt_until > begun->second.time) roomless_.insert(graph.event[border.op]);
      unknown -= is_known ? 0 : 1;
      running.erase(begun);
    }
  }
}

DurationNs KernelsAlone::CompanyOn(const TaskGraph& graph,
                                   const std::vector<CriticalPath>& paths) const {
  constexpr double kBesidesRoom = 0.3;
  DurationNs sum = 0;
  for (const CriticalPath& path : paths) {
    for (const PathSegment& piece : path.segments) {
      if (piece.kind != PathKind::kKernel || graph.IsNew(piece.task)) continue;
      const EventId kernel = graph.event[piece.task];
      const double of_it = roomless_.count(kernel) > 0 ? 1 : kBesidesRoom;
      const double others = of_it * (1 - ShareOf(kernel));
      sum += static_cast<DurationNs>(static_cast<double>(piece.end - piece.begin) * others);
    }
  }
  return sum;
}

DurationNs BestCase(const Plan& plan, const std::vector<CriticalPath>& paths,
                    const KernelsAlone& kernels, const PathDoubtFinder& doubts) {
  const TaskGraph& graph = plan.graph();
  const Overlay free = plan.Free();
  std::vector<std::uint8_t> threads(graph.threads.size()), streams(graph.streams.size());
  MarkPath(graph, paths, threads, streams);
  std::vector<DurationNs> host(threads.size()), device(streams.size());
  for (TaskId task : graph.tasks()) {
    if (plan.in_unit()[task] == 0) continue;
    const std::uint32_t lane = graph.lane[task];
    if (graph.IsHost(task)) {
      if (graph.kind[task] != TaskKind::kCall) continue;
      const DurationNs gap =
          std::max<DurationNs>(0, free.gap[task] - doubts.WaitedBefore(graph, task));
      host[lane] += std::min(free.own[task], kSurelyWork) + std::min(gap, kSurelyWork);
      continue;
    }
    const double alone = kernels.ShareOf(graph.event[task]);
    device[lane] += static_cast<DurationNs>(static_cast<double>(free.own[task]) * alone);
  }
  std::map<ProcessId, ProcessWork> processes;
  for (std::size_t i = 0; i < host.size(); ++i) {
    processes[graph.threads[i].process].Add(host[i], threads[i] != 0);
  }
  for (std::size_t i = 0; i < device.size(); ++i) {
    const ProcessId process = graph.contexts[graph.streams[i].context].process;
    processes[process].Add(device[i], streams[i] != 0);
    processes[process].device += device[i];
  }
  return LeastOf(processes);
}

}  // namespace xsp
