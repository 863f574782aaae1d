#include <algorithm>
#include <optional>
#include <string>

#include "base/error.h"
#include "stats/distribution.h"
#include "stats/nvtx_rows.h"
#include "stats/reports/reports.h"

namespace xsp {
namespace {

// A kernel and a row of the call that launched it; no call: nobody knows who did.
struct Launch {
  EventId kernel;
  EventId call;
};

// What a row of the report is about: thread, domain and text of the range, its style, the kernel.
using Values = GroupedValues<5>;
constexpr std::uint32_t kNone = StringId::kNone;
constexpr std::size_t kFreePairs = 8 << 20, kPairsPerLaunch = 64;

// Launches by begin of the call, so that a sweep over a thread meets them in order.
std::vector<Launch> CollectLaunches(const ReportInput& in) {
  std::vector<Launch> launches;
  const CallIndex& calls = in.indexes.calls();
  in.events.ForEach(EventKind::kKernel, [&](EventId kernel) {
    bool linked = false;
    calls.ForEach(kernel, [&](EventId call) {
      launches.push_back({kernel, call});
      linked = true;
    });
    if (!linked) launches.push_back({kernel, EventId()});
  });
  std::stable_sort(launches.begin(), launches.end(), [&](const Launch& a, const Launch& b) {
    if (a.call.valid() != b.call.valid()) return a.call.valid();
    if (!a.call.valid()) return false;
    const TrackId thread_a = in.trace.track_of(a.call), thread_b = in.trace.track_of(b.call);
    if (thread_a != thread_b) return thread_a < thread_b;
    return in.trace.begin(a.call) < in.trace.begin(b.call);
  });
  return launches;
}

// The ranges of one thread that are open as time goes on.
class OpenRanges {
 public:
  OpenRanges(const Trace& trace, const NvtxIndex& index, TrackId thread)
      : trace_(trace), index_(index) {
    std::tie(next_, last_) = index.OfThread(thread);
  }

  // Calls f(range) for each range that holds the call. Calls must come in order of begin. What has
  // ended is dropped on the way, so the work is that of the ranges open: `open_count` of them.
  std::size_t open_count() const { return open_.size(); }
  template <class F>
  void ForEachAround(EventId call, F&& f) {
    const TimeNs begin = trace_.begin(call), end = trace_.end(call);
    for (; next_ < last_ && trace_.begin(index_.ranges()[next_].event) <= begin; ++next_) {
      open_.push_back(next_);
    }
    std::erase_if(open_, [&](std::uint32_t r) { return EndOf(r) < begin; });
    for (std::uint32_t r : open_) {
      if (EndOf(r) >= end) f(r);
    }
  }

 private:
  TimeNs EndOf(std::uint32_t range) const { return trace_.end(index_.ranges()[range].event); }

  const Trace& trace_;
  const NvtxIndex& index_;
  std::uint32_t next_ = 0, last_ = 0;
  std::vector<std::uint32_t> open_;
};

// The kernels of each group, and which ranges those were in.
struct RangeKernels {
  Values times;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges;  // (group, range), some repeated.
};

RangeKernels Collect(const ReportInput& in) {
  const Trace& trace = in.trace;
  const NvtxIndex& index = in.indexes.nvtx();
  RangeKernels result;
  TrackId thread;
  std::optional<OpenRanges> open;
  const std::vector<Launch> launches = CollectLaunches(in);
  // Every pair of a kernel and a range around it is a value. Where thousands of ranges are open,
  // which no program means, the pairs would fill the memory.
  std::size_t pairs_left = kFreePairs + kPairsPerLaunch * launches.size();
  for (const Launch& launch : launches) {
    const StringId name = KernelName(trace, launch.kernel, in.options.names);
    const DurationNs duration = trace.duration(launch.kernel);
    if (!launch.call.valid()) {
      result.times.Add({kNone, kNone, kNone, kNone, name.value}, duration);
      continue;
    }
    if (!open || trace.track_of(launch.call) != thread) {
      thread = trace.track_of(launch.call);
      open.emplace(trace, index, thread);
    }
    if (open->open_count() > pairs_left) {
      throw Error("nvtx_kern_sum: " + std::to_string(open->open_count()) +
                      " NVTX ranges are open at once, too many to count each kernel in each",
                  "nvtx_gpu_proj_sum has the same ranges without the kernels");
    }
    pairs_left -= open->open_count();
    bool in_a_range = false;
    open->ForEachAround(launch.call, [&](std::uint32_t r) {
      const NvtxRange& range = index.ranges()[r];
      const RangeName label = RangeNameOf(trace, range.event, range.kind);
      const std::uint32_t group =
          result.times.Add({thread.value, label.domain.value, label.text.value,
                            static_cast<std::uint32_t>(range.kind), name.value},
                           duration);
      result.ranges.emplace_back(group, r);
      in_a_range = true;
    });
    if (!in_a_range) result.times.Add({thread.value, kNone, kNone, kNone, name.value}, duration);
  }
  return result;
}

// How many different ranges each group's kernels were in.
std::vector<std::int64_t> CountRanges(RangeKernels& kernels, std::size_t groups) {
  std::sort(kernels.ranges.begin(), kernels.ranges.end());
  kernels.ranges.erase(std::unique(kernels.ranges.begin(), kernels.ranges.end()),
                       kernels.ranges.end());
  std::vector<std::int64_t> counts(groups, 0);
  for (const auto& [group, range] : kernels.ranges) ++counts[group];
  return counts;
}

}  // namespace

StatsTable NvtxKernSum(const ReportInput& in) {
  StatsTable table("nvtx_kern_sum", "NVTX Range Kernel Summary",
                   {{"NVTX Range", StatsKind::kText},
                    {"Style", StatsKind::kText},
                    {"PID", StatsKind::kId},
                    {"TID", StatsKind::kId},
                    {"NVTX Inst", StatsKind::kInteger},
                    {"Kern Inst", StatsKind::kInteger},
                    {"Total Time", StatsKind::kTime},
                    {"Avg", StatsKind::kTimeReal},
                    {"Med", StatsKind::kTimeReal},
                    {"Min", StatsKind::kTime},
                    {"Max", StatsKind::kTime},
                    {"StdDev", StatsKind::kTimeReal},
                    {"Kernel Name", StatsKind::kText}});
  RangeKernels kernels = Collect(in);
  const auto groups = kernels.times.Finish();
  const std::vector<std::int64_t> instances = CountRanges(kernels, groups.size());
  std::vector<std::size_t> order(groups.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return groups[a].values.total > groups[b].values.total;
  });
  for (std::size_t i : order) {
    const auto& [key, d] = groups[i];
    std::optional<std::string_view> range, style;
    if (key[3] != kNone) {
      range = table.Keep(NvtxLabel(in.trace, StringId(key[1]), StringId(key[2])));
      style = StyleOf(static_cast<EventKind>(key[3]));
    }
    std::optional<std::uint32_t> pid, tid;
    if (key[0] != kNone) {
      const Track& thread = in.trace.track(TrackId(key[0]));
      pid = in.trace.process(thread.process).pid;
      tid = thread.thread;
    }
    table.AddRow(range, style, pid, tid, instances[i], d.count, d.total, RoundTenth(d.average),
                 RoundTenth(d.median), d.min, d.max, RoundTenth(d.deviation),
                 in.trace.strings().Get(StringId(key[4])));
  }
  return table;
}

}  // namespace xsp
