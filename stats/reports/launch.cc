#include <algorithm>
#include <array>
#include <optional>

#include "stats/distribution.h"
#include "stats/level_over_time.h"
#include "stats/reports/reports.h"

namespace xsp {
namespace {

constexpr std::size_t kParts = 20;
constexpr std::array kLaunchedKinds = {EventKind::kKernel, EventKind::kMemcpy, EventKind::kMemset,
                                       EventKind::kGraphSpan};

// What was launched to one GPU.
struct DeviceQueue {
  std::int64_t operations = 0;
  std::optional<TimeRange> span;  // From the first begin to the last end of its operations.
  LevelOverTime depth;
};

std::vector<DeviceQueue> CollectQueues(const ReportInput& in, const TrackGroups& devices) {
  std::vector<DeviceQueue> queues(devices.labels().size() + 1);
  for (EventKind kind : kLaunchedKinds) {
    in.events.ForEach(kind, [&](EventId e) {
      const EventId call = in.trace.call_of(e);
      if (!call.valid()) return;
      DeviceQueue& queue = queues[devices.Of(in.trace.track_of(e))];
      const TimeRange time = {in.trace.begin(e), in.trace.end(e)};
      if (!queue.span) queue.span = time;
      queue.span = {std::min(queue.span->begin, time.begin), std::max(queue.span->end, time.end)};
      ++queue.operations;
      if (in.trace.end(call) >= time.begin) return;
      queue.depth.Change(in.trace.end(call), 1);
      queue.depth.Change(time.begin, -1);
    });
  }
  queues.pop_back();
  return queues;
}

// A launch's latency and where it belongs.
struct Latencies {
  std::vector<std::int64_t> values;
  std::int64_t early = 0;
};

// The device work by track and then by begin, in which streams keep the order of their launches.
std::vector<std::pair<EventId, EventKind>> WorkByStream(const ReportInput& in) {
  std::vector<std::pair<EventId, EventKind>> work;
  for (EventKind kind : kLaunchedKinds) {
    in.events.ForEach(kind, [&](EventId e) { work.emplace_back(e, kind); });
  }
  std::sort(work.begin(), work.end(), [&](const auto& a, const auto& b) {
    const TrackId track_a = in.trace.track_of(a.first), track_b = in.trace.track_of(b.first);
    if (track_a != track_b) return track_a < track_b;
    const TimeNs begin_a = in.trace.begin(a.first), begin_b = in.trace.begin(b.first);
    return begin_a != begin_b ? begin_a < begin_b : a.first < b.first;
  });
  return work;
}

// Latencies of kernels by GPU: [0] on an idle stream, [1] on a busy one.
std::vector<std::array<Latencies, 2>> CollectLatencies(const ReportInput& in,
                                                       const TrackGroups& devices) {
  std::vector<std::array<Latencies, 2>> result(devices.labels().size() + 1);
  TrackId stream;
  EventId last_call;
  TimeNs finished = 0;
  for (const auto& [e, kind] : WorkByStream(in)) {
    const bool first_on_stream = in.trace.track_of(e) != stream;
    stream = in.trace.track_of(e);
    const EventId call = in.trace.call_of(e);
    // A call that launches a whole graph has the latency of its first operation.
    if (kind == EventKind::kKernel && call.valid() && call != last_call) {
      const TimeNs returned = in.trace.end(call);
      const bool busy = !first_on_stream && finished > returned;
      Latencies& latencies = result[devices.Of(stream)][busy ? 1 : 0];
      const DurationNs latency = in.trace.begin(e) - returned;
      latencies.early += latency < 0 ? 1 : 0;
      latencies.values.push_back(std::max<DurationNs>(latency, 0));
    }
    last_call = call;
    finished = first_on_stream ? in.trace.end(e) : std::max(finished, in.trace.end(e));
  }
  result.pop_back();
  return result;
}

}  // namespace

StatsTable LaunchDepth(const ReportInput& in) {
  StatsTable table("launch", "Launch queue: operations launched but not begun",
                   {{"Device", StatsKind::kText},
                    {"Operations", StatsKind::kInteger},
                    {"Span", StatsKind::kTime},
                    {"Empty", StatsKind::kPercent},
                    {"Depth P50", StatsKind::kInteger},
                    {"Depth P90", StatsKind::kInteger},
                    {"Depth P99", StatsKind::kInteger},
                    {"Depth Max", StatsKind::kInteger}});
  const TrackGroups devices(in.trace, GroupBy::kDevice);
  std::vector<DeviceQueue> queues = CollectQueues(in, devices);
  for (std::size_t d = 0; d < queues.size(); ++d) {
    DeviceQueue& queue = queues[d];
    if (!queue.span) continue;
    const TimeRange span = *queue.span;
    table.AddRow(table.Keep(devices.labels()[d]), queue.operations, span.Length(),
                 PercentOf(queue.depth.TimeAtZero(span), span.Length()),
                 queue.depth.Percentile(span, 0.5), queue.depth.Percentile(span, 0.9),
                 queue.depth.Percentile(span, 0.99), queue.depth.Percentile(span, 1));
  }
  return table;
}

StatsTable LaunchDepthOverTime(const ReportInput& in) {
  StatsTable table("launch_over_time", "Launch queue over time",
                   {{"Device", StatsKind::kText},
                    {"Start", StatsKind::kTime},
                    {"Duration", StatsKind::kTime},
                    {"Depth Mean", StatsKind::kReal},
                    {"Depth Max", StatsKind::kInteger}});
  const TrackGroups devices(in.trace, GroupBy::kDevice);
  std::vector<DeviceQueue> queues = CollectQueues(in, devices);
  for (std::size_t d = 0; d < queues.size(); ++d) {
    if (!queues[d].span) continue;
    const std::string_view device = table.Keep(devices.labels()[d]);
    for (const LevelOverTime::Part& part : queues[d].depth.Parts(*queues[d].span, kParts)) {
      table.AddRow(device, part.time.begin, part.time.Length(), RoundTenth(part.mean), part.max);
    }
  }
  return table;
}

StatsTable LaunchLatency(const ReportInput& in) {
  StatsTable table("launch_latency", "Launch latency: end of the call to begin of its kernel",
                   {{"Device", StatsKind::kText},
                    {"Stream Was", StatsKind::kText},
                    {"Launches", StatsKind::kInteger},
                    {"Started Early", StatsKind::kInteger},
                    {"Avg", StatsKind::kTimeReal},
                    {"P10", StatsKind::kTime},
                    {"Med", StatsKind::kTimeReal},
                    {"P90", StatsKind::kTime},
                    {"Max", StatsKind::kTime}});
  const TrackGroups devices(in.trace, GroupBy::kDevice);
  auto by_device = CollectLatencies(in, devices);
  for (std::size_t d = 0; d < by_device.size(); ++d) {
    for (std::size_t busy : {0, 1}) {
      Latencies& latencies = by_device[d][busy];
      if (latencies.values.empty()) continue;
      const Distribution all = Describe(latencies.values);
      table.AddRow(table.Keep(devices.labels()[d]), busy ? "busy" : "idle", all.count,
                   latencies.early, RoundTenth(all.average), Percentile(latencies.values, 0.1),
                   RoundTenth(all.median), Percentile(latencies.values, 0.9), all.max);
    }
  }
  return table;
}

}  // namespace xsp
