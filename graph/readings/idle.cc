#include "graph/readings/idle.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>

#include "base/interrupt.h"
#include "graph/call_class.h"
#include "graph/device_map.h"
#include "graph/one_time.h"
#include "graph/readings/back_walk.h"
#include "graph/rules/off_cpu.h"
#include "graph/unit/gpu_span.h"

namespace xsp {
namespace {

constexpr DurationNs kClose = 5'000;

struct Busy {
  TimeNs begin;
  TimeNs end;
  TaskId op;  // None for migrations.
};

// What keeps each device busy, by begin, on the trace's clock. Migrations do, too.
std::vector<std::vector<Busy>> BusyByDevice(const TaskGraph& graph, const DeviceMap& devices) {
  std::vector<std::vector<Busy>> busy(devices.size());
  for (TaskId op : graph.ops()) {
    const TimeNs begin = TraceBegin(graph, op);
    busy[devices.OfGraphDevice(graph.DeviceOf(op))].push_back(
        {begin, begin + graph.measured(op), op});
  }
  const Trace& trace = *graph.trace;
  const EventSpan migrations =
      graph.is_measured ? trace.OfKind(EventKind::kMigration) : EventSpan();
  for (EventId event : migrations) {
    busy[devices.OfTrack(trace.track_of(event))].push_back(
        {trace.begin(event), trace.end(event), {}});
  }
  for (auto& list : busy) {
    std::sort(list.begin(), list.end(), [](const Busy& a, const Busy& b) {
      return std::pair(a.begin, a.op) < std::pair(b.begin, b.op);
    });
  }
  return busy;
}

// Goes from the operation that ended a gap back to the gap's begin and tells which cause took which
// part. Works on measured times.
class GapWalk {
 public:
  GapWalk(const TaskGraph& graph, const CallClasses& classes, const Schedule& guided,
          std::vector<StarvingHost>& hosts)
      : graph_(graph),
        classes_(classes),
        guided_(guided),
        hosts_(hosts),
        off_cpu_(*graph.trace),
        walk_(graph, guided, BackWalk::Times::kMeasured) {}

  // Fills in what is known of the gap; returns the share of each cause.
  std::array<DurationNs, kIdleCauseCount> Explain(IdleGap& gap) {
    shares_ = {};
    gap_ = &gap;
    longest_host_ = 0;
    // Who waited for whom is told on the host's clock.
    const DurationNs ahead = graph_.ClockAhead(gap.next);
    time_ = {gap.time.begin - ahead, gap.time.end - ahead};
    cursor_ = graph_.measured_begin[gap.next];
    if (!IsAfterGraphics(gap.next)) StepOverError();
    GoBack(gap.next);
    if (cursor_ > time_.begin) Take(time_.begin, IdleCause::kBeforeRecording);
    for (std::size_t i = 0; i < kIdleCauseCount; ++i) {
      if (shares_[i] > gap.main_ns) {
        gap.main_ns = shares_[i];
        gap.main_cause = static_cast<IdleCause>(i);
      }
    }
    gap.unexplained = shares_[static_cast<std::size_t>(IdleCause::kUnexplained)];
    return shares_;
  }

 private:
  bool done() const { return cursor_ <= time_.begin; }

  // Everything between the cursor and an earlier time has this cause.
  DurationNs Take(TimeNs from, IdleCause cause) {
    from = std::max(from, time_.begin);
    if (from >= cursor_) return 0;
    const DurationNs part = std::max<DurationNs>(0, std::min(cursor_, time_.end) - from);
    shares_[static_cast<std::size_t>(cause)] += part;
    cursor_ = from;
    return part;
  }

  void TakeHost(TimeNs from, IdleCause cause, TaskId task) {
    const TimeNs until = std::min(cursor_, time_.end);
    const DurationNs part = cause == IdleCause::kHostGap ? TakeGap(from, task) : Take(from, cause);
    if (part > longest_host_) {
      longest_host_ = part;
      gap_->host = task;
      gap_->host_time = {cursor_, until};
    }
    if (part > 0 && cause == IdleCause::kHostGap) hosts_.push_back({{cursor_, until}, task});
  }

  // Untraced host time: a part of it may not have been the thread's at all.
  DurationNs TakeGap(TimeNs from, TaskId task) {
    DurationNs taken = 0;
    const TimeRange time = {std::max(from, time_.begin), cursor_};
    if (graph_.OffCpuInGap(task) > 0 && !time.Empty()) {
      const TrackId thread = graph_.threads[graph_.lane[task]].track;
      std::vector<TimeRange> off = off_cpu_.During(thread, time);
      for (auto part = off.rbegin(); part != off.rend(); ++part) {
        taken += Take(part->end, IdleCause::kHostGap);
        taken += Take(part->begin, IdleCause::kOffCpu);
      }
    }
    return taken + Take(from, IdleCause::kHostGap);
  }

