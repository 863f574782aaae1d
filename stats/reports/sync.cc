#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "stats/busy_time.h"
#include "stats/distribution.h"
#include "stats/reports/reports.h"

namespace xsp {
namespace {

// When each stream, each context and each process had work on a device.
class DeviceBusy {
 public:
  explicit DeviceBusy(const Trace& trace) {
    std::map<std::uint32_t, std::vector<TimeRange>> streams, processes;
    std::map<ContextKey, std::vector<TimeRange>> contexts;
    for (EventId e : trace.DeviceWork()) {
      const Track& track = trace.track(trace.track_of(e));
      if (track.kind != TrackKind::kStream) continue;
      const TimeRange time = {trace.begin(e), trace.end(e)};
      streams[trace.track_of(e).value].push_back(time);
      contexts[{track.process.value, track.context}].push_back(time);
      processes[track.process.value].push_back(time);
    }
    for (auto& [key, ranges] : streams) streams_[key] = BusyTime(std::move(ranges));
    for (auto& [key, ranges] : contexts) contexts_[key] = BusyTime(std::move(ranges));
    for (auto& [key, ranges] : processes) processes_[key] = BusyTime(std::move(ranges));
  }

  DurationNs OfStream(TrackId stream, TimeRange time) const {
    return Within(streams_, stream.value, time);
  }
  // All of the process where the trace does not tell the context.
  DurationNs OfContext(ProcessId process, std::uint32_t context, TimeRange time) const {
    if (context == kMissing<std::uint32_t>) return OfProcess(process, time);
    return Within(contexts_, ContextKey{process.value, context}, time);
  }
  DurationNs OfProcess(ProcessId process, TimeRange time) const {
    return Within(processes_, process.value, time);
  }

 private:
  using ContextKey = std::pair<std::uint32_t, std::uint32_t>;

  template <class Map, class Key>
  static DurationNs Within(const Map& map, const Key& key, TimeRange time) {
    const auto it = map.find(key);
    return it == map.end() ? 0 : it->second.Within(time);
  }

  std::map<std::uint32_t, BusyTime> streams_, processes_;
  std::map<ContextKey, BusyTime> contexts_;
};

// Call, what it waits for (a SyncKind, or one of those below), and the stream's number.
using Waits = GroupedValues<3>;
constexpr std::uint32_t kNotRecorded = 255;
constexpr std::uint32_t kOwnCopy = 254;  // Nor is this, but the call itself tells.

struct CollectedWaits {
  Waits times;
  std::vector<DurationNs> busy;  // By group.

