#include <algorithm>
#include <string>

#include "stats/distribution.h"
#include "stats/nvtx_rows.h"
#include "stats/reports/reports.h"

namespace xsp {
namespace {

using Kind = StatsKind;

// A range with what was launched in it.
struct Projection {
  std::uint32_t range = 0;      // In NvtxIndex::ranges().
  TimeRange time;               // From the begin of the first operation to the end of the last.
  std::int64_t operations = 0;  // Calls that launched something: a graph launch is one.
};

// The time from first to last operation of each call, by number of the call; empty calls launched
// nothing. NVIDIA's rule: kernels, copies and memsets; no graphs traced as one piece.
struct LaunchedWork {
  std::vector<EventId> calls;    // Those that launched something, by begin.
  std::vector<TimeRange> hulls;  // By number of the call.
};

LaunchedWork CollectLaunchedWork(const ReportInput& in) {
  const EventSpan span = in.trace.OfKind(EventKind::kApi);
  LaunchedWork work;
  std::vector<bool> launched(span.last - span.first);
  work.hulls.resize(launched.size());
  for (EventKind kind : {EventKind::kKernel, EventKind::kMemcpy, EventKind::kMemset}) {
    in.events.ForEach(kind, [&](EventId e) {
      const EventId call = in.trace.call_of(e);
      if (!call.valid()) return;
      const std::uint32_t number = call.value - span.first;
      TimeRange& hull = work.hulls[number];
      const TimeRange time = {in.trace.begin(e), in.trace.end(e)};
      hull = launched[number]
                 ? TimeRange{std::min(hull.begin, time.begin), std::max(hull.end, time.end)}
                 : time;
      launched[number] = true;
    });
  }
  for (EventId call : span) {
    if (launched[call.value - span.first]) work.calls.push_back(call);
  }
  return work;
}

// All ranges in which something was launched, by begin of the projection, then by range number.
std::vector<Projection> Project(const ReportInput& in) {
  const NvtxIndex& index = in.indexes.nvtx();
  const LaunchedWork work = CollectLaunchedWork(in);
  const CallsByThread by_thread = SortCallsByThread(in.trace, work.calls);
  const std::uint32_t first_call = in.trace.OfKind(EventKind::kApi).first;
  std::vector<Projection> result;
  for (std::size_t t = 0; t < in.trace.tracks().size(); ++t) {
    const auto [first, last] = index.OfThread(TrackId(t));
    if (first == last) continue;
    std::vector<TimeRange> ranges, calls, hulls;
    for (std::uint32_t i = first; i < last; ++i) {
      const EventId e = index.ranges()[i].event;
      ranges.push_back({in.trace.begin(e), in.trace.end(e)});
    }
    for (EventId call : by_thread.OfThread(TrackId(t))) {
      calls.push_back({in.trace.begin(call), in.trace.end(call)});
      hulls.push_back(work.hulls[call.value - first_call]);
    }
    const std::vector<Enclosed> enclosed = CollectEnclosed(ranges, calls, hulls);
    for (std::uint32_t i = first; i < last; ++i) {
      const Enclosed& e = enclosed[i - first];
      if (e.count > 0) result.push_back({i, e.hull, e.count});
    }
  }
  std::sort(result.begin(), result.end(), [&](const Projection& a, const Projection& b) {
    if (a.time.begin != b.time.begin) return a.time.begin < b.time.begin;
    return index.RangeId(index.ranges()[a.range]) < index.RangeId(index.ranges()[b.range]);
  });
  return result;
}

// What nvtx_gpu_proj_sum adds up besides the projected times.
struct ProjectionTotals {
  DurationNs range_time = 0;
  std::int64_t operations = 0;
  std::int64_t levels = 0;
  std::int64_t children = 0;
};

double Mean(std::int64_t sum, std::int64_t count) {
  return RoundTenth(static_cast<double>(sum) / static_cast<double>(count));
}

}  // namespace

StatsTable NvtxGpuProjSum(const ReportInput& in) {
  StatsTable table("nvtx_gpu_proj_sum", "NVTX GPU Projection Summary",
                   {{"Range", Kind::kText},
                    {"Style", Kind::kText},
                    {"Total Proj Time", Kind::kTime},
                    {"Total Range Time", Kind::kTime},
                    {"Range Instances", Kind::kInteger},
                    {"Proj Avg", Kind::kTimeReal},
                    {"Proj Med", Kind::kTimeReal},
                    {"Proj Min", Kind::kTime},
                    {"Proj Max", Kind::kTime},
                    {"Proj StdDev", Kind::kTimeReal},
                    {"Total GPU Ops", Kind::kInteger},
                    {"Avg GPU Ops", Kind::kReal},
                    {"Avg Range Lvl", Kind::kReal},
                    {"Avg Num Child", Kind::kReal}});
  GroupedValues<3> times;
  std::vector<ProjectionTotals> totals;
  for (const Projection& p : Project(in)) {
    const NvtxRange& range = in.indexes.nvtx().ranges()[p.range];
    const RangeName name = RangeNameOf(in.trace, range.event, range.kind);
    const std::uint32_t group =
        times.Add({name.domain.value, name.text.value, static_cast<std::uint32_t>(range.kind)},
                  p.time.Length());
    if (group == totals.size()) totals.emplace_back();
    totals[group].range_time += in.trace.duration(range.event);
    totals[group].operations += p.operations;
    totals[group].levels += range.level;
    totals[group].children += range.children;
  }
  const auto groups = times.Finish();
  std::vector<std::size_t> order(groups.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return groups[a].values.total > groups[b].values.total;
  });
  for (std::size_t i : order) {
    const auto& [key, d] = groups[i];
    const ProjectionTotals& sum = totals[i];
    table.AddRow(table.Keep(NvtxLabel(in.trace, StringId(key[0]), StringId(key[1]))),
                 StyleOf(static_cast<EventKind>(key[2])), d.total, sum.range_time, d.count,
                 RoundTenth(d.average), RoundTenth(d.median), d.min, d.max, RoundTenth(d.deviation),
                 sum.operations, Mean(sum.operations, d.count), Mean(sum.levels, d.count),
                 Mean(sum.children, d.count));
  }
  return table;
}

StatsTable NvtxGpuProjTrace(const ReportInput& in) {
  StatsTable table("nvtx_gpu_proj_trace", "NVTX GPU Projection Trace",
                   {{"Name", Kind::kText},
                    {"Projected Start", Kind::kTime},
                    {"Projected Duration", Kind::kTime},
                    {"Orig Start", Kind::kTime},
                    {"Orig Duration", Kind::kTime},
                    {"Style", Kind::kText},
                    {"PID", Kind::kId},
                    {"TID", Kind::kId},
                    {"NumGPUOps", Kind::kInteger},
                    {"Lvl", Kind::kId},
                    {"NumChild", Kind::kInteger},
                    {"RangeId", Kind::kId},
                    {"ParentId", Kind::kId},
                    {"RangeStack", Kind::kText}});
  const NvtxIndex& index = in.indexes.nvtx();
  RangeStacks stacks(index, table);
  for (const Projection& p : Project(in)) {
    const NvtxRange& range = index.ranges()[p.range];
    const Track& thread = in.trace.track(range.thread);
    table.AddRow(table.Keep(LabelOf(in.trace, range)), p.time.begin, p.time.Length(),
                 in.trace.begin(range.event), in.trace.duration(range.event), StyleOf(range.kind),
                 in.trace.process(thread.process).pid, thread.thread, p.operations, range.level,
                 range.children, index.RangeId(range), stacks.ParentId(range), stacks.Of(p.range));
  }
  return table;
}

}  // namespace xsp