  // The part by which the graph is wrong, if that is too much.
  void StepOverError() {
    const DurationNs error = std::abs(guided_.begin[gap_->next].ns - cursor_);
    if (error <= std::max(kClose, (cursor_ - time_.begin) / 10)) return;
    const bool is_late = guided_.begin[gap_->next].ns < cursor_;
    Take(cursor_ - error, is_late ? CauseOfLateness(gap_->next) : IdleCause::kUnexplained);
  }

  IdleCause CauseOfLateness(TaskId op) const {
    if (IsBehindMapping(op)) return IdleCause::kDeviceStall;
    // It was issued before the recording began, and what it waited for was, too.
    const bool has_call = graph_.submit[graph_.RowOf(op)] == Submit::kAfterOwnCost;
    return has_call ? IdleCause::kUnexplained : IdleCause::kBeforeRecording;
  }

  // Whether an operation is the first of its thread behind a call that holds up the device. By how
  // much differs from call to call; that it does is known.
  bool IsBehindMapping(TaskId op) const {
    const TaskId call = graph_.CallOf(op);
    for (TaskId task = graph_.PreviousOf(call); task.valid(); task = graph_.PreviousOf(task)) {
      if ((graph_.flags[task] & kMapsMemory) != 0) return true;
      if (!graph_.OpsOf(task).empty()) return false;
    }
    return false;
  }

  // How long a graphics API keeps the device is nowhere recorded: all of it is that, however long.
  bool IsAfterGraphics(TaskId op) const { return (graph_.flags[op] & kAfterGraphics) != 0; }

  void GoBack(TaskId op) {
    walk_.StandAtBegin(op);
    while (!done()) {
      const TaskId host = walk_.HostAtFinish();
      if (host.valid() && graph_.measured_begin[host] > cursor_) {
        walk_.StandAtFinish(FirstBehindCursor(host));
      }
      const std::optional<BackWalk::Piece> piece = walk_.Next();
      if (!piece) return;
      // Whatever comes before the finish of an operation belongs to another device.
      if (walk_.IsRun(*piece)) {
        Take(time_.begin, IdleCause::kPeer);
      } else if (Has(piece->rule, kHostWorks)) {
        TakeAfterOneTime(*piece);
        TakeHost(piece->begin.ns, CauseOf(*piece), piece->task);
      } else {
        Take(piece->begin.ns, CauseOf(*piece));
      }
    }
  }

  // What a call does once it does first: behind that it is a call like others.
  void TakeAfterOneTime(const BackWalk::Piece& piece) {
    const DurationNs one_time = piece.rule == Rule::kOwnTime ? OneTimeOf(graph_, piece.task) : 0;
    const TimeNs after = piece.begin.ns + one_time;
    if (one_time > 0 && after < cursor_) TakeHost(after, CauseOfCall(piece.task), piece.task);
  }

  IdleCause CauseOf(const BackWalk::Piece& piece) const {
    if (piece.rule == Rule::kOwnTime) {
      return OneTimeOf(graph_, piece.task) > 0 ? IdleCause::kOneTime : CauseOfCall(piece.task);
    }
    const bool is_told = piece.rule == Rule::kDeviceStall || piece.rule == Rule::kPrefetch;
    if (!is_told && IsAfterGraphics(piece.task)) return IdleCause::kGraphics;
    return RowOf(piece.rule).idle;
  }

  // The first task behind the cursor of those that follow each other up to this one without a wait:
  // on the way back to it there is nothing to take. An operation may seem to begin long before its
  // call, where clocks differ or a file is made to hurt.
  TaskId FirstBehindCursor(TaskId task) {
    if (IsHeld(task)) return task;
    if (plain_since_.empty()) FindPlainRuns();
    return LowerBound(graph_.measured_begin, {plain_since_[task], task}, cursor_);
  }

  void FindPlainRuns() {
    plain_since_.resize(graph_.kind.size());
    for (const GraphThread& thread : graph_.threads) {
      for (TaskId task : thread.tasks()) {
        const Binding by = guided_.begin_by[task];
        const TaskId previous = graph_.PreviousOf(task);
        const bool is_plain = previous.valid() && by.source == previous &&
                              by.rule != Rule::kThreadHandoff && !IsHeld(previous);
        plain_since_[task] = is_plain ? plain_since_[previous] : task;
      }
    }
  }

  bool IsHeld(TaskId host) const { return Has(guided_.finish_by[host].rule, kHoldsCall); }

