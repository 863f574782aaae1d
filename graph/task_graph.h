#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/constants.h"
#include "graph/interference/slowdown.h"
#include "graph/rule.h"
#include "graph/rules/batch.h"
#include "graph/rules/launch_queue.h"
#include "graph/sim_time.h"
#include "graph/task_ids.h"
#include "graph/waits/os_waits.h"
#include "graph/waits/timer.h"
#include "model/ids.h"
#include "model/time.h"
#include "model/trace.h"

namespace xsp {

class Hierarchy;

// What a task is. Host tasks come before device operations, here and in the numbering of tasks.
enum class TaskKind : std::uint8_t {
  kCall,    // A CUDA call.
  kBefore,  // Stands for everything a process issued before the recording began.
  kLoad,    // Loading data: a part of the host's time that ranges name as such.
  kOsCall,  // A wait in a call of the operating system, or the call that ended one; without an
            // event where only the times tell that there was one.
  kKernel,
  kMemcpy,
  kMemset,
  kGraphSpan,
};

// Device operations between which latencies are told apart.
enum class OpClass : std::uint8_t { kKernel, kHtoD, kDtoH, kDtoD, kMemset, kGraph, kNode };
inline constexpr std::size_t kOpClassCount = 7;
std::string_view NameOf(OpClass op_class);

// From which point of its call an operation is on its way to the device.
enum class Submit : std::uint8_t {
  kAfterOwnCost,  // When the call has done its own work.
  kAnchored,      // No call was recorded: at the measured time.
  kStreamOnly,    // No call was recorded, and the stream was busy: whenever the stream is free.
};

// What a call asks of the device, as a question: which operation answers it depends on what was
// issued before, and is found out anew in every simulation.
enum class Ask : std::uint8_t {
  kNothing,
  kStream,      // Is everything done that was issued on this stream? (target: stream)
  kContext,     // ... in this context? (target: context)
  kRecord,      // ... before this record? (target: record)
  kOwnWork,     // Is my own operation done?
  kBatch,       // Is my batch of data there? (target: batch)
  kDeadline,    // Is it time? (target: deadline)
  kThread,      // Have other threads come so far? (their hand-offs say which)
  kLock,        // Has the launch into this context returned that came before me? (target: context)
  kMakeRecord,  // Nothing; it notes what was issued before. (target: record)
  kStreamWait,  // Nothing; the next operation of a stream shall ask kRecord. (target: stream wait)
};

inline constexpr std::size_t kAskCount = static_cast<std::size_t>(Ask::kStreamWait) + 1;
// Whether a call waits for the device, for data, a thread or a time; and whether for anybody.
constexpr bool IsWait(Ask ask) { return Ask::kStream <= ask && ask <= Ask::kThread; }
constexpr bool HoldsCall(Ask ask) { return IsWait(ask) || ask == Ask::kLock; }

// A question with what belongs to it.
struct Question {
  Ask ask = Ask::kNothing;
  Rule rule = Rule::kNone;
  bool before_work = false;  // The call waits first and then works; else it works, then waits.
  ConstantId latency = 0;    // From the finish that answers it to the return of the call.
  std::uint32_t target = 0;
  // A loop that asks again and again: how long after each other, in ns. It is over with the first
  // one that comes after the answer. 0: the wait ends when it is answered.
  std::uint32_t interval = 0;

  // When a wait is over that could be over at `ready` at the earliest, and is answered at `done`.
  SimTime OverAt(SimTime ready, SimTime done) const {
    if (interval == 0 || done <= ready) return done;
    const DurationNs step = interval;
    return ready + (done.ns - ready.ns + step - 1) / step * step;
  }
  // Whether the call goes on waiting behind its own work: what it issues leaves before it returns.
  bool WaitsLast() const { return IsWait(ask) && !before_work; }
};

enum TaskFlag : std::uint8_t {
  kCold = 1,      // A call with one-time costs (one_time.h): these do not carry over to other runs.
  kWaited = 2,    // A call whose measured duration held a wait, which the graph has as an edge.
  kOverlaps = 4,  // A kernel that began before its predecessor on the stream had ended.
  kNode = 8,  // One of several of a CUDA graph launch: waits by node_orders, the first by stream.
  kLastNode = 16,       // A node of such a launch that no other one waits for.
  kMapsMemory = 32,     // An allocation after which the device takes up work late.
  kAfterGraphics = 64,  // An operation behind a call that shares buffers with a graphics API.
  kStaged = 128,        // A copy so large that the host stages it piece by piece while it runs.
};

// A name that is not in the trace: of what an edit put in. A row of TaskGraph::labels.
using LabelId = Id<struct LabelTag>;

struct GraphThread {
  TrackId track;  // None for what stands for the time before the recording, and for new ones.
  ProcessId process;
  TaskId first{0};  // Host tasks [first, last), in program order.
  TaskId last{0};
  TimeNs start = 0;  // When its first task begins, unless another thread hands over to it.
  LabelId label = {};
  bool calls_cuda = true;  // Else it is here because others wait for it, or it for others.