  void Add(const Waits::Key& key, DurationNs time, DurationNs busy_time) {
    const std::uint32_t group = times.Add(key, time);
    if (group == busy.size()) busy.push_back(0);
    busy[group] += busy_time;
  }
};

DurationNs BusyDuring(const Trace& trace, EventId wait, const DeviceBusy& busy) {
  const std::uint32_t row = trace.Row(wait, EventKind::kSync);
  const TimeRange time = {trace.begin(wait), trace.end(wait)};
  const TrackId stream = trace.syncs().stream[row];
  switch (trace.syncs().sync_kind[row]) {
    case SyncKind::kStream:
    case SyncKind::kStreamWait:
      if (stream.valid()) return busy.OfStream(stream, time);
      break;
    case SyncKind::kContext:
      return busy.OfContext(trace.process_of(wait), trace.syncs().context[row], time);
    case SyncKind::kEvent:
      break;
  }
  return busy.OfProcess(trace.process_of(wait), time);
}

// Waits that the trace has a record of; marks their calls.
void CollectRecorded(const ReportInput& in, const DeviceBusy& busy, CollectedWaits& waits,
                     std::vector<bool>& has_record) {
  const Trace& trace = in.trace;
  for (EventId wait : trace.OfKind(EventKind::kSync)) {
    if (trace.call_of(wait).valid()) has_record[trace.call_of(wait).value] = true;
  }
  in.events.ForEach(EventKind::kSync, [&](EventId wait) {
    const EventId call = trace.call_of(wait);
    const std::uint32_t row = trace.Row(wait, EventKind::kSync);
    const TrackId stream = trace.syncs().stream[row];
    const StringId name = call.valid() ? trace.name_of(call) : StringId();
    waits.Add({name.value, static_cast<std::uint32_t>(trace.syncs().sync_kind[row]),
               stream.valid() ? trace.track(stream).stream : kMissing<std::uint32_t>},
              trace.duration(wait), BusyDuring(trace, wait, busy));
  });
}

// Calls that issued a copy and return when it is done: those whose name does not say otherwise.
std::vector<bool> BlockingCopies(const Trace& trace) {
  std::vector<bool> blocks(trace.event_count());
  for (EventId copy : trace.OfKind(EventKind::kMemcpy)) {
    const EventId call = trace.call_of(copy);
    if (!call.valid()) continue;
    const std::string_view name = trace.name(call);
    blocks[call.value] = name.find("Memcpy") != std::string_view::npos &&
                         name.find("Async") == std::string_view::npos;
  }
  return blocks;
}

// Calls that wait, without a record of it.
void CollectUnrecorded(const ReportInput& in, const DeviceBusy& busy, CollectedWaits& waits,
                       const std::vector<bool>& has_record) {
  const Trace& trace = in.trace;
  const std::vector<bool> copies = BlockingCopies(trace);
  in.events.ForEach(EventKind::kApi, [&](EventId call) {
    if (has_record[call.value]) return;
    const bool says_so = trace.name(call).find("Synchronize") != std::string_view::npos;
    if (!says_so && !copies[call.value]) return;
    const TimeRange time = {trace.begin(call), trace.end(call)};
    const std::uint32_t target = says_so ? kNotRecorded : kOwnCopy;
    waits.Add({trace.name_of(call).value, target, kMissing<std::uint32_t>}, time.Length(),
              busy.OfProcess(trace.process_of(call), time));
  });
}

std::string Target(const Waits::Key& key) {
  const std::string stream =
      key[2] == kMissing<std::uint32_t> ? "a stream" : "stream " + std::to_string(key[2]);
  if (key[1] == kNotRecorded) return "not recorded";
  if (key[1] == kOwnCopy) return "its own copy";
  switch (static_cast<SyncKind>(key[1])) {
    case SyncKind::kContext:
      return "all streams";
    case SyncKind::kStream:
      return stream;
    case SyncKind::kEvent:
      return "an event";
    case SyncKind::kStreamWait:
      return stream + " waits for an event";
  }
  return "not recorded";
}

}  // namespace

StatsTable SyncSum(const ReportInput& in) {
  StatsTable table("sync", "Waits of the host",
                   TimeSummaryColumns("Num Calls", {{"Device Busy", StatsKind::kTime},
                                                    {"Waits For", StatsKind::kText},
                                                    {"Name", StatsKind::kText}}));
  const DeviceBusy busy(in.trace);
  CollectedWaits waits;
  std::vector<bool> has_record(in.trace.event_count());
  CollectRecorded(in, busy, waits, has_record);
  CollectUnrecorded(in, busy, waits, has_record);

  const auto groups = waits.times.Finish();
  std::vector<std::size_t> order(groups.size());
  std::int64_t total = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
    total = SaturatingAdd(total, groups[i].values.total);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return groups[a].values.total > groups[b].values.total;
  });
  for (std::size_t i : order) {
    const auto& [key, values] = groups[i];
    std::optional<std::string_view> name;
    if (StringId(key[0]).valid()) name = CallLabel(in.trace.strings()[StringId(key[0])]);
    AddTimeSummary(table, values, total, waits.busy[i], table.Keep(Target(key)), name);
  }
  return table;
}

}  // namespace xsp