  IdleCause CauseOfCall(TaskId task) const {
    if (graph_.kind[task] == TaskKind::kLoad) return IdleCause::kDataLoading;
    if (graph_.kind[task] == TaskKind::kBefore) return IdleCause::kBeforeRecording;
    if (graph_.kind[task] == TaskKind::kOsCall) {
      const Rule rule = graph_.question[task].rule;
      return rule == Rule::kNone ? IdleCause::kOsWait : RowOf(rule).idle;
    }
    if (!graph_.OpsOf(task).empty()) return IdleCause::kLaunchCost;
    switch (classes_.Of(graph_, task)) {
      case CallClass::kFree:
      case CallClass::kAllocate:
      case CallClass::kPool:
        return IdleCause::kAllocation;
      default:
        return IdleCause::kOtherCall;
    }
  }

  const TaskGraph& graph_;
  const CallClasses& classes_;
  const Schedule& guided_;
  std::vector<StarvingHost>& hosts_;
  const OffCpu off_cpu_;
  BackWalk walk_;
  PerTask<TaskId> plain_since_;  // Found when they are needed.
  std::array<DurationNs, kIdleCauseCount> shares_{};
  IdleGap* gap_ = nullptr;
  TimeRange time_;  // Of the gap.
  TimeNs cursor_ = 0;
  DurationNs longest_host_ = 0;
};

// Adds a gap and its causes to the report. `otherwise` is the cause where no operation ended it.
void AddGap(IdleGap gap, IdleCause otherwise, GapWalk& walk, IdleReport& report) {
  std::array<DurationNs, kIdleCauseCount> shares{};
  if (gap.next.valid()) {
    shares = walk.Explain(gap);
  } else {
    gap.main_cause = otherwise;
    gap.main_ns = gap.time.Length();
    shares[static_cast<std::size_t>(otherwise)] = gap.main_ns;
  }
  DeviceIdle& device = report.devices[gap.device];
  device.idle += gap.time.Length();
  for (std::size_t i = 0; i < kIdleCauseCount; ++i) {
    if (shares[i] == 0) continue;
    device.causes[i].ns += shares[i];
    ++device.causes[i].count;
  }
  report.gaps.push_back(gap);
}

// The gaps of one device in windows that follow each other.
void FindGaps(const std::vector<Busy>& busy, std::uint32_t device,
              const std::vector<TimeRange>& windows, GapWalk& walk, IdleReport& report) {
  InterruptPoll poll;
  auto work = busy.begin();
  TimeNs busy_until = std::numeric_limits<TimeNs>::min();
  for (const TimeRange& window : windows) {
    TimeNs free_since = std::max(window.begin, busy_until);
    for (; work != busy.end() && work->begin < window.end; ++work) {
      poll();
      // A migration moves pages that the host or a kernel touched: untraced host time, if anything.
      if (work->begin > free_since) {
        AddGap({{free_since, work->begin}, device, work->op}, IdleCause::kHostGap, walk, report);
      }
      busy_until = std::max(busy_until, work->end);
      free_since = std::max(free_since, busy_until);
    }
    if (free_since >= window.end) continue;
    const bool has_next = work != busy.end();
    AddGap({{free_since, window.end}, device, has_next ? work->op : TaskId()},
           has_next ? IdleCause::kHostGap : IdleCause::kNoWorkLeft, walk, report);
  }
}

}  // namespace

DurationNs IdleReport::total() const {
  DurationNs sum = 0;
  for (const DeviceIdle& device : devices) sum += device.idle;
  return sum;
}

DurationNs IdleReport::explained() const {
  DurationNs sum = total();
  for (const IdleGap& gap : gaps) sum -= gap.unexplained;
  return sum;
}

DurationNs IdleReport::explained_whole() const {
  DurationNs sum = total();
  for (const IdleGap& gap : gaps) sum -= gap.unexplained > 0 ? gap.time.Length() : 0;
  return sum;
}

IdleReport FindIdle(const TaskGraph& graph, const Schedule& guided,
                    const std::vector<TimeRange>& windows) {
  IdleReport report;
  for (const TimeRange& window : windows) report.length += window.Length();
  const CallClasses classes(*graph.trace);
  GapWalk walk(graph, classes, guided, report.hosts);
  const DeviceMap devices(graph);
  const auto busy = BusyByDevice(graph, devices);
  for (std::uint32_t device = 0; device < busy.size(); ++device) {
    report.devices.push_back({.number = devices.number(device)});
    FindGaps(busy[device], device, windows, walk, report);
    report.devices.back().busy = report.length - report.devices.back().idle;
  }
  return report;
}

void TakeMeans(const Unit& unit, IdleReport& report) {
  report.length = unit.MeanOfCounted(report.length);
  for (DeviceIdle& device : report.devices) {
    UnitMeans means = UnitMeans::OfCounted(unit);
    device.busy = means.Next(device.busy);
    device.idle = 0;
    for (IdleTime& cause : device.causes) {
      cause.ns = means.Next(cause.ns);
      device.idle += cause.ns;
      cause.count = means.Count(cause.count);
    }
  }
}

}  // namespace xsp
