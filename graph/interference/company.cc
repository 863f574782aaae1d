#include "graph/interference/company.h"

#include <algorithm>
#include <tuple>

namespace xsp {

// A kernel begins or ends.
struct CompanyMap::Change {
  SimTime time;
  std::uint32_t stream;
  bool is_begin;
  bool collective;
};

CompanyMap::CompanyMap(const TaskGraph& graph, const std::function<Times(TaskId)>& times_of)
    : graph_(graph), places_(graph.streams.size()) {
  std::vector<std::vector<Change>> streams(graph.streams.size());
  for (TaskId op : graph.ops()) {
    // What an edit put in disturbs nobody: how much it would, the trace does not show.
    if (graph.kind[op] != TaskKind::kKernel || graph.IsNew(op)) continue;
    const auto [begin, finish] = times_of(op);
    if (!finish.known() || begin >= finish) continue;
    const std::uint32_t stream = graph.lane[op];
    const bool collective = graph.interference[graph.RowOf(op)].is_collective;
    streams[stream].push_back({begin, stream, true, collective});
    streams[stream].push_back({finish, stream, false, collective});
  }
  std::vector<std::vector<Change>> devices(graph.devices.size());
  for (std::size_t stream = 0; stream < streams.size(); ++stream) {
    std::vector<Change>& list = devices[graph.streams[stream].device];
    list.insert(list.end(), streams[stream].begin(), streams[stream].end());
    streams[stream] = {};
  }
  for (std::vector<Change>& list : devices) {
    SortRuns(list);
    devices_.push_back(StretchesOf(list));
  }
}

// A stream's kernels come one after the other, so that the list is a few sorted ones.
void CompanyMap::SortRuns(std::vector<Change>& list) {
  const auto earlier = [](const Change& a, const Change& b) {
    return std::tie(a.time, a.stream, a.is_begin) < std::tie(b.time, b.stream, b.is_begin);
  };
  std::vector<std::vector<Change>::iterator> borders = {list.begin()};
  while (borders.back() != list.end()) {
    borders.push_back(std::is_sorted_until(borders.back(), list.end(), earlier));
  }
  while (borders.size() > 2) {
    std::vector<std::vector<Change>::iterator> fewer;
    for (std::size_t i = 0; i < borders.size(); i += 2) {
      fewer.push_back(borders[i]);
      if (i + 2 < borders.size()) {
        std::inplace_merge(borders[i], borders[i + 1], borders[i + 2], earlier);
      }
    }
    if (fewer.back() != list.end()) fewer.push_back(list.end());
    borders = std::move(fewer);
  }
}

std::vector<CompanyMap::Stretch> CompanyMap::StretchesOf(const std::vector<Change>& changes) const {
  std::vector<Stretch> stretches(1);
  stretches.reserve(changes.size() + 1);
  std::vector<std::int32_t> running(graph_.streams.size());  // Kernels that compute.
  std::uint32_t streams = 0, sum = 0;  // Streams that run some, and the sum of their numbers:
  std::uint32_t collectives = 0;       // of a single stream that is its number.
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const Change& change = changes[i];
    const std::uint32_t sign = change.is_begin ? 1u : ~0u;
    if (change.collective) {
      collectives += sign;
    } else if (const std::int32_t now = running[change.stream] += static_cast<std::int32_t>(sign);
               now == (change.is_begin ? 1 : 0)) {
      streams += sign;
      sum += sign * change.stream;
    }
    if (i + 1 < changes.size() && changes[i + 1].time == change.time) continue;
    stretches.push_back({change.time, sum, streams, collectives > 0});
  }
  return stretches;
}

std::size_t CompanyMap::At(const std::vector<Stretch>& stretches, std::size_t near, SimTime time) {
  constexpr std::size_t kSteps = 16;
  if (stretches[near].begin <= time) {
    for (std::size_t i = near; i < near + kSteps; ++i) {
      if (i + 1 == stretches.size() || time < stretches[i + 1].begin) return i;
    }
  }
  const auto after = std::upper_bound(stretches.begin(), stretches.end(), time,
                                      [](SimTime t, const Stretch& s) { return t < s.begin; });
  return after == stretches.begin() ? 0 : static_cast<std::size_t>(after - stretches.begin()) - 1;
}

}  // namespace xsp
