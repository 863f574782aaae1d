#include "sim/best_case.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace xsp {
namespace {

// Longer ones may hold a wait that nobody knows of.
constexpr DurationNs kSurelyWork = 100'000;

struct Border {
  TimeNs time;
  bool is_begin;
  TaskId op;
};

// Begins and ends of the kernels of each device, in order of time; ends first. `time_of`: when a
// kernel ran; an empty time where it did not.
template <class TimeOf>
std::map<std::uint32_t, std::vector<Border>> BordersOf(const TaskGraph& graph, TimeOf time_of) {
  std::map<std::uint32_t, std::vector<Border>> borders;
  for (TaskId op : graph.ops()) {
    if (graph.kind[op] != TaskKind::kKernel) continue;
    const TimeRange time = time_of(op);
    if (time.Empty()) continue;
    std::vector<Border>& of_device = borders[graph.DeviceOf(op)];
    of_device.push_back({time.begin, true, op});
    of_device.push_back({time.end, false, op});
  }
  for (auto& [device, list] : borders) {
    std::sort(list.begin(), list.end(), [](const Border& a, const Border& b) {
      return std::tuple(a.time, a.is_begin, a.op) < std::tuple(b.time, b.is_begin, b.op);
    });
  }
  return borders;
}

// What kernels would have had of their device if all that ran at a time had shared it evenly;
// only those that had company.
template <class TimeOf>
std::unordered_map<TaskId, double> EvenShares(const TaskGraph& graph, TimeOf time_of) {
  std::unordered_map<TaskId, double> shares;
  for (const auto& [device, borders] : BordersOf(graph, time_of)) {
    // What each of those that run gets of the device, added up over time: a kernel had as much as
    // came to this while it ran, however many others there were.
    double served = 0;
    std::unordered_map<TaskId, double> served_before;
    TimeNs since = 0;
    for (const Border& border : borders) {
      if (!served_before.empty()) {
        served +=
            static_cast<double>(border.time - since) / static_cast<double>(served_before.size());
      }
      since = border.time;
      if (border.is_begin) {
        served_before.emplace(border.op, served);
        continue;
      }
      const auto before = served_before.find(border.op);
      const double share =
          (served - before->second) / static_cast<double>(time_of(border.op).Length());
      if (share < 0.999) shares[border.op] = share;
      served_before.erase(before);
    }
  }
  return shares;
}

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
  DurationNs device = 0;  // On all streams, before anything is free.

  void Add(DurationNs lane, bool is_on_path) {
    of_any = std::max(of_any, lane);
    if (is_on_path) of_path = std::max(of_path, lane);
  }
  DurationNs Busiest() const { return of_path > 0 ? of_path : of_any; }
};

// Ranks that no longer wait for each other take a step each in their own time: the one with the
// least to do first. What did less than half of the most is no such rank.
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
  const auto shares = EvenShares(graph, [&](TaskId op) {
    return graph.IsNew(op) ? TimeRange{}
                           : TimeRange{graph.measured_begin[op], graph.measured_end[op]};
  });
  for (const auto& [op, share] : shares) share_[graph.event[op]] = share;
}

DurationNs KernelsAlone::OtherCompany(const TaskGraph& changed, const Schedule& schedule,
                                      const std::vector<CriticalPath>& paths) const {
  const auto after = EvenShares(changed, [&](TaskId op) {
    const bool ran = schedule.begin[op].known() && schedule.finish[op].known();
    return ran ? TimeRange{schedule.begin[op].ns, schedule.finish[op].ns} : TimeRange{};
  });
  double sum = 0;
  for (const CriticalPath& path : paths) {
    for (const PathSegment& piece : path.segments) {
      if (piece.kind != PathKind::kKernel) continue;
      const double before = changed.IsNew(piece.task) ? 1 : ShareOf(changed.event[piece.task]);
      const auto found = after.find(piece.task);
      const double now = found == after.end() ? 1 : found->second;
      sum += static_cast<double>(piece.end - piece.begin) * (1 - before / now);
    }
  }
  return static_cast<DurationNs>(sum);
}

DurationNs BestCase(const Plan& plan, const std::vector<CriticalPath>& paths,
                    const KernelsAlone& kernels, const PathDoubtFinder& doubts) {
  const TaskGraph& graph = plan.graph();
  const Overlay free = plan.Free();
  std::vector<std::uint8_t> threads(graph.threads.size()), streams(graph.streams.size());
  MarkPath(graph, paths, threads, streams);
  std::vector<DurationNs> host(threads.size()), device(streams.size()), before(streams.size());
  for (TaskId task : graph.tasks()) {
    if (plan.in_unit()[task] == 0) continue;
    const std::uint32_t lane = graph.lane[task];
    if (graph.IsHost(task)) {
      // Who asks whether something is over asks less often where that is over sooner.
      if (graph.kind[task] != TaskKind::kCall || doubts.IsPoll(graph, task)) continue;
      const DurationNs gap =
          std::max<DurationNs>(0, free.gap[task] - doubts.WaitedBefore(graph, task));
      host[lane] += std::min(free.own[task], kSurelyWork) + std::min(gap, kSurelyWork);
      continue;
    }
    const double alone = kernels.ShareOf(graph.event[task]);
    device[lane] += static_cast<DurationNs>(static_cast<double>(free.own[task]) * alone);
    before[lane] += graph.own[task];
  }
  std::map<ProcessId, ProcessWork> processes;
  for (std::size_t i = 0; i < host.size(); ++i) {
    processes[graph.threads[i].process].Add(host[i], threads[i] != 0);
  }
  for (std::size_t i = 0; i < device.size(); ++i) {
    const ProcessId process = graph.contexts[graph.streams[i].context].process;
    processes[process].Add(device[i], streams[i] != 0);
    processes[process].device += before[i];
  }
  return LeastOf(processes);
}

}  // namespace xsp
