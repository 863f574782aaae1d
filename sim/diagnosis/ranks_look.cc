#include "sim/diagnosis/ranks_look.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "graph/device_map.h"
#include "hierarchy/names/communicators.h"
#include "model/spans.h"
#include "sim/models/communication.h"

namespace xsp {
namespace {

DurationNs LengthWithin(const std::vector<TimeRange>& merged, const std::vector<TimeRange>& times) {
  DurationNs sum = 0;
  auto time = times.begin();
  for (const TimeRange& range : merged) {
    while (time != times.end() && time->end <= range.begin) ++time;
    for (auto it = time; it != times.end() && it->begin < range.end; ++it) {
      sum += range.Clip(*it).Length();
    }
  }
  return sum;
}

// By device: how long something else than communication was at work.
std::vector<DurationNs> ComputeTimes(const TaskGraph& graph, const DeviceMap& devices,
                                     const std::vector<TimeRange>& times, const Unit& unit) {
  const Trace& trace = *graph.trace;
  const Communicators communicators(*graph.hierarchy);
  std::vector<std::vector<TimeRange>> work(devices.size());
  for (EventId e : trace.DeviceWork()) {
    const std::uint32_t device = devices.OfTrack(trace.track_of(e));
    if (device == DeviceMap::kNone) continue;
    const bool is_kernel = trace.KindOf(e) == EventKind::kKernel;
    if (is_kernel && communicators.IsCollective(e)) continue;
    work[device].push_back({trace.begin(e), trace.end(e)});
  }
  std::vector<DurationNs> sums;
  for (std::vector<TimeRange>& of : work) {
    sums.push_back(unit.MeanOfCounted(LengthWithin(Merged(std::move(of)), times)));
  }
  return sums;
}

// What is known of collectives, by the range or kernel that told.
class KnownCollectives {
 public:
  explicit KnownCollectives(const Hierarchy& hierarchy) : hierarchy_(hierarchy) {
    const Collectives& known = hierarchy.trace().collectives();
    for (std::uint32_t row = 0; row < known.event.size(); ++row) {
      if (known.bytes[row] != kMissing<std::uint64_t>) rows_.emplace(known.event[row], row);
    }
  }

  // The row of the kernel itself, else of the innermost range that holds its launch.
  std::optional<std::uint32_t> Of(EventId kernel) const {
    if (const auto own = rows_.find(kernel); own != rows_.end()) return own->second;
    const EventId call = hierarchy_.trace().call_of(kernel);
    if (rows_.empty() || !call.valid()) return std::nullopt;
    const HostRanges& ranges = hierarchy_.ranges();
    for (HostRanges::Place place = ranges.OfCall(call);
         place.range != HostRanges::kNone && !place.temporal; place = ranges.parent(place.range)) {
      const auto it = rows_.find(ranges.event(place.range));
      if (it != rows_.end()) return it->second;
    }
    return std::nullopt;
  }

 private:
  const Hierarchy& hierarchy_;
  std::map<EventId, std::uint32_t> rows_;
};

struct SumKey {
  std::optional<Collective> operation;
  std::uint64_t bytes = 0;
  std::uint32_t ranks = 0;

