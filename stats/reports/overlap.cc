#include <algorithm>
#include <array>

#include "stats/communication.h"
#include "stats/distribution.h"
#include "stats/reports/reports.h"

namespace xsp {
namespace {

// Bits of what runs at a time.
enum Activity : std::uint8_t { kCompute = 1, kCopy = 2, kCommunication = 4 };
constexpr std::size_t kMixes = 8;

constexpr std::array<std::string_view, kMixes> kMixNames = {
    "idle",
    "compute alone",
    "copy alone",
    "compute + copy",
    "communication alone",
    "compute + communication",
    "copy + communication",
    "compute + copy + communication",
};
// The order of the rows.
constexpr std::array<std::size_t, kMixes> kMixOrder = {1, 2, 4, 3, 5, 6, 7, 0};

// An activity begins or ends.
struct Change {
  TimeNs time;
  Activity activity;
  bool begins;
};

Activity ActivityOf(EventId e, EventKind kind, CommunicationKernels& communication) {
  if (kind == EventKind::kGraphSpan) return kCompute;
  if (kind != EventKind::kKernel) return kCopy;
  return communication.Contains(e) ? kCommunication : kCompute;
}

std::vector<std::vector<Change>> ChangesByDevice(const ReportInput& in,
                                                 const TrackGroups& devices) {
  std::vector<std::vector<Change>> changes(devices.labels().size());
  CommunicationKernels communication(in.trace);
  for (EventKind kind : {EventKind::kKernel, EventKind::kMemcpy, EventKind::kMigration,
                         EventKind::kMemset, EventKind::kGraphSpan}) {
    in.events.ForEach(kind, [&](EventId e) {
      const std::size_t device = devices.Of(in.trace.track_of(e));
      if (device == changes.size()) return;
      const Activity activity = ActivityOf(e, kind, communication);
      changes[device].push_back({in.trace.begin(e), activity, true});
      changes[device].push_back({in.trace.end(e), activity, false});
    });
  }
  return changes;
}

// How long each mix of activities lasted from the first change to the last.
std::array<DurationNs, kMixes> TimeByMix(std::vector<Change>& changes) {
  std::sort(changes.begin(), changes.end(),
            [](const Change& a, const Change& b) { return a.time < b.time; });
  std::array<DurationNs, kMixes> time{};
  std::array<std::int64_t, kMixes> running{};  // By activity bit.
  TimeNs now = changes.front().time;
  for (const Change& change : changes) {
    std::size_t mix = 0;
    for (Activity activity : {kCompute, kCopy, kCommunication}) {
      if (running[activity] > 0) mix |= activity;
    }
    time[mix] += change.time - now;
    now = change.time;
    running[change.activity] += change.begins ? 1 : -1;
  }
  return time;
}

}  // namespace

StatsTable Overlap(const ReportInput& in) {
  StatsTable table("overlap", "Compute, copies and communication: alone and together",
                   {{"Device", StatsKind::kText},
                    {"Time", StatsKind::kPercent},
                    {"Total Time", StatsKind::kTime},
                    {"Activity", StatsKind::kText}});
  const TrackGroups devices(in.trace, GroupBy::kDevice);
  std::vector<std::vector<Change>> changes = ChangesByDevice(in, devices);
  for (std::size_t d = 0; d < changes.size(); ++d) {
    if (changes[d].empty()) continue;
    const std::array<DurationNs, kMixes> time = TimeByMix(changes[d]);
    DurationNs span = 0;
    for (DurationNs part : time) span += part;
    const std::string_view device = table.Keep(devices.labels()[d]);
    for (std::size_t mix : kMixOrder) {
      table.AddRow(device, PercentOf(time[mix], span), time[mix], kMixNames[mix]);
    }
  }
  return table;
}

}  // namespace xsp
