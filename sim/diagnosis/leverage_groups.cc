#include <algorithm>
#include <map>
#include <unordered_map>

#include "graph/rules/off_cpu.h"
#include "graph/task_names.h"
#include "graph/task_places.h"
#include "hierarchy/names/name_patterns.h"
#include "sim/diagnosis/leverage.h"

namespace xsp {
namespace {

// Groups of one level while they are collected, by name.
class Collector {
 public:
  explicit Collector(std::string level) : level_(std::move(level)) {}

  void Add(std::string_view name, TaskId task, DurationNs cost) {
    Group& group = Of(name);
    group.tasks.push_back(task);
    group.cost += cost;
  }

  void AddGap(std::string_view name, TaskId task, TimeRange time) {
    if (time.Empty()) return;
    Group& group = Of(name);
    group.cost += time.Length();
    group.gaps.push_back({task, time.Length(), time.begin});
  }

  // Moves the most expensive groups to the list.
  void Finish(std::size_t most, std::vector<TaskGroup>& out) {
    std::vector<std::pair<DurationNs, const std::string*>> order;
    for (const auto& [name, group] : groups_) order.emplace_back(-group.cost, &name);
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    if (order.size() > most) order.resize(most);
    for (const auto& [cost, name] : order) {
      Group& group = groups_.find(*name)->second;
      out.push_back({level_, *name, std::move(group.tasks), std::move(group.gaps)});
    }
  }

 private:
  struct Group {
    std::vector<TaskId> tasks;
    std::vector<GapShare> gaps;
    DurationNs cost = 0;
  };

  Group& Of(std::string_view name) {
    auto it = groups_.find(name);
    if (it == groups_.end()) it = groups_.emplace(std::string(name), Group()).first;
    return it->second;
  }

  std::string level_;
  std::map<std::string, Group, std::less<>> groups_;
};

// The groups of ranges. "step 2" and "step 3" are the same thing done again, so they are one group,
// "step #"; "layer 2" and "layer 3" are not.
class RangeGroups {
 public:
  std::string_view Of(std::string_view range) {
    auto [it, is_new] = groups_.try_emplace(range);
    if (is_new) it->second = StepRank(range) > 0 ? KindOfName(range) : std::string(range);
    return it->second;
  }

 private:
  std::unordered_map<std::string_view, std::string> groups_;  // By range.
};

// The range of some of a thread's time. Several threads may work while the main thread has a range
// open: their time is not the range's own, which would then be longer than itself.
std::string HostRangeName(RangeGroups& groups, std::string_view range, bool is_own) {
  if (range.empty()) return "[no range]";
  return std::string(groups.Of(range)) + (is_own ? "" : " [other threads]");
}

}  // namespace

std::vector<TaskGroup> LeverageGroups(const TaskGraph& graph, std::size_t per_level,
                                      NameForm kernel_names) {
  const TaskPlaces places(graph);
  const TaskNames names(graph, kernel_names);
  Collector classes("class");
  Collector kernels("kernel");
  Collector layers("layer");
  Collector calls("call");
  Collector range_work("range");
  Collector host_ranges("host_range");
  RangeGroups ranges;
  const OffCpu off_cpu(*graph.trace);
  for (TaskId op : graph.ops()) {
    classes.Add(places.Class(op), op, graph.own[op]);
    if (graph.kind[op] == TaskKind::kKernel) {
      kernels.Add(names.Of(op), op, graph.own[op]);
    }
    if (const auto layer = places.Layer(op); !layer.empty()) layers.Add(layer, op, graph.own[op]);
    const std::string_view range = places.Range(op);
    if (!range.empty()) range_work.Add(ranges.Of(range), op, graph.own[op]);
  }
  for (TaskId host : graph.host_tasks()) {
    if (graph.kind[host] == TaskKind::kBefore) continue;
    calls.Add(names.Of(host), host, graph.own[host]);
    host_ranges.Add(HostRangeName(ranges, places.Range(host), places.RangeIsOwn(host)), host,
                    graph.own[host]);
    const TrackId thread = graph.threads[graph.lane[host]].track;
    for (const OpenRanges::Piece& piece : places.GapBefore(host)) {
      const std::string name = HostRangeName(ranges, piece.name, !piece.of_main);
      TimeNs begin = piece.time.begin;
      for (const TimeRange& off : off_cpu.During(thread, piece.time)) {
        host_ranges.AddGap(name, host, {begin, off.begin});
        host_ranges.AddGap("[not scheduled]", host, off);
        begin = off.end;
      }
      host_ranges.AddGap(name, host, {begin, piece.time.end});
    }
  }
  std::vector<TaskGroup> result;
  for (Collector* level : {&classes, &kernels, &layers, &calls, &range_work, &host_ranges}) {
    level->Finish(per_level, result);
  }
  return result;
}

}  // namespace xsp
