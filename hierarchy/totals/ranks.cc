#include "hierarchy/totals/ranks.h"

#include <map>
#include <utility>

namespace xsp {

Ranks::Ranks(const Hierarchy& hierarchy, RankSplit split) : trace_(&hierarchy.trace()) {
  const Trace& trace = *trace_;
  const auto key_of = [&](const Track& track) {
    return std::pair(track.process, split == RankSplit::kDevice ? track.device : Rank::kAnyDevice);
  };
  std::vector<std::uint8_t> has_work(trace.tracks().size());
  for (EventId work : trace.DeviceWork()) has_work[trace.track_of(work).value] = 1;
  // Ordered: ranks come by process, then by device.
  std::map<std::pair<ProcessId, std::uint32_t>, std::uint32_t> rows;
  std::vector<std::uint8_t> is_there(trace.processes().size());
  for (std::size_t t = 0; t < has_work.size(); ++t) {
    if (has_work[t] == 0) continue;
    rows.emplace(key_of(trace.tracks()[t]), 0);
    is_there[trace.tracks()[t].process.value] = 1;
  }
  for (std::uint32_t p = 0; p < is_there.size(); ++p) {
    const bool has_host_only = is_there[p] == 0 && hierarchy.HasHostEvents(ProcessId(p));
    if (has_host_only) rows.emplace(std::pair(ProcessId(p), Rank::kAnyDevice), 0);
  }
  ProcessId before;
  for (auto& [key, row] : rows) {
    row = static_cast<std::uint32_t>(ranks_.size());
    ranks_.push_back({key.first, key.second, key.first != before});
    before = key.first;
  }
  of_track_.resize(has_work.size());
  for (std::size_t t = 0; t < has_work.size(); ++t) {
    if (has_work[t] != 0) of_track_[t] = rows.at(key_of(trace.tracks()[t]));
  }
}

}  // namespace xsp
