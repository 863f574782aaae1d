#include <array>
#include <initializer_list>
#include <string>
#include <utility>

#include "stats/distribution.h"
#include "stats/nvtx_rows.h"
#include "stats/reports/reports.h"

namespace xsp {
namespace {

// Ranges by domain name, text and style. Domains of different processes that have the same name
// print alike, so they are one row.
GroupedValues<3> RangeTimes(const ReportInput& in, std::initializer_list<EventKind> kinds) {
  GroupedValues<3> ranges;
  for (EventKind kind : kinds) {
    in.events.ForEach(kind, [&](EventId e) {
      const RangeName name = RangeNameOf(in.trace, e, kind);
      ranges.Add({name.domain.value, name.text.value, static_cast<std::uint32_t>(kind)},
                 in.trace.duration(e));
    });
  }
  return ranges;
}

std::string_view Label(const ReportInput& in, const std::array<std::uint32_t, 3>& key,
                       StatsTable& table) {
  return table.Keep(NvtxLabel(in.trace, StringId(key[0]), StringId(key[1])));
}

StatsTable RangeSum(const ReportInput& in, std::string name, std::string title, EventKind kind) {
  StatsTable table(std::move(name), std::move(title),
                   TimeSummaryColumns("Instances", {{"Range", StatsKind::kText}}));
  AddNamedSummaries(table, RangeTimes(in, {kind}),
                    [&](const auto& key) { return Label(in, key, table); });
  return table;
}

}  // namespace

StatsTable NvtxSum(const ReportInput& in) {
  StatsTable table(
      "nvtx_sum", "NVTX Range Summary",
      TimeSummaryColumns("Instances", {{"Style", StatsKind::kText}, {"Range", StatsKind::kText}}));
  std::vector<SummaryRow<2>> rows;
  const auto ranges = RangeTimes(in, {EventKind::kNvtxPushPop, EventKind::kNvtxStartEnd});
  for (const auto& group : ranges.Finish()) {
    const auto kind = static_cast<EventKind>(group.key[2]);
    rows.push_back({group.values, {StyleOf(kind), Label(in, group.key, table)}});
  }
  AddSummaries(table, std::move(rows));
  return table;
}

StatsTable NvtxPushPopSum(const ReportInput& in) {
  return RangeSum(in, "nvtx_pushpop_sum", "NVTX Push/Pop Range Summary", EventKind::kNvtxPushPop);
}

StatsTable NvtxStartEndSum(const ReportInput& in) {
  return RangeSum(in, "nvtx_startend_sum", "NVTX Start/End Range Summary",
                  EventKind::kNvtxStartEnd);
}

StatsTable NvtxPushPopTrace(const ReportInput& in) {
  StatsTable table("nvtx_pushpop_trace", "NVTX Push/Pop Range Trace",
                   {{"Start", StatsKind::kTime},
                    {"End", StatsKind::kTime},
                    {"Duration", StatsKind::kTime},
                    {"DurChild", StatsKind::kTime},
                    {"DurNonChild", StatsKind::kTime},
                    {"Name", StatsKind::kText},
                    {"PID", StatsKind::kId},
                    {"TID", StatsKind::kId},
                    {"Lvl", StatsKind::kId},
                    {"NumChild", StatsKind::kInteger},
                    {"RangeId", StatsKind::kId},
                    {"ParentId", StatsKind::kId},
                    {"RangeStack", StatsKind::kText},
                    {"NameTree", StatsKind::kText}});
  const Trace& trace = in.trace;
  const NvtxIndex& index = in.indexes.nvtx();
  RangeStacks stacks(index, table);
  for (std::uint32_t i : SelectedPushPops(in)) {
    const NvtxRange& range = index.ranges()[i];
    const Track& thread = trace.track(range.thread);
    const DurationNs duration = trace.duration(range.event);
    const std::string_view name = table.Keep(LabelOf(trace, range));
    table.AddRow(trace.begin(range.event), trace.end(range.event), duration, range.children_time,
                 duration - range.children_time, name, trace.process(thread.process).pid,
                 thread.thread, range.level, range.children, index.RangeId(range),
                 stacks.ParentId(range), stacks.Of(i),
                 table.Keep(std::string(2 * range.level, '-') + std::string(name)));
  }
  return table;
}

}  // namespace xsp
