#include "report/screens/overlap_stats.h"

#include <array>
#include <vector>

#include "hierarchy/totals/activity_mix.h"
#include "stats/distribution.h"

namespace xsp {
namespace {

constexpr std::array kWorkKinds = {EventKind::kKernel, EventKind::kMemcpy, EventKind::kMigration,
                                   EventKind::kMemset, EventKind::kGraphSpan};
constexpr std::array kNeedsWork = {NeededData{kWorkKinds, "GPU operations", "--trace=cuda"}};
constexpr char kTitle[] = "Compute, copies and communication: alone and together";

// The order of the rows: one activity, two, three, none.
constexpr std::array<std::size_t, kActivityMixes> kMixOrder = {1, 2, 4, 3, 5, 6, 7, 0};

std::vector<DeviceActivity> ActivityByDevice(const ReportInput& in, const TrackGroups& devices) {
  std::vector<DeviceActivity> activity(devices.labels().size());
  const KernelKinds& kinds = in.indexes.kinds();
  for (EventKind kind : kWorkKinds) {
    in.events.ForEach(kind, [&](EventId e) {
      const std::size_t device = devices.Of(in.trace.track_of(e));
      if (device == activity.size()) return;
      activity[device].Add({in.trace.begin(e), in.trace.end(e)}, ActivityOf(in.trace, kinds, e));
    });
  }
  return activity;
}

StatsTable OverlapTable(const ReportInput& in) {
  StatsTable table("overlap", kTitle,
                   {{"Device", StatsKind::kText},
                    {"Time", StatsKind::kPercent},
                    {"Total Time", StatsKind::kTime},
                    {"Activity", StatsKind::kText}});
  const TrackGroups devices(in.trace, GroupBy::kDevice);
  std::vector<DeviceActivity> activity = ActivityByDevice(in, devices);
  for (std::size_t d = 0; d < activity.size(); ++d) {
    if (activity[d].Empty()) continue;
    const ActivityMix lasted = activity[d].Mix();
    DurationNs span = 0;
    for (DurationNs part : lasted) span += part;
    const std::string_view device = table.Keep(devices.labels()[d]);
    for (std::size_t mix : kMixOrder) {
      table.AddRow(device, PercentOf(lasted[mix], span), lasted[mix], NameOfMix(mix));
    }
  }
  return table;
}

constexpr std::array<StatsTable (*)(const ReportInput&), 1> kOverlapTables = {OverlapTable};

}  // namespace

std::span<const StatsReport> PrintableStatsReports() {
  static const std::vector<StatsReport> reports = [] {
    std::vector<StatsReport> all(AllStatsReports().begin(), AllStatsReports().end());
    all.push_back({"overlap", kTitle, false, false, false, kOverlapTables, kNeedsWork});
    return all;
  }();
  return reports;
}

}  // namespace xsp