  TaskRange tasks() const { return {first, last}; }
};

struct GraphStream {
  TrackId track;  // None for a new one.
  std::uint32_t context = 0;
  std::uint32_t device = 0;  // A row of TaskGraph::devices.
  bool is_null = false;      // The legacy default stream.
  bool is_blocking = false;  // Ordered against the legacy default stream.
  LabelId label = {};
};

struct GraphContext {
  ProcessId process;
  std::uint32_t number = 0;  // CUDA's context id.
  std::vector<std::uint32_t> streams;
  std::uint32_t null_stream = Id<struct StreamTag>::kNone;
};

// A GPU as one process sees it.
struct GraphDevice {
  ProcessId process;
  std::uint32_t ordinal = 0;
  GpuId gpu;
  // How far its clock was ahead; taken off the measured times below.
  DurationNs clock_skew = 0;
  double clock_drift = 0;  // Gained per nanosecond since `drift_zero`.
  TimeNs drift_zero = 0;
  // Who does its copies; the same one for both directions where they never ran at the same time.
  std::uint16_t engine_to_device = 0;
  std::uint16_t engine_to_host = 0;

  DurationNs AheadAt(TimeNs time) const {
    return clock_skew +
           static_cast<DurationNs>(clock_drift * static_cast<double>(time - drift_zero));
  }
};

struct StreamWait {
  std::uint32_t stream = 0;
  std::uint32_t record = 0;
  // The call that made the record is not in the trace: it stood right before the wait.
  bool makes_record = false;
};

// A thread that waits for another one: `task` begins when `from` has finished, plus a lag. A task
// that asks Ask::kThread finishes then instead: it is the wait. `from` is a device operation where
// a host function behind it ended the wait.
struct Handoff {
  TaskId task;
  TaskId from;
  DurationNs lag = 0;
  Rule rule = Rule::kThreadHandoff;  // Or kThreadWait, where calls of the system tell.
};

// An operation of a CUDA graph that follows another one of the same launch.
struct NodeOrder {
  TaskId op;
  TaskId from;
};

// A resource that does one operation at a time: a link of a network, the copies of a prefetcher.
// Of those that are ready it takes the one with the highest priority, of these the one that was
// ready first. Real programs have no such thing in a trace; edits make them.
struct GraphChannel {
  LabelId label;
};

// The place of an operation on a channel.
struct ChannelPlace {
  std::uint32_t channel = 0;
  std::int32_t priority = 0;
  TaskId after = {};  // It begins no sooner than this operation does; none: as soon as it can.
};

// What a graph has besides its tasks and the edges between them: the places, the questions' targets
// and the constants. A part of a graph, and one made by an edit, begin with a copy of it.
struct GraphFrame {
  const Trace* trace = nullptr;
  const Hierarchy* hierarchy = nullptr;  // Of that trace.

  std::vector<GraphStream> streams;
  std::vector<GraphContext> contexts;
  std::vector<GraphDevice> devices;
  std::vector<std::uint32_t> record_stream;  // Per record.
  std::vector<StreamWait> stream_waits;
  std::vector<GraphProducer> producers;
  std::vector<GraphBatch> batches;
  std::vector<GraphTimer> timers;
  std::vector<GraphDeadline> deadlines;
  std::vector<WaitLimit> wait_limits;
  std::vector<GraphNap> naps;
  std::uint32_t engine_count = 0;
  std::vector<GraphChannel> channels;
  std::vector<std::string> labels;
  std::uint32_t ignored_rules = 0;  // Bits 1 << Rule: waits that are not waited for.

