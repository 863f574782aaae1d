#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "sim/whatifs/all.h"
#include "sim/whatifs/host/copies.h"

// Managed memory that kernels fault in page by page is moved before they begin, in one piece: they
// wait for no fault, and the data comes as fast as the link.
namespace xsp {
namespace {

constexpr WhatIfOption kManagedOptions[] = {
    {"bandwidth", "", "of a prefetch: 12GB; by default what the trace or PCIe gives"}};

// Page faults and migrations to a device, in the order of their begins, per device of a process.
struct Moves {
  std::vector<TimeRange> times;  // Disjoint: what overlaps is one.
  std::vector<double> bytes;     // Moved by then, of all that began within or before each time.
};

class ManagedPrefetch {
 public:
  ManagedPrefetch(Plan& plan, double bandwidth)
      : plan_(plan), graph_(plan.graph()), trace_(*graph_.trace), bandwidth_(bandwidth) {
    for (EventId e : trace_.OfKind(EventKind::kMigration)) {
      const std::uint32_t row = trace_.Row(e, EventKind::kMigration);
      if (trace_.copies().copy_kind[row] != CopyKind::kUnifiedHtoD) continue;
      const std::uint8_t cause = trace_.copies().migration_cause[row];
      has_prefetch_ |= cause == kUserPrefetch;
      if (cause == kUserPrefetch) continue;
      Add(MovesOf(e), {trace_.begin(e), trace_.end(e)},
          static_cast<double>(trace_.copies().bytes[row]));
    }
  }

  Applied Apply() {
    struct Stalled {
      TaskId kernel;
      double ns, bytes;
    };
    std::vector<Stalled> stalled;
    bool is_in_unit = false;
    for (const TaskId op : plan_.KernelsInOrder()) {
      const auto [ns, bytes] = StallOf(op);
      if (ns <= 0) continue;
      stalled.push_back({op, ns, bytes});
      is_in_unit |= plan_.Counts(op);
    }
    if (!is_in_unit) {
      return Applied::No(has_prefetch_ ? "its managed memory is prefetched already"
                                       : "no kernel waits for pages of managed memory");
    }
    const ChangeId kernels = plan_.AddChange("kernels that fault no pages in", "kind=kernel");
    const ChangeId copies = plan_.AddChange("prefetches to the device", "");
    for (const Stalled& of : stalled) {
      const auto before = static_cast<double>(plan_.Own(of.kernel));
      const double after = std::max(before - of.ns, plan_.machine().memory.StreamNs(of.bytes));
      const double least = std::min(before, after);
      // Behind a fault more than the migration passes: the kernel may gain more.
      plan_.SetDuration(of.kernel, {least, 0.7 * least, (least + before) / 2}, kernels);
      Insert(of.kernel, of.bytes, copies);
    }
    plan_.RestsOn(kScaling | kInserted);
    plan_.Assume("all that a kernel faulted in is known before it begins, and fits on the device");
    return Applied::Yes();
  }

 private:
  static constexpr std::uint8_t kUserPrefetch = 1;
  using Device = std::pair<std::uint32_t, std::uint32_t>;  // Process, ordinal.

  Moves& MovesOf(EventId e) {
    const Track& track = trace_.track(trace_.track_of(e));
    return moves_[{track.process.value, track.device}];
  }

  static void Add(Moves& moves, TimeRange time, double bytes) {
    const double before = moves.bytes.empty() ? 0 : moves.bytes.back();
    if (moves.times.empty() || moves.times.back().end < time.begin) {
      moves.times.push_back(time);
      moves.bytes.push_back(before + bytes);
      return;
    }
    moves.times.back().end = std::max(moves.times.back().end, time.end);
    moves.bytes.back() += bytes;
  }

  // How long pages moved while the kernel ran, and how many bytes.
  std::pair<double, double> StallOf(TaskId op) const {
    const EventId event = graph_.event[op];
    if (!event.valid()) return {0, 0};
    const Track& track = trace_.track(trace_.track_of(event));
    const auto of_device = moves_.find({track.process.value, track.device});
    if (of_device == moves_.end()) return {0, 0};
    const Moves& moves = of_device->second;
    const TimeNs begin = trace_.begin(event), end = trace_.end(event);
    const auto first =
        std::partition_point(moves.times.begin(), moves.times.end(),
                             [&](const TimeRange& time) { return time.end <= begin; });
    double ns = 0;
    auto time = first;
    for (; time != moves.times.end() && time->begin < end; ++time) {
      ns += static_cast<double>(std::min(time->end, end) - std::max(time->begin, begin));
    }
    if (ns <= 0) return {0, 0};
    const auto at = [&](auto it) {
      return it == moves.times.begin()
                 ? 0.0
                 : moves.bytes[static_cast<std::size_t>(it - moves.times.begin() - 1)];
    };
    return {ns, at(time) - at(first)};
  }

  void Insert(TaskId kernel, double bytes, ChangeId change) {
    NewCall call;
    call.label = "cudaMemPrefetchAsync";
    call.own = plan_.machine().copy_own;
    const TaskId prefetch = plan_.InsertCallBefore(plan_.CallOf(kernel), call, change);
    NewOp copy;
    copy.label = "prefetch to the device";
    copy.duration = static_cast<DurationNs>(bytes / bandwidth_ * 1e9);
    copy.stream = graph_.lane[kernel];
    copy.op_class = OpClass::kHtoD;
    plan_.IssueOp(prefetch, copy, {}, change);
  }

  Plan& plan_;
  const TaskGraph& graph_;
  const Trace& trace_;
  const double bandwidth_;
  std::map<Device, Moves> moves_;
  bool has_prefetch_ = false;
};

Applied ApplyManagedPrefetch(Plan& plan, const WhatIfValues& values) {
  const double bandwidth = values.IsGiven("bandwidth") ? values.Bandwidth("bandwidth")
                                                       : PinnedBandwidth(plan, OpClass::kHtoD);
  return ManagedPrefetch(plan, bandwidth).Apply();
}

}  // namespace

const WhatIf kManagedPrefetch = {
    "prefetch-managed",
    "Prefetch managed memory",
    "managed memory comes before kernels begin, not page by page",
    kScaling | kInserted,
    "migrations of unified memory (--cuda-um-gpu-page-faults)",
    Effort::kLines,
    {"prefetch managed memory", "", "cudaMemPrefetchAsync before the kernel"},
    kManagedOptions,
    ApplyManagedPrefetch};

}  // namespace xsp
