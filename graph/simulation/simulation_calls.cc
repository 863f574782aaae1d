#include <optional>
#include <utility>

#include "graph/simulation/simulation.h"

// What a call does in a simulation: it waits, does its own work, waits for a place in the queue,
// issues, waits. Most calls do only some of that.
namespace xsp {

bool Simulation::Begin(std::uint32_t index) {
  Thread& thread = threads_[index];
  AskAll(thread, QuestionOf(thread.current));
  thread.stage = Stage::kWaitFirst;
  return WaitFirst(index);
}

// Notes who answers the question of a call, as things stand when it begins: CUDA's synchronizing
// calls wait for what was issued before they were made, not for what other threads issue meanwhile.
void Simulation::AskAll(Thread& thread, const Question& question) {
  thread.awaited.clear();
  switch (question.ask) {
    case Ask::kStream:
      LastOfStream(question.target, thread.awaited);
      break;
    case Ask::kContext:
      LastOfContext(question.target, thread.awaited);
      break;
    case Ask::kRecord: {
      const auto [first, count] = records_[question.target];
      thread.awaited.assign(record_pool_.begin() + first, record_pool_.begin() + first + count);
      break;
    }
    case Ask::kBatch:
      AskProducer(thread, graph_.batches[question.target]);
      break;
    case Ask::kLock:
      if (lock_last_[question.target].valid()) {
        thread.awaited.push_back(lock_last_[question.target]);
      }
      lock_last_[question.target] = thread.current;
      break;
    case Ask::kDeadline:
      AskTimer(thread, graph_.deadlines[question.target].timer);
      break;
    case Ask::kThread:
      for (const Handoff& handoff : graph_.HandoffsTo(thread.current)) {
        thread.awaited.push_back(handoff.from);
      }
      break;
    case Ask::kNothing:
    case Ask::kOwnWork:
    case Ask::kMakeRecord:
    case Ask::kStreamWait:
      break;
  }
}

// All times of a timer lie where they lie from the first one that somebody waited for.
void Simulation::AskTimer(Thread& thread, std::uint32_t timer) {
  TaskId& first = first_tick_[timer];
  if (first.valid()) {
    thread.awaited.push_back(first);
  } else {
    first = thread.current;
  }
}

// The timer for whose next time a question waits, whenever it is put; null: there is none.
const GraphTimer* Simulation::BeatsOf(const Question& question) const {
  if (question.ask != Ask::kDeadline) return nullptr;
  const GraphTimer& timer = graph_.timers[graph_.deadlines[question.target].timer];
  const bool may_wait = timer.when_late == WhenLate::kUntold && late_ones_wait_;
  return timer.when_late == WhenLate::kNextTime || may_wait ? &timer : nullptr;
}

// A batch comes an interval after the load that its producer was busy since. What other loads do
// does not matter: they found their batches ready.
void Simulation::AskProducer(Thread& thread, const GraphBatch& batch) {
  std::vector<TaskId>& taken = taken_[batch.producer];
  const bool waits = batch.back > 0 && (!batch.is_bound || slow_producers_);
  if (waits && batch.back <= taken.size()) {
    thread.awaited.push_back(taken[taken.size() - batch.back]);
  }
  taken.push_back(thread.current);
}

void Simulation::LastOn(std::uint32_t stream, std::vector<TaskId>& out) const {
  const Stream& on = streams_[stream];
  if (on.last.valid()) out.push_back(on.last);
  out.insert(out.end(), on.beside.begin(), on.beside.end());
}

// The operations after which everything issued on the stream so far is done. Work on the legacy
// default stream waits for the blocking streams, so waiting for it is waiting for them, too.
void Simulation::LastOfStream(std::uint32_t stream, std::vector<TaskId>& out) const {
  LastOn(stream, out);
  const GraphStream& lane = graph_.streams[stream];
  if (!lane.is_null) return;
  for (std::uint32_t other : defaults_[lane.context].unseen()) {
    LastOn(other, out);
  }
}

// The operations after which everything issued in the context so far is done. A finish that is
// known never changes, so streams whose tails are known need not be looked at again before they get
// more work.
void Simulation::LastOfContext(std::uint32_t context, std::vector<TaskId>& out) {
  Tails& tails = tails_[context];
  std::erase_if(tails.streams, [&](std::uint32_t stream) {
    const bool settled = Settle(stream, tails.settled);
    if (settled) streams_[stream].is_listed = false;
    return settled;
  });
  if (tails.settled.valid()) out.push_back(tails.settled);
  for (std::uint32_t stream : tails.streams) LastOn(stream, out);
}

// Takes the tail of a stream into account, if its finish is known. Of two that finish together the
// one on the earlier stream counts.
bool Simulation::Settle(std::uint32_t stream, TaskId& settled) const {
  const Stream& on = streams_[stream];
  TaskId latest = on.last;
  if (!Known(latest)) return false;
  for (TaskId task : on.beside) {
    if (!Known(task)) return false;
    if (FinishOf(task) > FinishOf(latest)) latest = task;
  }
  const bool is_later =
      !settled.valid() || FinishOf(latest) > FinishOf(settled) ||
      (FinishOf(latest) == FinishOf(settled) && StreamOf(latest) <= StreamOf(settled));
  if (is_later) settled = latest;
  return true;
}

// Whether one of these has no finish yet: it hangs on a collective or a channel.
bool Simulation::FindUnknown(const std::vector<TaskId>& tasks, TaskId* unknown) const {
  for (TaskId task : tasks) {
    if (Known(task)) continue;
    *unknown = task;
    return true;
  }
  return false;
}

TaskId Simulation::Latest(const std::vector<TaskId>& tasks) const {
  TaskId latest;
  for (TaskId task : tasks) {
    if (!latest.valid() || FinishOf(task) > FinishOf(latest)) latest = task;
  }
  return latest;
}

// Waits of calls that wait before they work (cudaFree, a synchronous copy from pageable memory:
// they need the device idle, then do what they do), then the call's own work.
bool Simulation::WaitFirst(std::uint32_t index) {
  Thread& thread = threads_[index];
  const TaskId call = thread.current;
  const Question question = QuestionOf(call);
  const SimTime begin = BeginOf(call);
  // A wait for the device runs beside nothing: the thread sits in the call. So a call that waits
  // first is ready a full own cost after what it waited for, however early it began.
  thread.ready = begin + Own(call);
  thread.ready_by = {call, Rule::kOwnTime};
  if (HoldsCall(question.ask) && question.ask != Ask::kOwnWork) {
    TaskId unknown;
    if (question.before_work && FindUnknown(thread.awaited, &unknown)) {
      return Suspend(index, unknown);
    }
    const TaskId latest = question.before_work || is_guided_ ? Latest(thread.awaited) : TaskId();
    if (answers_ != nullptr && latest.valid()) answers_->awaited[call] = latest;
    if (question.before_work && latest.valid()) {
      const SimTime ready = FinishOf(latest) + graph_.lag(question.latency) + Own(call);
      if (ready > thread.ready) {
        thread.ready = ready;
        thread.ready_by = {latest, question.rule};
      }
    }
  }
  const TaskRange ops = graph_.OpsOf(call);
  const bool has_effect = question.ask == Ask::kMakeRecord || question.ask == Ask::kStreamWait;
  // Nothing that others could see happens within the call: no need to stop at its middle.
  if (ops.empty() && !has_effect) {
    thread.stage = Stage::kWaitLast;
    return WaitLast(index);
  }
  // What the call does happens when its own work is done; other threads may come first. But what
  // has no call of its own hangs on this one by the order of streams only, and stands at its own
  // time; and a measured call that waits for its own work issued it long before it returned.
  thread.stage = Stage::kIssue;
  const bool at_begin =
      (!ops.empty() && graph_.submit[graph_.RowOf(ops.front())] != Submit::kAfterOwnCost) ||
      (is_guided_ && question.ask == Ask::kOwnWork);
  if (!at_begin) thread.key = is_guided_ ? FinishOf(call) : thread.ready;
  return true;
}

// Waits for a place in the launch queue, then issues. A launch into a full queue does not return
// before a command has left it: without this, a host would run ahead of its device without limit,
// and nothing that shortens kernels would ever shorten it.
bool Simulation::Queue(std::uint32_t index) {
  Thread& thread = threads_[index];
  const TaskId call = thread.current;
  const TaskRange ops = graph_.OpsOf(call);
  if (!ops.empty() && graph_.queue_depth > 0) {
    const TaskId blocker =
        QueueOf(ops.back()).Blocker([this](TaskId command) { return FinishOf(command); });
    const bool after_own = graph_.submit[graph_.RowOf(ops.front())] == Submit::kAfterOwnCost;
    if (blocker.valid() && after_own && !Ignores(Rule::kLaunchQueue)) {
      if (!Known(blocker)) return Suspend(index, blocker);
      if (answers_ != nullptr) answers_->queue[call] = blocker;
      const SimTime free = FinishOf(blocker) + graph_.lag(graph_.queue_latency);
      if (free > thread.ready) {
        thread.ready = free;
        thread.ready_by = {blocker, Rule::kLaunchQueue};
      }
    }
  }
  Issue(index);
  thread.stage = Stage::kWaitLast;
  return WaitLast(index);
}

void Simulation::Issue(std::uint32_t index) {
  const Question question = QuestionOf(threads_[index].current);
  if (question.ask == Ask::kMakeRecord) {
    MakeRecord(question.target);
  } else if (question.ask == Ask::kStreamWait) {
    // Not the host waits here, but whatever is issued on the stream next.
    const StreamWait& wait = graph_.stream_waits[question.target];
    if (wait.makes_record) MakeRecord(wait.record);
    const auto [first, count] = records_[wait.record];
    auto& waits = streams_[wait.stream].waits;
    waits.insert(waits.end(), record_pool_.begin() + first, record_pool_.begin() + first + count);
  }
  IssueOps(index);
}

// A record remembers what stands before it now. Recorded again, the event stands for the later
// work; who waited for the earlier record still waits for the earlier work.
void Simulation::MakeRecord(std::uint32_t record) {
  const std::uint32_t first = static_cast<std::uint32_t>(record_pool_.size());
  LastOfStream(graph_.record_stream[record], record_pool_);
  records_[record] = {first, static_cast<std::uint32_t>(record_pool_.size()) - first};
}

void Simulation::IssueOps(std::uint32_t index) {
  Thread& thread = threads_[index];
  const TaskId call = thread.current;
  const TaskRange ops = graph_.OpsOf(call);
  if (ops.empty()) return;
  if (answers_ != nullptr && ReturnsAtOnce(call)) {
    answers_->order.push_back(Point::FinishOf(call));
  }
  launch_head_ = ops.front();
  // Under WDDM memory is mapped behind an allocation's return, and the thread's next operation
  // waits for that: 121 µs (median) that neither stream nor call shows. Only the next one does.
  stall_ = std::exchange(thread.stall, TaskId());
  // A call that goes on waiting does not return with what held it here: the place in the queue.
  const bool was_held = graph_.question[call].WaitsLast() && thread.ready_by.source != call;
  const Binding by = was_held ? thread.ready_by : Binding{call, Rule::kSubmit};
  for (TaskId op : ops) {
    // Work leaves when its call has done its own part, not when the call returns: that may hold a
    // wait for this very work. Anchoring it at the begin of the call instead would lose what a
    // slow launch costs the device.
    // Nothing leads to what was issued before the recording began: where the first of a stream
    // stands has to be taken from the measured times. What follows it in its stream moves.
    const std::optional<TimeNs> anchor = graph_.AnchorOf(op);
    const SimTime submit =
        anchor ? SimTime::At(*anchor) : thread.ready + graph_.lag(graph_.SubmitDelay(op));
    IssueOp(op, submit, by);
    stall_ = TaskId();  // What comes behind is held up by this one.
  }
  // All nodes of a CUDA graph are one command of the queue: it is done when the last one is.
  const TaskId command = ops.back();
  if (ops.size() > 1) NoteBranches(ops);
  QueueOf(command).Push(command);
}

// Waits of calls that work before they wait: synchronizing calls, and copies that hold their call
// until they are done.
bool Simulation::WaitLast(std::uint32_t index) {
  Thread& thread = threads_[index];
  const TaskId call = thread.current;
  const Question question = QuestionOf(call);
  SimTime finish = thread.ready;
  Binding by = thread.ready_by;
  finish = finish + Wait(call);  // A frozen wait (Freeze in replay.h): stays whatever happens.
  if (question.WaitsLast()) {
    if (question.ask == Ask::kOwnWork && thread.awaited.empty()) {
      for (TaskId op : graph_.OpsOf(call)) thread.awaited.push_back(op);
    }
    TaskId unknown;
    if (FindUnknown(thread.awaited, &unknown)) return Suspend(index, unknown);
    // The call returns when both are over, its own work and what it waits for: a sync that comes
    // late costs only itself. Adding the two up would count the wait on top of the host's time.
    const auto [latest, answered] = LastToAnswer(thread, question);
    if (!latest.valid()) finish = finish + WaitAlone(call, question);
    if (latest.valid()) {
      if (answers_ != nullptr) answers_->awaited[call] = latest;
      const GraphTimer* beats = BeatsOf(question);
      const SimTime done = beats == nullptr
                               ? question.OverAt(finish, answered)
                               : SimTime::At(beats->NextAfter(finish.ns, FinishOf(latest).ns));
      if ((question.interval > 0 || beats != nullptr) && answers_ != nullptr) {
        answers_->lag_of_looks[call] = done.ns - FinishOf(latest).ns;
      }
      if (done > finish) {
        finish = done;
        by = {latest, question.rule};
      }
    }
  }
  End(index, finish, by);
  return Prepare(index);
}

DurationNs Simulation::WaitAlone(TaskId call, const Question& question) const {
  if (question.ask != Ask::kBatch) return graph_.WaitAlone(call);
  return graph_.batches[question.target].AloneAt(LagOf(question));
}

std::pair<TaskId, SimTime> Simulation::LastToAnswer(const Thread& thread,
                                                    const Question& question) const {
  if (question.ask != Ask::kThread) {
    const TaskId latest = Latest(thread.awaited);
    if (!latest.valid()) return {};
    const bool is_timer = question.ask == Ask::kDeadline;
    return {latest, FinishOf(latest) + (is_timer ? graph_.lag(question, latest) : LagOf(question))};
  }
  std::pair<TaskId, SimTime> last;
  for (const Handoff& handoff : graph_.HandoffsTo(thread.current)) {
    const SimTime done = FinishOf(handoff.from) + handoff.lag;
    if (!last.first.valid() || done > last.second) last = {handoff.from, done};
  }
  return last;
}

void Simulation::End(std::uint32_t index, SimTime finish, Binding by) {
  Thread& thread = threads_[index];
  SetFinish(thread.current, finish, by);
  if ((graph_.flags[thread.current] & kMapsMemory) != 0) thread.stall = thread.current;
  // In a guided run this is the measured end: an error of one call must not shift the next.
  thread.previous = thread.current;
  thread.free_at = FinishOf(thread.current);
  thread.stage = Stage::kAtEnd;
}

}  // namespace xsp
