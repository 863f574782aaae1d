#include "report/graph/idle_report.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "hierarchy/names/device_number.h"
#include "model/recorder.h"
#include "report/graph/replay_words.h"
#include "report/graph/task_words.h"
#include "report/tables/step_set_json.h"
#include "report/tables/units.h"

namespace xsp {
namespace {

std::string DeviceWords(const IdleReport& idle) {
  std::string text;
  for (const DeviceIdle& device : idle.devices) {
    text += (text.empty() ? "" : " ") + std::string("Device ") + std::to_string(device.number) +
            " was idle for " + FormatDuration(device.idle) + " of " + FormatDuration(idle.length) +
            ", " + FormatPercent(ShareOf(device.idle, idle.length)) + ".";
  }
  return text;
}

// The causes that have a share in a device's idle time, the largest first.
std::vector<IdleCause> CausesOf(const DeviceIdle& device) {
  std::vector<IdleCause> causes;
  for (std::size_t k = 0; k < kIdleCauseCount; ++k) {
    if (device.causes[k].ns > 0) causes.push_back(static_cast<IdleCause>(k));
  }
  std::stable_sort(causes.begin(), causes.end(),
                   [&](IdleCause a, IdleCause b) { return device.Of(a).ns > device.Of(b).ns; });
  return causes;
}

Table DevicesTable(const IdleReport& idle) {
  Table table("Devices", {{"device", "device", ColumnKind::kInt},
                          {"busy", "busy_ns", ColumnKind::kDuration},
                          {"idle", "idle_ns", ColumnKind::kDuration},
                          {"of", "window_ns", ColumnKind::kDuration}});
  for (const DeviceIdle& device : idle.devices) {
    table.AddRow({device.number, device.busy, device.idle, idle.length});
  }
  return table;
}

Table CausesTable(const IdleReport& idle) {
  Table table("Why", {{"device", "device", ColumnKind::kInt, kAlways},
                      {"cause", "cause", ColumnKind::kText, kAlways},
                      {"time", "ns", ColumnKind::kDuration, kAlways},
                      {"of idle", "share", ColumnKind::kShare},
                      {"", "bar", ColumnKind::kBar, 1},
                      {"gaps", "count", ColumnKind::kInt},
                      {"that is", "meaning", ColumnKind::kText, 2}});
  for (const DeviceIdle& device : idle.devices) {
    for (IdleCause cause : CausesOf(device)) {
      const double share = ShareOf(device.Of(cause).ns, device.idle);
      table.AddRow({device.number, NameOf(cause), device.Of(cause).ns, share, share,
                    device.Of(cause).count, Meaning(cause)});
    }
  }
  return table;
}

// The gaps of an IdleReport that are long enough, the longest first. There may be a million: they
// are put in order by number, and rows are made of them when they are written.
class LongestGaps {
 public:
  LongestGaps(const IdleReport& idle, DurationNs min_gap) : gaps_(idle.gaps) {
    for (std::uint32_t i = 0; i < gaps_.size(); ++i) {
      if (gaps_[i].time.Length() >= min_gap) order_.push_back(i);
    }
    std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
      const DurationNs length_a = gaps_[a].time.Length(), length_b = gaps_[b].time.Length();
      return length_a != length_b ? length_a > length_b : a < b;
    });
  }

  std::size_t size() const { return order_.size(); }
  const IdleGap& operator[](std::size_t i) const { return gaps_[order_[i]]; }

 private:
  const std::vector<IdleGap>& gaps_;
  std::vector<std::uint32_t> order_;
};

// The range that was open when the host held things up.
std::string_view RangeOf(const TaskGraph& graph, const OpenRanges& ranges, const IdleGap& gap) {
  if (!gap.host.valid()) return {};
  const TrackId track = graph.threads[graph.lane[gap.host]].track;
  return track.valid() ? ranges.MostOf(track, gap.host_time) : std::string_view();
}

