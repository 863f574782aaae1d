#include "report/idle_report.h"

#include <algorithm>

#include "graph/explain.h"
#include "hierarchy/host_ranges.h"
#include "report/devices.h"
#include "report/task_words.h"
#include "report/units.h"

namespace xsp {
namespace {

Table CausesTable(const TaskGraph& graph, const IdleReport& idle) {
  Table table("Why devices were idle", {{"device", "device", ColumnKind::kInt},
                                        {"cause", "cause"},
                                        {"time", "ns", ColumnKind::kDuration},
                                        {"of idle", "share", ColumnKind::kShare},
                                        {"", "bar", ColumnKind::kBar, 1},
                                        {"gaps", "count", ColumnKind::kInt}});
  for (std::uint32_t i = 0; i < idle.devices.size(); ++i) {
    const DeviceIdle& device = idle.devices[i];
    std::vector<std::size_t> order;
    for (std::size_t k = 0; k < kIdleCauseCount; ++k) {
      if (device.causes[k].ns > 0) order.push_back(k);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return device.causes[a].ns > device.causes[b].ns;
    });
    for (std::size_t k : order) {
      const double share =
          static_cast<double>(device.causes[k].ns) / static_cast<double>(device.idle);
      table.AddRow({DeviceNumber(graph, i), NameOf(static_cast<IdleCause>(k)), device.causes[k].ns,
                    share, share, device.causes[k].count});
    }
  }
  return table;
}

// The innermost range open at the host task that held things up.
std::string_view RangeOf(const TaskGraph& graph, const HostRanges& ranges, TaskId host) {
  if (!host.valid() || graph.kind[host.value] != TaskKind::kCall) return {};
  const HostRanges::Place place = ranges.OfCall(graph.event[host.value]);
  return place.range == HostRanges::kNone ? std::string_view()
                                          : graph.trace->name(ranges.event(place.range));
}

std::vector<IdleGap> LongestGaps(const IdleReport& idle, const IdleReportOptions& options) {
  std::vector<IdleGap> gaps;
  for (const IdleGap& gap : idle.gaps) {
    if (gap.time.Length() >= options.min_gap) gaps.push_back(gap);
  }
  std::stable_sort(gaps.begin(), gaps.end(), [](const IdleGap& a, const IdleGap& b) {
    return a.time.Length() > b.time.Length();
  });
  if (options.top > 0 && gaps.size() > options.top) gaps.resize(options.top);
  return gaps;
}

Table ProfileTable(const HostProfile& profile, std::size_t top) {
  Table table("What the host did in its untraced time", {{"known from", "source"},
                                                         {"what", "name", ColumnKind::kName},
                                                         {"time", "ns", ColumnKind::kDuration},
                                                         {"share", "share", ColumnKind::kShare},
                                                         {"count", "count", ColumnKind::kInt}});
  std::size_t shown = 0;
  ActivitySource current = ActivitySource::kRange;
  for (const HostActivity& activity : profile.activities) {
    if (activity.source != current) shown = 0;
    current = activity.source;
    if (top > 0 && shown++ >= top) continue;
    table.AddRow({NameOf(activity.source), activity.name, activity.ns,
                  profile.total > 0
                      ? static_cast<double>(activity.ns) / static_cast<double>(profile.total)
                      : 0.0,
                  activity.count});
  }
  if (!profile.has_samples) {
    table.AddNote("CPU samples were not recorded: add --sample=process-tree to see functions.");
  }
  if (!profile.has_os_calls) {
    table.AddNote("Operating-system calls were not recorded: add --trace=cuda,nvtx,osrt.");
  }
  return table;
}

}  // namespace

Report MakeIdleReport(const TaskGraph& graph, const IdleReport& idle, const HostProfile& profile,
                      const TraceSource& source, const Window& window,
                      const IdleReportOptions& options) {
  Report report;
  report.command = "idle";
  report.traces = {source};
  report.about = {GpuWords(*graph.trace)};
  report.window = window;
  const HostRanges ranges(*graph.trace);
  Table worst("The longest gaps", {{"gap", "ns", ColumnKind::kDuration},
                                   {"at", "begin_ns", ColumnKind::kDuration},
                                   {"device", "device", ColumnKind::kInt},
                                   {"mainly", "cause"},
                                   {"that", "cause_ns", ColumnKind::kDuration},
                                   {"range", "range", ColumnKind::kName},
                                   {"host", "host", ColumnKind::kName},
                                   {"task", "task", ColumnKind::kInt}});
  Json gaps = Json::array();
  for (const IdleGap& gap : LongestGaps(idle, options)) {
    const std::string_view range = RangeOf(graph, ranges, gap.host);
    const std::string host = gap.host.valid() ? DescribeTask(graph, gap.host) : std::string();
    worst.AddRow({gap.time.Length(), gap.time.begin, DeviceNumber(graph, gap.device),
                  NameOf(gap.main_cause), gap.main_ns, range.empty() ? Cell() : Cell(range),
                  host.empty() ? Cell() : Cell(host),
                  gap.next.valid() ? Cell(gap.next.value) : Cell()});
    gaps.push_back({{"begin_ns", gap.time.begin},
                    {"end_ns", gap.time.end},
                    {"device", DeviceNumber(graph, gap.device)},
                    {"cause", NameOf(gap.main_cause)},
                    {"cause_ns", gap.main_ns},
                    {"range", range.empty() ? Json(nullptr) : JsonText(range)},
                    {"host", host.empty() ? Json(nullptr) : JsonText(host)},
                    {"task", gap.next.valid() ? Json(gap.next.value) : Json(nullptr)}});
  }
  Json devices = Json::array();
  for (std::uint32_t i = 0; i < idle.devices.size(); ++i) {
    Json causes = Json::array();
    for (std::size_t k = 0; k < kIdleCauseCount; ++k) {
      const IdleTime& time = idle.devices[i].causes[k];
      if (time.ns == 0) continue;
      causes.push_back(
          {{"cause", NameOf(static_cast<IdleCause>(k))}, {"ns", time.ns}, {"count", time.count}});
    }
    devices.push_back({{"device", DeviceNumber(graph, i)},
                       {"idle_ns", idle.devices[i].idle},
                       {"window_ns", idle.window.Length()},
                       {"causes", causes}});
    report.sections.emplace_back("Device " + std::to_string(DeviceNumber(graph, i)) +
                                 " was idle for " + FormatDuration(idle.devices[i].idle) + " of " +
                                 FormatDuration(idle.window.Length()) + ".");
  }
  report.sections.emplace_back(CausesTable(graph, idle));
  report.sections.emplace_back(std::move(worst));
  if (profile.total > 0) report.sections.emplace_back(ProfileTable(profile, options.top));
  Json activities = Json::array();
  for (const HostActivity& activity : profile.activities) {
    activities.push_back({{"source", NameOf(activity.source)},
                          {"name", JsonText(activity.name)},
                          {"ns", activity.ns},
                          {"count", activity.count}});
  }
  report.fields["devices"] = devices;
  report.fields["gaps"] = gaps;
  report.fields["host"] = {{"untraced_ns", profile.total}, {"activities", activities}};
  return report;
}

}  // namespace xsp
