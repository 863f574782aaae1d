#include <algorithm>
#include <array>

#include "stats/distribution.h"
#include "stats/reports/reports.h"

namespace xsp {
namespace {

// NVIDIA counts nsys' backtrace copies of calls among the calls.
constexpr std::array kCallKinds = {EventKind::kApi, EventKind::kApiBacktrace};

}  // namespace

StatsTable CudaApiSum(const ReportInput& in) {
  StatsTable table("cuda_api_sum", "CUDA API Summary",
                   TimeSummaryColumns("Num Calls", {{"Name", StatsKind::kText}}));
  GroupedValues<1> calls;
  for (EventKind kind : kCallKinds) {
    in.events.ForEach(
        kind, [&](EventId e) { calls.Add({in.trace.name_of(e).value}, in.trace.duration(e)); });
  }
  AddNamedSummaries(table, calls, [&](const auto& key) {
    return CallLabel(in.trace.strings().Get(StringId(key[0])));
  });
  return table;
}

StatsTable CudaApiTrace(const ReportInput& in) {
  StatsTable table("cuda_api_trace", "CUDA API Trace",
                   {{"Start", StatsKind::kTime},
                    {"Duration", StatsKind::kTime},
                    {"Name", StatsKind::kText},
                    {"Result", StatsKind::kId},
                    {"CorrID", StatsKind::kId},
                    {"Pid", StatsKind::kId},
                    {"Tid", StatsKind::kId},
                    {"T-Pri", StatsKind::kId},
                    {"Thread Name", StatsKind::kText}});
  std::vector<EventId> calls;
  for (EventKind kind : kCallKinds) in.events.ForEach(kind, [&](EventId e) { calls.push_back(e); });
  std::stable_sort(calls.begin(), calls.end(),
                   [&](EventId a, EventId b) { return in.trace.begin(a) < in.trace.begin(b); });
  for (EventId e : calls) {
    const Track& thread = in.trace.track(in.trace.track_of(e));
    table.AddRow(in.trace.begin(e), in.trace.duration(e), CallLabel(in.trace.name(e)),
                 in.trace.calls().return_value[in.trace.Row(e, EventKind::kApi)],
                 in.trace.events().correlation[e.value], in.trace.process(thread.process).pid,
                 thread.thread, thread.priority, in.trace.strings().Get(thread.name));
  }
  return table;
}

}  // namespace xsp
