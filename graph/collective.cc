#include <algorithm>
#include <map>

#include "graph/draft.h"

// Collectives: the kernels of all ranks end together, when the last has come and the data has
// moved. What a rank's kernel takes beyond that is waiting for its peers.
namespace xsp {
namespace {

bool IsCollective(const Trace& trace, EventId event) {
  return trace.name(event).starts_with("nccl");
}

// The collectives of one rank, in order of time. A rank is a device.
std::vector<std::vector<std::uint32_t>> CollectivesByRank(const Draft& draft) {
  const TaskGraph& graph = draft.graph;
  std::vector<std::vector<std::uint32_t>> ranks(graph.devices.size());
  for (std::uint32_t op = graph.host_count(); op < graph.task_count(); ++op) {
    if (graph.kind[op] != TaskKind::kKernel || !IsCollective(draft.trace, graph.event[op]))
      continue;
    ranks[graph.streams[graph.lane[op]].device].push_back(op);
  }
  for (auto& rank : ranks) {
    std::sort(rank.begin(), rank.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::pair(graph.measured_begin[a], a) < std::pair(graph.measured_begin[b], b);
    });
  }
  ranks.erase(std::remove_if(ranks.begin(), ranks.end(), [](const auto& r) { return r.empty(); }),
              ranks.end());
  return ranks;
}

}  // namespace

void AddCollectives(Draft& draft) {
  TaskGraph& graph = draft.graph;
  const auto ranks = CollectivesByRank(draft);
  if (ranks.size() < 2) return;
  graph.collective.assign(graph.op_count(), TaskGraph::kNoCollective);
  // Recordings begin in the middle of things, so ranks are matched by time, not by number: the
  // kernels of one collective have the same name and run at the same time.
  std::vector<std::size_t> next(ranks.size());
  auto at_end = [&] {
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      if (next[i] == ranks[i].size()) return true;
    }
    return false;
  };
  while (!at_end()) {
    TimeNs latest_begin = graph.measured_begin[ranks[0][next[0]]];
    std::size_t first_to_end = 0;
    bool same_name = true;
    const StringId name = draft.trace.name_of(graph.event[ranks[0][next[0]]]);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      const std::uint32_t op = ranks[i][next[i]];
      latest_begin = std::max(latest_begin, graph.measured_begin[op]);
      same_name = same_name && draft.trace.name_of(graph.event[op]) == name;
      if (graph.measured_end[op] < graph.measured_end[ranks[first_to_end][next[first_to_end]]]) {
        first_to_end = i;
      }
    }
    const std::uint32_t first = ranks[first_to_end][next[first_to_end]];
    if (!same_name || graph.measured_end[first] <= latest_begin) {
      ++next[first_to_end];
      continue;
    }
    std::vector<TaskId> members;
    DurationNs transfer = graph.measured(first);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      const std::uint32_t op = ranks[i][next[i]++];
      members.push_back(TaskId(op));
      transfer = std::min(transfer, graph.measured(op));
      graph.collective[graph.OpIndex(op)] = static_cast<std::uint32_t>(graph.collectives.size());
    }
    for (TaskId member : members) graph.own[member.value] = transfer;
    graph.collectives.push_back(std::move(members));
  }
}

}  // namespace xsp