  // Latencies.
  ConstantTable constants;
  std::array<std::array<ConstantId, kOpClassCount>, kOpClassCount> stream_gap{};
  std::array<ConstantId, kOpClassCount> submit_delay{};
  ConstantId event_latency = 0;
  ConstantId default_stream_latency = 0;
  ConstantId engine_gap = 0;
  ConstantId overlap_lag = 0;
  ConstantId staging_gap = 0;    // Between two copies that are kStaged.
  ConstantId mapping_stall = 0;  // From a call that is kMapsMemory to its thread's next operation.
  std::array<ConstantId, kOpClassCount> graphics_stall{};  // What those kAfterGraphics come late.
  ConstantId queue_latency = 0;
  std::uint32_t queue_depth = 0;  // Operations that may be outstanding when a launch returns,
  QueueKind queue_kind = QueueKind::kContext;  // and which of them count.
  std::vector<Slowdown> slowdowns;
};

// Who waits for whom in a trace: tasks, and per task what it asks before it may begin or finish.
//
// Tasks are numbered: host tasks first, thread by thread in program order; then device operations,
// in the order of their calls. All columns are plain arrays. The graph is never changed after it
// was built. Other costs are an overlay on it (scheduler.h); other tasks are another graph, made
// from this one (sim/edit/edit.h), which is a graph like any other.
struct TaskGraph : GraphFrame {
  // One entry per task.
  PerTask<EventId> event;  // None for kBefore and for what an edit put in.
  // On the host's clock. What an edit put in has no length and stands where the task that it
  // follows ended, so that it counts with that one wherever a part of the time is looked at.
  PerTask<TimeNs> measured_begin, measured_end;
  PerTask<DurationNs> own;      // What the task costs when it waits for nothing.
  PerTask<std::uint32_t> lane;  // Row of `threads` or of `streams`.
  PerTask<TaskKind> kind;
  PerTask<std::uint8_t> flags;  // TaskFlag.
  PerTask<TaskId> origin;       // What it was in the graph of the trace, or none; empty: the same.
  PerTask<LabelId> label;       // The name of what an edit put in, none for others; empty: nothing.

  // One entry per host task.
  PerTask<DurationNs> gap;          // Untraced host time before the task.
  PerTask<DurationNs> gap_off_cpu;  // Of that, not scheduled; empty: not recorded.
  PerTask<DurationNs> wait;         // A fixed wait after its own work; empty: none.
  PerTask<Question> question;
  PerTask<TaskId> first_op;  // See OpsOf; with one more entry at the end.

  // One entry per device operation.
  PerOp<OpClass> op_class;
  PerOp<Submit> submit;
  PerOp<TaskId> call;               // The host task that issued it.
  PerOp<std::uint16_t> engine;      // Copy engine, kNoEngine for none.
  PerOp<std::uint32_t> collective;  // Row of `collectives`, kNoCollective for none; may be empty.
  PerOp<std::uint32_t> channel;     // Row of `channel_places`, kNoChannel; empty: no channels.
  PerOp<DurationNs> clock_ahead;    // Taken off its measured times; empty: nothing.
  PerOp<DurationNs> reaction;       // See LagBehind; empty: of none.
  PerOp<OpInterference> interference;  // Empty: no kernel is known to slow another one down.

  std::vector<GraphThread> threads;
  std::vector<Handoff> handoffs;       // By task, then by `from`.
  std::vector<NodeOrder> node_orders;  // By op.
  std::vector<std::vector<TaskId>> collectives;
  std::vector<ChannelPlace> channel_places;

  // What was left out, and why.
  std::uint32_t polling_calls = 0;  // Calls of threads that only poll.
  // Polls in loops that may or may not wait: the host did something between them, or nothing that
  // was recorded ended when they did.
  std::uint32_t untold_polls = 0;
  std::uint32_t nested_calls = 0;   // Calls inside other calls: part of the outer one.
  std::uint32_t unlinked_ops = 0;   // Operations without a recorded call.
  std::uint32_t told_waits = 0;     // Stream waits whose events only the times tell.
  std::uint32_t dropped_waits = 0;  // Calls that returned long before what they seemed to wait for.

  // Whether the times called measured are, or were put there by Retime (bake.h).
  bool is_measured = true;

