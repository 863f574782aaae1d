#include <algorithm>
#include <map>

#include "graph/task_names.h"
#include "graph/task_places.h"
#include "sim/leverage.h"

namespace xsp {
namespace {

// Groups of one level while they are collected, by name.
class Collector {
 public:
  Collector(std::string level, bool with_gaps) : level_(std::move(level)), with_gaps_(with_gaps) {}

  void Add(std::string_view name, std::uint32_t task, DurationNs cost) {
    auto it = groups_.find(name);
    if (it == groups_.end()) it = groups_.emplace(std::string(name), Group()).first;
    it->second.tasks.push_back(task);
    it->second.cost += cost;
  }

  // Moves the most expensive groups to the list.
  void Finish(std::size_t most, std::vector<TaskGroup>& out) {
    std::vector<std::pair<DurationNs, const std::string*>> order;
    for (const auto& [name, group] : groups_) order.emplace_back(-group.cost, &name);
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    if (order.size() > most) order.resize(most);
    for (const auto& [cost, name] : order) {
      out.push_back({level_, *name, std::move(groups_.find(*name)->second.tasks), with_gaps_});
    }
  }

 private:
  struct Group {
    std::vector<std::uint32_t> tasks;
    DurationNs cost = 0;
  };
  std::string level_;
  bool with_gaps_;
  std::map<std::string, Group, std::less<>> groups_;
};

}  // namespace

std::vector<TaskGroup> LeverageGroups(const TaskGraph& graph, std::size_t per_level,
                                      NameForm kernel_names) {
  const TaskPlaces places(graph);
  const TaskNames names(graph, kernel_names);
  Collector classes("class", false);
  Collector kernels("kernel", false);
  Collector layers("layer", false);
  Collector calls("call", false);
  Collector range_work("range", false);
  Collector host_ranges("host_range", true);
  for (std::uint32_t op = graph.host_count(); op < graph.task_count(); ++op) {
    classes.Add(places.Class(op), op, graph.own[op]);
    if (graph.kind[op] == TaskKind::kKernel) {
      kernels.Add(names.Of(TaskId(op)), op, graph.own[op]);
    }
    if (const auto layer = places.Layer(op); !layer.empty()) layers.Add(layer, op, graph.own[op]);
    const std::string_view range = places.Range(op);
    if (!range.empty()) range_work.Add(range, op, graph.own[op]);
  }
  for (std::uint32_t host = 0; host < graph.host_count(); ++host) {
    if (graph.kind[host] == TaskKind::kBefore) continue;
    calls.Add(names.Of(TaskId(host)), host, graph.own[host]);
    const std::string_view range = places.Range(host);
    host_ranges.Add(range.empty() ? "[no range]" : range, host, graph.own[host] + graph.gap[host]);
  }
  std::vector<TaskGroup> result;
  for (Collector* level : {&classes, &kernels, &layers, &calls, &range_work, &host_ranges}) {
    level->Finish(per_level, result);
  }
  return result;
}

}  // namespace xsp
