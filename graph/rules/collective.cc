#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>

#include "base/quantile.h"
#include "graph/draft.h"
#include "hierarchy/names/communicators.h"

// Collectives: the kernels of all ranks of a communicator end together (within 10 to 22 µs), when
// the last has come and the data has moved; they begin up to milliseconds apart. What a rank's
// kernel takes beyond the transfer is waiting for its peers: 54 to 68 % of the time in NCCL kernels
// in real traces of two GPUs. Taken for work, a faster network would seem to gain what
// only faster peers can.
namespace xsp {
namespace {

// The collectives of one communicator on one device, in order of time: told by the trace, or else
// those of one stream, for frameworks give every communicator a stream of its own.
struct Lane {
  std::uint32_t device = 0;  // A row of TaskGraph::devices.
  std::optional<std::uint64_t> communicator;
  std::vector<TaskId> ops;
};

// Lanes that belong together, no two of them of one device.
using Group = std::vector<const Lane*>;

struct CollectiveOp {
  TaskId op;
  std::uint32_t stream;
  std::optional<std::uint64_t> communicator;
};

// A group of calls launches its kernels at its end, out of reach of the range that names the
// communicator: it is the one that all others of the stream have.
void FillByStream(std::vector<CollectiveOp>& ops) {
  std::map<std::uint32_t, std::set<std::uint64_t>> known;
  for (const CollectiveOp& op : ops) {
    if (op.communicator) known[op.stream].insert(*op.communicator);
  }
  for (CollectiveOp& op : ops) {
    const auto it = known.find(op.stream);
    if (!op.communicator && it != known.end() && it->second.size() == 1) {
      op.communicator = *it->second.begin();
    }
  }
}

std::vector<Lane> LanesOf(const Draft& draft) {
  const TaskGraph& graph = draft.graph;
  const Communicators communicators(draft.hierarchy);
  std::vector<CollectiveOp> ops;
  for (TaskId op : graph.ops()) {
    if (graph.kind[op] != TaskKind::kKernel) continue;
    if (!communicators.IsCollective(graph.event[op])) continue;
    ops.push_back({op, graph.lane[op], communicators.Of(graph.event[op])});
  }
  FillByStream(ops);
  std::map<std::tuple<std::uint32_t, bool, std::uint64_t>, Lane> lanes;
  for (const CollectiveOp& op : ops) {
    const std::uint32_t device = graph.streams[op.stream].device;
    Lane& lane = lanes[{device, op.communicator.has_value(), op.communicator.value_or(op.stream)}];
    lane.device = device;
    lane.communicator = op.communicator;
    lane.ops.push_back(op.op);
  }
  std::vector<Lane> result;
  for (auto& [key, lane] : lanes) {
    std::sort(lane.ops.begin(), lane.ops.end(), [&](TaskId a, TaskId b) {
      return std::pair(graph.measured_begin[a], a) < std::pair(graph.measured_begin[b], b);
    });
    result.push_back(std::move(lane));
  }
  return result;
}

// Calls f with the operations that are one collective, one of each lane. Recordings begin in the
// middle of things, so they are matched by time, not by number: the kernels of one collective have
// the same name and run at the same time.
template <class F>
void ForEachCollective(const Draft& draft, const Group& lanes, F f) {
  const TaskGraph& graph = draft.graph;
  std::vector<std::size_t> next(lanes.size());
  std::vector<TaskId> ops(lanes.size());
  auto name_of = [&](TaskId op) { return draft.trace.name_of(graph.event[op]); };
  while (true) {
    TimeNs latest_begin = std::numeric_limits<TimeNs>::min();
    std::size_t first_to_end = 0;
    bool same_name = true;
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      if (next[i] == lanes[i]->ops.size()) return;
      ops[i] = lanes[i]->ops[next[i]];
      latest_begin = std::max(latest_begin, graph.measured_begin[ops[i]]);
      same_name = same_name && name_of(ops[i]) == name_of(ops[0]);
      if (graph.measured_end[ops[i]] < graph.measured_end[ops[first_to_end]]) first_to_end = i;
    }
    // Of several that cannot be one collective, the one that ended first has no peer any more.
    if (!same_name || graph.measured_end[ops[first_to_end]] <= latest_begin) {
      ++next[first_to_end];
      continue;
    }
    f(ops);
    for (std::size_t& n : next) ++n;
  }
}

// How far values are from their middle: half of them are nearer.
DurationNs Scatter(std::vector<DurationNs> values) {
  const DurationNs middle = UpperMedian(values);
  for (DurationNs& value : values) value = std::abs(value - middle);
  return UpperMedian(values);
}

// Whether two lanes of different devices may be of one communicator, and how well they fit: how far
// apart the ends of their collectives scatter. Clocks of GPUs are apart by some constant, so only
// the scatter counts. Ranks come when they come, but they end together: where ends scatter as
// begins do, the two have nothing to do with each other.
std::optional<DurationNs> FitOf(const Draft& draft, const Lane& a, const Lane& b) {
  constexpr DurationNs kTogether = 10'000;  // Closer than this is together in any case.
  constexpr std::size_t kFew = 3;           // Too few to judge by.
  const TaskGraph& graph = draft.graph;
  std::vector<DurationNs> begins, ends;
  ForEachCollective(draft, {&a, &b}, [&](const std::vector<TaskId>& ops) {
    begins.push_back(graph.measured_begin[ops[0]] - graph.measured_begin[ops[1]]);
    ends.push_back(graph.measured_end[ops[0]] - graph.measured_end[ops[1]]);
  });
  if (ends.size() * 2 < std::min(a.ops.size(), b.ops.size()) || ends.empty()) return std::nullopt;
  const DurationNs scatter = Scatter(ends);
  if (ends.size() < kFew || scatter <= kTogether) return scatter;
  return scatter * 2 <= Scatter(begins) ? std::optional(scatter) : std::nullopt;
}

// Lanes whose communicator the trace names.
void GroupByCommunicator(const std::vector<Lane>& lanes, std::vector<Group>& groups,
                         std::vector<const Lane*>& rest) {
  std::map<std::uint64_t, Group> known;
  for (const Lane& lane : lanes) {
    if (lane.communicator) {
      known[*lane.communicator].push_back(&lane);
    } else {
      rest.push_back(&lane);
    }
  }
  for (auto& [communicator, group] : known) {
    // An id that only one device has may be that of a process: no two ranks would ever meet.
    if (group.size() > 1) {
      groups.push_back(std::move(group));
    } else {
      rest.push_back(group.front());
    }
  }
}

// The others: those that fit best come together first, and no two lanes of one device.
void GroupByFit(const Draft& draft, const std::vector<const Lane*>& lanes,
                std::vector<Group>& groups) {
  constexpr std::size_t kMost = 256;  // Pairs of more than these would take too long.
  if (lanes.size() > kMost) return;
  std::vector<std::tuple<DurationNs, std::size_t, std::size_t>> fits;
  for (std::size_t a = 0; a < lanes.size(); ++a) {
    for (std::size_t b = a + 1; b < lanes.size(); ++b) {
      if (lanes[a]->device == lanes[b]->device) continue;
      if (const auto fit = FitOf(draft, *lanes[a], *lanes[b])) fits.emplace_back(*fit, a, b);
    }
  }
  std::sort(fits.begin(), fits.end());
  std::vector<std::size_t> group_of(lanes.size());
  std::iota(group_of.begin(), group_of.end(), std::size_t{0});
  const auto share_a_device = [&](std::size_t a, std::size_t b) {
    std::set<std::uint32_t> devices;
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      if (group_of[i] != a && group_of[i] != b) continue;
      if (!devices.insert(lanes[i]->device).second) return true;
    }
    return false;
  };
  for (const auto& [fit, a, b] : fits) {
    const std::size_t to = group_of[a], from = group_of[b];
    if (to == from || share_a_device(to, from)) continue;
    std::replace(group_of.begin(), group_of.end(), from, to);
  }
  std::map<std::size_t, Group> found;
  for (std::size_t i = 0; i < lanes.size(); ++i) found[group_of[i]].push_back(lanes[i]);
  for (auto& [number, group] : found) {
    if (group.size() > 1) groups.push_back(std::move(group));
  }
}

}  // namespace

void AddCollectives(Draft& draft) {
  TaskGraph& graph = draft.graph;
  const std::vector<Lane> lanes = LanesOf(draft);
  std::vector<Group> groups;
  std::vector<const Lane*> rest;
  GroupByCommunicator(lanes, groups, rest);
  GroupByFit(draft, rest, groups);
  if (groups.empty()) return;
  graph.collective.assign(graph.op_count(), TaskGraph::kNoCollective);
  for (const Group& group : groups) {
    ForEachCollective(draft, group, [&](const std::vector<TaskId>& ops) {
      // The last rank to come waits for nobody, so the shortest kernel is the transfer alone.
      DurationNs transfer = graph.measured(ops[0]);
      for (TaskId op : ops) transfer = std::min(transfer, graph.measured(op));
      for (TaskId op : ops) {
        graph.own[op] = transfer;
        graph.collective[graph.RowOf(op)] = static_cast<std::uint32_t>(graph.collectives.size());
      }
      graph.collectives.push_back(ops);
    });
  }
}

}  // namespace xsp
