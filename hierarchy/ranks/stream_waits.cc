#include "hierarchy/ranks/stream_waits.h"

#include <algorithm>
#include <utility>

namespace xsp {
namespace {

// What was launched on each stream, by launch.
class LaunchesByStream {
 public:
  explicit LaunchesByStream(const std::vector<RankWork>& work) {
    for (std::uint32_t i = 0; i < work.size(); ++i) {
      of_stream_[work[i].stream].emplace_back(work[i].launch, i);
    }
    for (auto& [stream, launches] : of_stream_) std::sort(launches.begin(), launches.end());
  }

  // The last one launched before a moment.
  std::uint32_t LastBefore(TrackId stream, TimeNs moment) const {
    const auto it = of_stream_.find(stream);
    if (it == of_stream_.end()) return StreamWaits::kNone;
    const auto next = std::lower_bound(it->second.begin(), it->second.end(), std::pair(moment, 0u));
    return next == it->second.begin() ? StreamWaits::kNone : std::prev(next)->second;
  }

 private:
  std::map<TrackId, std::vector<std::pair<TimeNs, std::uint32_t>>> of_stream_;
};

// The records of each event (context, event): when, and on which stream.
using Records =
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::pair<TimeNs, TrackId>>>;

TimeNs HostTime(const Trace& trace, EventId event) {
  const EventId call = trace.call_of(event);
  return trace.begin(call.valid() ? call : event);
}

Records RecordsOf(const Trace& trace, const std::vector<EventId>& events) {
  Records records;
  const EventRecords& rows = trace.event_records();
  for (EventId event : events) {
    const std::uint32_t row = trace.Row(event, EventKind::kEventRecord);
    records[{rows.context[row], rows.event[row]}].emplace_back(HostTime(trace, event),
                                                               rows.stream[row]);
  }
  for (auto& [event, times] : records) std::sort(times.begin(), times.end());
  return records;
}

}  // namespace

StreamWaits::StreamWaits(const Trace& trace, const RankEvents& events) : work_(events.work) {
  const Records records = RecordsOf(trace, events.event_records);
  if (records.empty()) return;
  const LaunchesByStream launches(work_);
  const Syncs& rows = trace.syncs();
  for (EventId event : events.stream_waits) {
    const std::uint32_t row = trace.Row(event, EventKind::kSync);
    if (!rows.stream[row].valid()) continue;
    const auto it = records.find({rows.context[row], rows.event[row]});
    if (it == records.end()) continue;
    known_ = true;
    // Programs record the same event over and over; who waits, waits for the latest record.
    const TimeNs call = HostTime(trace, event);
    const auto next = std::lower_bound(it->second.begin(), it->second.end(), call,
                                       [](const auto& r, TimeNs t) { return r.first < t; });
    if (next == it->second.begin()) continue;
    const std::uint32_t last = launches.LastBefore(std::prev(next)->second, std::prev(next)->first);
    if (last != kNone) waits_[rows.stream[row]].push_back({call, last});
  }
  for (auto& [stream, waits] : waits_) {
    std::stable_sort(waits.begin(), waits.end(),
                     [](const Wait& a, const Wait& b) { return a.call < b.call; });
  }
}

std::uint32_t StreamWaits::LastEnding(TrackId stream, TimeNs after, TimeNs until) const {
  std::uint32_t last = kNone;
  const auto it = waits_.find(stream);
  if (it == waits_.end()) return last;
  // Between two operations of a stream there are a few waits; what has more is no program.
  constexpr std::ptrdiff_t kMost = 256;
  const auto end = std::upper_bound(it->second.begin(), it->second.end(), until,
                                    [](TimeNs t, const Wait& w) { return t < w.call; });
  const auto begin = end - std::min(kMost, end - it->second.begin());
  for (auto wait = end; wait != begin && std::prev(wait)->call > after; --wait) {
    const std::uint32_t work = std::prev(wait)->work;
    if (last == kNone || work_[work].time.end > work_[last].time.end) last = work;
  }
  return last;
}

}  // namespace xsp