  auto operator<=>(const SumKey&) const = default;
};

struct Sum {
  std::uint64_t count = 0;
  DurationNs ns = 0;
};

bool BeginsIn(const std::vector<TimeRange>& times, TimeNs at) {
  const auto time = std::partition_point(times.begin(), times.end(),
                                         [&](const TimeRange& range) { return range.end <= at; });
  return time != times.end() && time->begin <= at;
}

CollectiveSum SumOf(const SumKey& key, const Sum& sum, std::size_t devices, const Unit& unit) {
  CollectiveSum result;
  result.operation = key.operation ? std::string(NameOf(*key.operation)) : "collective";
  std::replace(result.operation.begin(), result.operation.end(), '_', '-');
  result.bytes = key.bytes;
  result.ns = sum.ns / static_cast<DurationNs>(sum.count);
  const auto each = static_cast<std::uint32_t>((sum.count + devices - 1) / devices);
  result.count = UnitMeans::OfCounted(unit).Count(each);
  if (key.operation && key.bytes > 0 && key.ranks > 1 && result.ns > 0) {
    result.bus_bandwidth = static_cast<double>(key.bytes) * 1e9 / static_cast<double>(result.ns) *
                           RingFactor(*key.operation, key.ranks);
  }
  return result;
}

}  // namespace

std::vector<std::string> DeviceLabels(const TaskGraph& graph) {
  const DeviceMap devices(graph);
  const Trace& trace = *graph.trace;
  std::vector<std::set<std::uint32_t>> ranks(devices.size());
  for (std::size_t i = 0; i < graph.devices.size(); ++i) {
    const std::uint32_t device = devices.OfGraphDevice(static_cast<std::uint32_t>(i));
    const ProcessId process = graph.devices[i].process;
    if (device == DeviceMap::kNone || process.value >= trace.processes().size()) continue;
    const std::uint32_t rank = trace.processes()[process.value].rank;
    if (rank != kMissing<std::uint32_t>) ranks[device].insert(rank);
  }
  std::map<std::uint32_t, std::size_t> of_number;
  for (std::uint32_t i = 0; i < devices.size(); ++i) ++of_number[devices.number(i)];
  std::vector<std::string> labels;
  for (std::uint32_t i = 0; i < devices.size(); ++i) {
    std::string label = "GPU " + std::to_string(devices.number(i));
    const bool is_shared = of_number[devices.number(i)] > 1;
    if (is_shared && ranks[i].size() == 1) {
      label = "rank " + std::to_string(*ranks[i].begin()) + " " + label;
    } else if (is_shared) {
      label += " (" + std::to_string(i + 1) + ")";
    }
    labels.push_back(std::move(label));
  }
  return labels;
}

std::vector<DeviceTimes> TimesOfDevices(const TaskGraph& graph, const std::vector<TimeRange>& times,
                                        const std::vector<DeviceWork>& work, const IdleReport& idle,
                                        const Unit& unit) {
  const DeviceMap devices(graph);
  const std::vector<DurationNs> compute = ComputeTimes(graph, devices, times, unit);
  const std::vector<std::string> labels = DeviceLabels(graph);
  std::vector<DeviceTimes> rows;
  DurationNs least = 0, most = 0;
  std::size_t late = 0;
  for (std::size_t i = 0; i < work.size(); ++i) {
    DeviceTimes row;
    row.number = work[i].number;
    row.label = labels[i];
    row.compute = std::min(compute[i], idle.devices[i].busy);
    row.exposed = idle.devices[i].busy - row.compute;
    row.idle = idle.devices[i].idle;
    for (const WorkRow& of : work[i].rows) {
      if (of.kind == WorkKind::kTransfer) row.transfer += of.ns;
      if (of.kind == WorkKind::kWaiting) row.waiting += of.ns;
      if (of.kind == WorkKind::kCollectives) row.either += of.ns;
    }
    if (i == 0 || row.waiting < least) {
      least = row.waiting;
      late = i;
    }
    most = std::max(most, row.waiting);
    rows.push_back(std::move(row));
  }
  // Only where the others wait markedly longer.
  const DurationNs apart = most - least;
  if (!rows.empty() && apart * 50 > unit.measured) rows[late].is_late = true;
  return rows;
}

std::vector<CollectiveSum> CollectivesIn(const TaskGraph& graph, const Hierarchy& hierarchy,
                                         const std::vector<TimeRange>& times, const Unit& unit) {
  const Trace& trace = *graph.trace;
  const KnownCollectives known(hierarchy);
  const Communicators communicators(hierarchy);
  const DeviceMap devices(graph);
  std::map<SumKey, Sum> sums;
  std::set<std::uint32_t> taking_part;
  for (TaskId op : graph.ops()) {
    const EventId event = graph.event[op];
    if (!event.valid() || graph.kind[op] != TaskKind::kKernel) continue;
    if (!communicators.IsCollective(event) || !BeginsIn(times, trace.begin(event))) continue;
    SumKey key{CollectiveOf(trace.name(event)), 0, 0};
    if (const auto row = known.Of(event)) {
      key.bytes = trace.collectives().bytes[*row];
      const std::uint32_t ranks = trace.collectives().ranks[*row];
      if (ranks != kMissing<std::uint32_t>) key.ranks = ranks;
      // Some libraries have one kernel for all of them.
      const StringId operation = trace.collectives().operation[*row];
      if (!key.operation && operation.valid()) {
        key.operation = CollectiveOf(trace.strings().Get(operation));
      }
    }
    const bool has_peers = graph.HasPeers(op);
    if (key.ranks == 0 && has_peers) {
      key.ranks =
          static_cast<std::uint32_t>(graph.collectives[graph.collective[graph.RowOf(op)]].size());
    }
    Sum& sum = sums[key];
    ++sum.count;
    sum.ns += has_peers ? std::min(graph.own[op], trace.duration(event)) : trace.duration(event);
    taking_part.insert(devices.OfTrack(trace.track_of(event)));
  }
  std::vector<std::pair<DurationNs, CollectiveSum>> rows;
  for (const auto& [key, sum] : sums) {
    rows.emplace_back(sum.ns, SumOf(key, sum, std::max<std::size_t>(1, taking_part.size()), unit));
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<CollectiveSum> result;
  for (auto& [ns, row] : rows) result.push_back(std::move(row));
  return result;
}

}  // namespace xsp