// There may be a million: rows are made when they are written.
Table GapsTable(const TaskGraph& graph, const IdleReport& idle, LongestGaps gaps,
                const OpenRanges& ranges, std::size_t top) {
  constexpr Readers kScripts = Readers::kScripts;
  Table table("The longest gaps",
              {{"gap", "ns", ColumnKind::kDuration, kAlways},
               {"at", "begin_ns", ColumnKind::kDuration},
               {"", "end_ns", ColumnKind::kDuration, 0, 0, kScripts},
               {"device", "device", ColumnKind::kInt},
               {"mainly", "cause", ColumnKind::kText, kAlways},
               {"which took", "cause_ns", ColumnKind::kDuration, 3},
               {"", "unexplained_ns", ColumnKind::kDuration, 0, 0, kScripts},
               {"open range", "range", ColumnKind::kName},
               {"host in or before", "", ColumnKind::kName, 4, 0, Readers::kPeople},
               {"", "host", ColumnKind::kName, 0, 0, kScripts},
               {"", "host_task", ColumnKind::kId, 0, 0, kScripts},
               {"ended by task", "task", ColumnKind::kId, 4}});
  const std::size_t count = gaps.size();
  const auto words = std::make_shared<const TaskWords>(graph);
  table.SetRows(count, [&graph, &ranges, numbers = idle.numbers(), words,
                        gaps = std::move(gaps)](std::size_t i) {
    const IdleGap& gap = gaps[i];
    const std::string_view range = RangeOf(graph, ranges, gap);
    const bool has_host = gap.host.valid();
    return std::vector<Cell>{gap.time.Length(),
                             gap.time.begin,
                             gap.time.end,
                             numbers[gap.device],
                             NameOf(gap.main_cause),
                             gap.main_ns,
                             gap.unexplained,
                             range.empty() ? Cell() : Cell(range),
                             has_host ? Cell(words->NameAndPlace(gap.host)) : Cell(),
                             has_host ? Cell(words->Described(gap.host)) : Cell(),
                             has_host ? Cell(gap.host.value) : Cell(),
                             gap.next.valid() ? Cell(gap.next.value) : Cell()};
  });
  table.ShowFirst(top, " shorter ones: --top 0");
  return table;
}

void AddWhatIsMissing(const HostProfile& profile, const std::string& format, Table& table) {
  auto note = [&](bool is_there, const char* what, std::string_view option) {
    if (is_there) return;
    table.AddNote(std::string(what) + ": not recorded, add " + ToRecord(format, option) + ".");
  };
  note(profile.has_samples, "Functions", "--sample=process-tree");
  note(profile.has_os_calls, "Operating-system calls", "--trace=cuda,nvtx,osrt");
  note(profile.has_scheduling, "Scheduling", "--cpuctxsw=process-tree");
}

// Of each source the first ones; 0: all.
Table ProfileTable(const HostProfile& profile, const std::string& format, std::size_t top) {
  Table table(
      "What the host did meanwhile, in " + FormatDuration(profile.total) + " of untraced time",
      {{"known from", "source", ColumnKind::kText, kAlways},
       {"what", "name", ColumnKind::kName, kAlways},
       {"time", "ns", ColumnKind::kDuration},
       {"share", "share", ColumnKind::kShare},
       {"", "bar", ColumnKind::kBar, 1},
       {"count", "count", ColumnKind::kInt}});
  std::size_t shown = 0;
  ActivitySource current = ActivitySource::kRange;
  for (const HostActivity& activity : profile.activities) {
    if (activity.source != current) shown = 0;
    current = activity.source;
    if (top > 0 && shown++ >= top) continue;
    const double share = ShareOf(activity.ns, profile.total);
    table.AddRow({NameOf(activity.source), activity.name, activity.ns, share, std::min(share, 1.0),
                  activity.count});
  }
  AddWhatIsMissing(profile, format, table);
  return table;
}

}  // namespace

Report MakeIdleReport(const TaskGraph& graph, const IdleAnalysis& analysis,
                      const OpenRanges& ranges, const TraceSource& source, const Window& window,
                      const IdleReportOptions& options) {
  const IdleReport& idle = analysis.idle;
  const HostProfile& profile = analysis.profile;
  Report report("idle", source, GpuWords(*graph.trace), window);
  report.Show(DeviceWords(idle));
  report.Show(ReplayWarning(analysis.unit.run_measured, analysis.replayed));
  Table devices = DevicesTable(idle), causes = CausesTable(idle);
  devices.Nest("causes", causes, "device");
  report.AddBeside("causes", std::move(causes));
  report.Show(LateStartWords(FindLateStarts(graph, idle), idle.total()));
  report.AddForScripts("devices", std::move(devices));
  LongestGaps gaps(idle, options.min_gap);
  report.Add("gaps", GapsTable(graph, idle, std::move(gaps), ranges, options.top));
  const std::string& format = graph.trace->info().format;
  if (profile.total > 0) {
    report.Show(ProfileTable(profile, format, options.top));
  }
  report.fields["host"] = {{"untraced_ns", profile.total},
                           {"activities", report.AddBesideForScripts(
                                              "host_activities", ProfileTable(profile, format, 0))},
                           {"recorded",
                            {{"samples", profile.has_samples},
                             {"os_calls", profile.has_os_calls},
                             {"scheduling", profile.has_scheduling}}}};
  AddUnitFields(analysis.unit, report.fields);
  return report;
}

}  // namespace xsp
