#include "graph/company.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace xsp {

// A kernel begins or ends.
struct CompanyMap::Change {
  SimTime time;
  std::uint32_t stream;
  bool is_begin;
  bool collective;
};

CompanyMap::CompanyMap(const TaskGraph& graph, const PerTask<SimTime>& begin,
                       const PerTask<SimTime>& finish)
    : graph_(graph) {
  std::vector<std::vector<Change>> changes(graph.devices.size());
  for (TaskId op : graph.ops()) {
    if (graph.kind[op] != TaskKind::kKernel || !finish[op].known()) continue;
    // What an edit put in disturbs nobody: how much it would, the trace does not show.
    if (graph.IsNew(op) || begin[op] >= finish[op]) continue;
    const bool collective = graph.interference[graph.RowOf(op)].is_collective;
    std::vector<Change>& list = changes[graph.DeviceOf(op)];
    list.push_back({begin[op], graph.lane[op], true, collective});
    list.push_back({finish[op], graph.lane[op], false, collective});
  }
  for (std::vector<Change>& list : changes) devices_.push_back(StretchesOf(list));
}

std::vector<CompanyMap::Stretch> CompanyMap::StretchesOf(std::vector<Change>& changes) {
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    return std::tie(a.time, a.stream, a.is_begin) < std::tie(b.time, b.stream, b.is_begin);
  });
  std::vector<Stretch> stretches(1);
  std::map<std::uint32_t, int> running;  // By stream: kernels that compute.
  int collectives = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const Change& change = changes[i];
    const int one = change.is_begin ? 1 : -1;
    if (change.collective) {
      collectives += one;
    } else if ((running[change.stream] += one) == 0) {
      running.erase(change.stream);
    }
    if (i + 1 < changes.size() && changes[i + 1].time == change.time) continue;
    stretches.push_back({change.time, running.empty() ? 0 : running.begin()->first,
                         static_cast<std::uint32_t>(running.size()), collectives > 0});
  }
  return stretches;
}

std::size_t CompanyMap::At(const std::vector<Stretch>& stretches, SimTime time) {
  const auto after = std::upper_bound(stretches.begin(), stretches.end(), time,
                                      [](SimTime t, const Stretch& s) { return t < s.begin; });
  return after == stretches.begin() ? 0 : static_cast<std::size_t>(after - stretches.begin()) - 1;
}

}  // namespace xsp