  static constexpr std::uint16_t kNoEngine = 0xFFFF;
  static constexpr std::uint32_t kNoCollective = 0xFFFFFFFF;
  static constexpr std::uint32_t kNoChannel = 0xFFFFFFFF;

  std::uint32_t task_count() const { return static_cast<std::uint32_t>(event.size()); }
  std::uint32_t host_count() const { return static_cast<std::uint32_t>(gap.size()); }
  std::uint32_t op_count() const { return static_cast<std::uint32_t>(op_class.size()); }
  bool IsHost(TaskId task) const { return task.value < host_count(); }

  // For loops: all tasks, those of the host, those of devices; and the rows of the last.
  TaskRange tasks() const { return {TaskId(0), TaskId(task_count())}; }
  TaskRange host_tasks() const { return {TaskId(0), TaskId(host_count())}; }
  TaskRange ops() const { return {TaskId(host_count()), TaskId(task_count())}; }
  IdRange<OpIndex> op_rows() const { return {OpIndex(0), OpIndex(op_count())}; }

  // From the number of a device operation to its row, and back.
  OpIndex RowOf(TaskId op) const { return OpIndex(op.value - host_count()); }
  TaskId OpAt(OpIndex row) const { return TaskId(host_count() + row.value); }
  // The operations that a call issued.
  TaskRange OpsOf(TaskId host) const { return {first_op[host], first_op[Next(host)]}; }
  TaskId CallOf(TaskId op) const { return call[RowOf(op)]; }
  // The task before on the same thread; none for the first.
  TaskId PreviousOf(TaskId host) const {
    return host == threads[lane[host]].first ? TaskId() : TaskId(host.value - std::size_t{1});
  }

  // Who hands over to a host task: usually nobody.
  std::span<const Handoff> HandoffsTo(TaskId host) const {
    auto first = std::lower_bound(handoffs.begin(), handoffs.end(), host,
                                  [](const Handoff& h, TaskId task) { return h.task < task; });
    auto last = first;
    while (last != handoffs.end() && last->task == host) ++last;
    return {first, last};
  }
  // Whether the begin of a host task waits for another thread.
  bool IsHandedTo(TaskId host) const {
    if (question[host].ask == Ask::kThread) return false;
    const std::span<const Handoff> from = HandoffsTo(host);
    return std::any_of(from.begin(), from.end(),
                       [&](const Handoff& h) { return !Ignores(h.rule); });
  }
  // The measured time that a task keeps since nothing recorded leads to it; none for all others.
  std::optional<TimeNs> AnchorOf(TaskId task) const {
    if (IsHost(task)) {
      const bool is_led_to = PreviousOf(task).valid() || IsHandedTo(task);
      return is_led_to ? std::nullopt : std::optional(threads[lane[task]].start);
    }
    switch (submit[RowOf(task)]) {
      case Submit::kAnchored:
        return measured_begin[task];
      case Submit::kStreamOnly:
        return measured_begin[CallOf(task)];
      case Submit::kAfterOwnCost:
        break;
    }
    return std::nullopt;
  }

