#include <algorithm>
#include <optional>
#include <string>

#include "stats/distribution.h"
#include "stats/reports/reports.h"

namespace xsp {
namespace {

using Kind = StatsKind;

// A kernel joined with a row of the call that launched it.
struct Execution {
  EventId kernel;
  EventId call;
};

template <class F>
void ForEachExecution(const ReportInput& in, F&& f) {
  const CallIndex& calls = in.indexes.calls();
  in.events.ForEach(EventKind::kKernel, [&](EventId kernel) {
    calls.ForEach(kernel, [&](EventId call) { f(Execution{kernel, call}); });
  });
}

// From the end of the call to the begin of the kernel; nothing if that is negative.
std::optional<DurationNs> QueueTime(const Trace& trace, Execution x) {
  const DurationNs queue = trace.begin(x.kernel) - trace.end(x.call);
  return queue >= 0 ? std::optional(queue) : std::nullopt;
}

DurationNs TotalTime(const Trace& trace, Execution x) {
  return std::max(trace.end(x.call), trace.end(x.kernel)) - trace.begin(x.call);
}

// The columns of one phase: "TAvg", "TMed", ...
void AppendPhase(char letter, std::vector<StatsColumn>& columns) {
  const std::string prefix(1, letter);
  columns.push_back({prefix + "Avg", Kind::kTimeReal});
  columns.push_back({prefix + "Med", Kind::kTimeReal});
  columns.push_back({prefix + "Min", Kind::kTime});
  columns.push_back({prefix + "Max", Kind::kTime});
  columns.push_back({prefix + "StdDev", Kind::kTimeReal});
}

std::vector<StatsColumn> SumColumns() {
  std::vector<StatsColumn> columns = {{"PID", Kind::kId},
                                      {"TID", Kind::kId},
                                      {"DevId", Kind::kId},
                                      {"Count", Kind::kInteger},
                                      {"QCount", Kind::kInteger}};
  for (char phase : {'T', 'A', 'Q', 'K'}) AppendPhase(phase, columns);
  columns.push_back({"API Name", Kind::kText});
  columns.push_back({"Kernel Name", Kind::kText});
  return columns;
}

// Thread, device, call, range, kernel name. The thread's track stands for its process, too.
using Key = GroupedValues<5>::Key;

// The executions of each key, by phase. All four number their groups alike.
struct Phases {
  GroupedValues<5> total, call, queue, kernel;

  void Add(const Trace& trace, const Key& key, Execution x) {
    total.Add(key, TotalTime(trace, x));
    call.Add(key, trace.duration(x.call));
    kernel.Add(key, trace.duration(x.kernel));
    queue.GroupOf(key);
    if (const auto time = QueueTime(trace, x)) queue.Add(key, *time);
  }
};

// Five values of a phase; unknown if it never happened.
struct PhaseCells {
  explicit PhaseCells(const Distribution& d) {
    if (d.count == 0) return;
    average = RoundTenth(d.average);
    median = RoundTenth(d.median);
    deviation = RoundTenth(d.deviation);
    min = d.min;
    max = d.max;
  }
  std::optional<double> average, median, deviation;
  std::optional<std::int64_t> min, max;
};

}  // namespace

StatsTable CudaKernExecSum(const ReportInput& in) {
  StatsTable table("cuda_kern_exec_sum", "CUDA Kernel Launch & Exec Time Summary", SumColumns());
  const Trace& trace = in.trace;
  Phases phases;
  ForEachExecution(in, [&](Execution x) {
    const KernelTitle title = TitleOf(in, x.kernel);
    phases.Add(trace,
               {trace.track_of(x.call).value, trace.track(trace.track_of(x.kernel)).device,
                trace.name_of(x.call).value, title.range.value, title.name.value},
               x);
  });
  const auto totals = phases.total.Finish(), calls = phases.call.Finish(),
             queues = phases.queue.Finish(), kernels = phases.kernel.Finish();
  std::vector<std::size_t> order(totals.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return totals[a].values.average > totals[b].values.average;
  });
  for (std::size_t i : order) {
    const Key& key = totals[i].key;
    const Track& thread = trace.track(TrackId(key[0]));
    const PhaseCells t(totals[i].values), a(calls[i].values), q(queues[i].values),
        k(kernels[i].values);
    table.AddRow(trace.process(thread.process).pid, thread.thread, key[1], totals[i].values.count,
                 queues[i].values.count, t.average, t.median, t.min, t.max, t.deviation, a.average,
                 a.median, a.min, a.max, a.deviation, q.average, q.median, q.min, q.max,
                 q.deviation, k.average, k.median, k.min, k.max, k.deviation,
                 CallLabel(trace.strings().Get(StringId(key[2]))),
                 Show(in, {StringId(key[3]), StringId(key[4])}, table));
  }
  return table;
}

StatsTable CudaKernExecTrace(const ReportInput& in) {
  StatsTable table("cuda_kern_exec_trace", "CUDA Kernel Launch & Exec Time Trace",
                   {{"API Start", Kind::kTime},
                    {"API Dur", Kind::kTime},
                    {"Queue Start", Kind::kTime},
                    {"Queue Dur", Kind::kTime},
                    {"Kernel Start", Kind::kTime},
                    {"Kernel Dur", Kind::kTime},
                    {"Total Dur", Kind::kTime},
                    {"PID", Kind::kId},
                    {"TID", Kind::kId},
                    {"DevId", Kind::kId},
                    {"API Function", Kind::kText},
                    {"GridXYZ", Kind::kText},
                    {"BlockXYZ", Kind::kText},
                    {"Kernel Name", Kind::kText}});
  const Trace& trace = in.trace;
  std::vector<Execution> executions;
  ForEachExecution(in, [&](Execution x) { executions.push_back(x); });
  std::stable_sort(executions.begin(), executions.end(), [&](Execution a, Execution b) {
    return trace.begin(a.call) < trace.begin(b.call);
  });
  for (Execution x : executions) {
    const Track& thread = trace.track(trace.track_of(x.call));
    const Kernels& k = trace.kernels();
    const std::uint32_t row = trace.Row(x.kernel, EventKind::kKernel);
    const std::optional<DurationNs> queue = QueueTime(trace, x);
    table.AddRow(trace.begin(x.call), trace.duration(x.call),
                 queue ? std::optional(trace.end(x.call)) : std::nullopt, queue,
                 trace.begin(x.kernel), trace.duration(x.kernel), TotalTime(trace, x),
                 trace.process(thread.process).pid, thread.thread,
                 trace.track(trace.track_of(x.kernel)).device, CallLabel(trace.name(x.call)),
                 table.Keep(SizeLabel(k.grid_x[row], k.grid_y[row], k.grid_z[row])),
                 table.Keep(SizeLabel(k.block_x[row], k.block_y[row], k.block_z[row])),
                 Show(in, TitleOf(in, x.kernel), table));
  }
  return table;
}

}  // namespace xsp
