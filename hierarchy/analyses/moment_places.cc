#include "hierarchy/analyses/moment_places.h"

#include <algorithm>
#include <map>

namespace xsp {

MomentPlaces::MomentPlaces(const Hierarchy& hierarchy) : h_(hierarchy) {
  const Trace& trace = h_.trace();
  const HostRanges& ranges = h_.ranges();
  std::vector<std::map<TrackId, std::vector<std::uint32_t>>> by_track(trace.processes().size());
  for (std::uint32_t i = 0; i < ranges.size(); ++i) {
    const EventId e = ranges.event(i);
    by_track[trace.process_of(e).value][trace.track_of(e)].push_back(i);
  }
  threads_.resize(by_track.size());
  for (std::size_t p = 0; p < by_track.size(); ++p) {
    for (auto& [track, list] : by_track[p]) {
      std::stable_sort(list.begin(), list.end(), [&](std::uint32_t a, std::uint32_t b) {
        return trace.begin(ranges.event(a)) < trace.begin(ranges.event(b));
      });
      threads_[p].push_back(std::move(list));
    }
  }
  const Nodes& nodes = h_.nodes();
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    if (nodes.event[i].valid()) node_of_range_.try_emplace(nodes.event[i], NodeId(i));
  }
}

NodeId MomentPlaces::At(ProcessId process, TimeNs moment) const {
  const Trace& trace = h_.trace();
  const HostRanges& ranges = h_.ranges();
  EventId latest;
  for (const std::vector<std::uint32_t>& thread : threads_[process.value]) {
    const auto after = std::partition_point(thread.begin(), thread.end(), [&](std::uint32_t i) {
      return trace.begin(ranges.event(i)) <= moment;
    });
    if (after == thread.begin()) continue;
    const TrackId track = trace.track_of(ranges.event(*std::prev(after)));
    // What was opened last there, or what it lies in on the same thread. No program nests deeper.
    constexpr int kDeepest = 1000;
    HostRanges::Place place{*std::prev(after), false};
    for (int depth = 0; depth < kDeepest && place.range != HostRanges::kNone && !place.temporal;
         ++depth, place = ranges.parent(place.range)) {
      const EventId e = ranges.event(place.range);
      if (trace.track_of(e) != track) break;
      if (trace.end(e) <= moment) continue;
      if (!latest.valid() || trace.begin(e) > trace.begin(latest)) latest = e;
      break;
    }
  }
  const auto node = latest.valid() ? node_of_range_.find(latest) : node_of_range_.end();
  return node == node_of_range_.end() ? h_.NodeOfProcess(process) : node->second;
}

}  // namespace xsp