  DurationNs measured(TaskId task) const { return measured_end[task] - measured_begin[task]; }
  DurationNs lag(ConstantId id) const { return constants.value(id); }
  // From the finish that answers a question to when the wait is over.
  DurationNs lag(const Question& question) const {
    return question.ask == Ask::kBatch ? batches[question.target].interval : lag(question.latency);
  }
  // The same for a question whose lag depends on who answers it.
  DurationNs lag(const Question& asked, TaskId awaited) const {
    if (asked.ask != Ask::kDeadline) return lag(asked);
    return deadlines[asked.target].due - deadlines[question[awaited].target].due;
  }
  // How long a wait lasts if nothing in the graph leads to its end; 0 for what does not wait so.
  DurationNs WaitAlone(TaskId host) const {
    const Ask ask = question[host].ask;
    return ask == Ask::kDeadline || ask == Ask::kThread ? measured(host) - own[host] : 0;
  }
  // After how long a wait in a call of the operating system gives up; 0: it never did.
  DurationNs LimitOf(TaskId host) const {
    const WaitLimit* limit = WaitLimitOf(host);
    return limit == nullptr ? 0 : limit->limit;
  }
  // The same with all that is known about it; null: it never did.
  const WaitLimit* WaitLimitOf(TaskId host) const {
    if (wait_limits.empty() || kind[host] != TaskKind::kOsCall || !event[host].valid()) {
      return nullptr;
    }
    const TrackId track = threads[lane[host]].track;
    const StringId name = trace->name_of(event[host]);
    for (const WaitLimit& of : wait_limits) {
      if (of.thread == track && of.name == name) return &of;
    }
    return nullptr;
  }
  // Whether a host task is a sleep whose length is given.
  bool IsNap(TaskId host) const {
    if (kind[host] != TaskKind::kOsCall || question[host].ask != Ask::kNothing) return false;
    return std::any_of(naps.begin(), naps.end(), [&](const GraphNap& nap) {
      return nap.thread == lane[host] && event[host].valid() &&
             nap.name == trace->name_of(event[host]);
    });
  }
  // What a load waits for, or may wait for; null: nothing.
  const GraphBatch* BatchOf(TaskId task) const {
    const bool asks = IsHost(task) && question[task].ask == Ask::kBatch;
    const GraphBatch* batch = asks ? &batches[question[task].target] : nullptr;
    return batch != nullptr && batch->back > 0 ? batch : nullptr;
  }
  std::uint32_t DeviceOf(TaskId op) const { return streams[lane[op]].device; }
  // What was taken off the times of an operation, to be put back wherever times are shown.
  DurationNs ClockAhead(TaskId op) const {
    return clock_ahead.empty() ? 0 : clock_ahead[RowOf(op)];
  }
  // Which copy engine an operation of this class needs on this stream; kNoEngine: none.
  std::uint16_t EngineFor(std::uint32_t stream, OpClass of) const {
    const GraphDevice& device = devices[streams[stream].device];
    if (of == OpClass::kHtoD) return device.engine_to_device;
    return of == OpClass::kDtoH ? device.engine_to_host : kNoEngine;
  }
  bool Ignores(Rule rule) const { return (ignored_rules >> IndexOf(rule)) & 1u; }
  // Whether the kernels of other ranks are known that end together with this one. Whether it is
  // communication at all tells its class: model/names/communication.h.
  bool HasPeers(TaskId op) const {
    return !collective.empty() && collective[RowOf(op)] != kNoCollective &&
           !Ignores(Rule::kCollective);
  }
  // The place of an operation on a channel, or null.
  const ChannelPlace* PlaceOnChannel(TaskId op) const {
    if (channel.empty() || channel[RowOf(op)] == kNoChannel || Ignores(Rule::kChannel)) {
      return nullptr;
    }
    return &channel_places[channel[RowOf(op)]];
  }
  // How long after another operation of its stream an operation begins,
  ConstantId GapBetween(TaskId from, TaskId to) const {
    if ((flags[to] & kAfterGraphics) != 0) return graphics_stall[ClassIndex(to)];
    if ((flags[to] & kOverlaps) != 0) return overlap_lag;
    if ((flags[from] & flags[to] & kStaged) != 0) return staging_gap;
    return stream_gap[ClassIndex(from)][ClassIndex(to)];
  }
  // or, where the host asks for several streams in turn and goes on with whichever is done, after
  // the time in which it saw that the one before was and issued the next,
  DurationNs LagBehind(TaskId from, TaskId to) const {
    const DurationNs by_host = reaction.empty() ? 0 : reaction[RowOf(to)];
    return by_host > 0 ? by_host : lag(GapBetween(from, to));
  }
  // and how long after its call has done its own work.
  ConstantId SubmitDelay(TaskId op) const {
    const bool after_graphics = (flags[op] & kAfterGraphics) != 0;
    return (after_graphics ? graphics_stall : submit_delay)[ClassIndex(op)];
  }
  std::size_t ClassIndex(TaskId op) const { return static_cast<std::size_t>(op_class[RowOf(op)]); }
  DurationNs OffCpuInGap(TaskId host) const { return gap_off_cpu.empty() ? 0 : gap_off_cpu[host]; }
  // The task it was in the graph of the trace; none for what an edit put in.
  TaskId OriginOf(TaskId task) const { return origin.empty() ? task : origin[task]; }
  bool IsNew(TaskId task) const { return !label.empty() && label[task].valid(); }
};

// Whether a data loader was hardly ever waited for: nothing tells how fast it could be.
bool HasUnknownProducer(const TaskGraph& graph);

}  // namespace xsp
