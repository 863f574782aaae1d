#include "graph/simulation.h"

#include <algorithm>
#include <cassert>
#include <functional>

namespace xsp {

template <bool kGuided>
Simulation<kGuided>::Simulation(const TaskGraph& graph, const Overlay& overlay, Answers* answers)
    : graph_(graph), overlay_(overlay), answers_(answers) {
  const std::size_t tasks = graph.task_count() + 2 * overlay.splices.size();
  result_.begin.resize(tasks);
  result_.finish.resize(tasks);
  result_.begin_by.resize(tasks);
  result_.finish_by.resize(tasks);
  streams_.resize(graph.streams.size());
  queues_.assign(graph.contexts.size(), LaunchQueue(graph.queue_depth));
  defaults_.resize(graph.contexts.size());
  engines_.resize(graph.engine_count);
  records_.resize(graph.record_stream.size());
  arrivals_.resize(graph.collectives.size());
  if (answers == nullptr) return;
  for (auto* column : {&answers->stream, &answers->engine, &answers->other}) {
    column->assign(graph.op_count(), TaskId());
  }
  answers->order.clear();
  answers->order.reserve(2 * tasks);
  answers->awaited.assign(graph.host_count(), TaskId());
  answers->queue.assign(graph.host_count(), TaskId());
}

template <bool kGuided>
Schedule Simulation<kGuided>::Run() {
  StartThreads();
  while (true) {
    if (heap_.empty()) {
      if (!BreakDeadlock()) break;
      continue;
    }
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    const std::uint32_t thread = heap_.back().second;
    heap_.pop_back();
    while (true) {
      const bool is_ready = Advance(thread);
      if (!resolved_.empty()) Drain();
      if (!is_ready) break;
      const std::pair<SimTime, std::uint32_t> place(threads_[thread].key, thread);
      if (heap_.empty() || place < heap_.front()) continue;
      heap_.push_back(place);
      std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
      break;
    }
  }
  return std::move(result_);
}

template <bool kGuided>
SimTime Simulation<kGuided>::BeginOf(TaskId task) const {
  if constexpr (kGuided) return SimTime::At(graph_.measured_begin[task.value]);
  return result_.begin[task.value];
}

template <bool kGuided>
SimTime Simulation<kGuided>::FinishOf(TaskId task) const {
  if constexpr (kGuided) return SimTime::At(graph_.measured_end[task.value]);
  return result_.finish[task.value];
}

template <bool kGuided>
void Simulation<kGuided>::SetBegin(TaskId task, SimTime time, Binding by) {
  result_.begin[task.value] = time;
  result_.begin_by[task.value] = by;
  if (answers_ != nullptr) answers_->order.push_back(2 * task.value);
}

template <bool kGuided>
void Simulation<kGuided>::SetFinish(TaskId task, SimTime time, Binding by) {
  result_.finish[task.value] = time;
  result_.finish_by[task.value] = by;
  if (answers_ != nullptr) answers_->order.push_back(2 * task.value + 1);
  if (!waiters_.empty() && waiters_.count(task.value) > 0) resolved_.push_back(task);
}

template <bool kGuided>
DurationNs Simulation<kGuided>::Own(TaskId task) const {
  if (IsSplice(task)) {
    const bool is_call = (task.value - graph_.task_count()) % 2 == 0;
    return is_call ? SpliceOf(task).own : SpliceOf(task).duration;
  }
  return overlay_.own.empty() ? graph_.own[task.value] : overlay_.own[task.value];
}

template <bool kGuided>
Question Simulation<kGuided>::QuestionOf(TaskId task) const {
  const Question& question = IsSplice(task)              ? SpliceOf(task).question
                             : overlay_.question.empty() ? graph_.question[task.value]
                                                         : overlay_.question[task.value];
  return overlay_.Ignores(question.rule) ? Question() : question;
}

template <bool kGuided>
std::pair<std::uint32_t, std::uint32_t> Simulation<kGuided>::OpsOf(TaskId call) const {
  if (IsSplice(call)) return {call.value + 1, call.value + 1 + (SpliceOf(call).has_op ? 1 : 0)};
  return {graph_.first_op[call.value], graph_.first_op[call.value + 1]};
}

template <bool kGuided>
std::uint32_t Simulation<kGuided>::StreamOf(TaskId op) const {
  if (IsSplice(op)) return SpliceOf(op).stream;
  return overlay_.lane.empty() ? graph_.lane[op.value] : overlay_.lane[op.value];
}

template <bool kGuided>
OpClass Simulation<kGuided>::ClassOf(TaskId op) const {
  return IsSplice(op) ? SpliceOf(op).op_class : graph_.op_class[graph_.OpIndex(op.value)];
}

// --- The host ---------------------------------------------------------------------------------

template <bool kGuided>
void Simulation<kGuided>::StartThreads() {
  threads_.resize(graph_.threads.size());
  const auto& splices = overlay_.splices;
  for (std::uint32_t i = 0; i < threads_.size(); ++i) {
    const GraphThread& lane = graph_.threads[i];
    Thread& thread = threads_[i];
    auto splice_at = [&](std::uint32_t task) {
      return static_cast<std::uint32_t>(
          std::partition_point(splices.begin(), splices.end(),
                               [&](const Splice& s) { return s.after.value < task; }) -
          splices.begin());
    };
    auto handoff_at = [&](std::uint32_t task) {
      return static_cast<std::uint32_t>(
          std::partition_point(graph_.handoffs.begin(), graph_.handoffs.end(),
                               [&](const Handoff& h) { return h.task < task; }) -
          graph_.handoffs.begin());
    };
    thread.stage = Stage::kAtEnd;
    thread.next = lane.first;
    thread.splice = splice_at(lane.first);
    thread.splice_end = splice_at(lane.last);
    thread.handoff = handoff_at(lane.first);
    thread.handoff_end = handoff_at(lane.last);
    if (Prepare(i)) heap_.emplace_back(thread.key, i);
  }
  std::make_heap(heap_.begin(), heap_.end(), std::greater<>());
}

// Finds the thread's next call and when it begins. False: there is none, or not yet.
template <bool kGuided>
bool Simulation<kGuided>::Prepare(std::uint32_t index) {
  Thread& thread = threads_[index];
  const GraphThread& lane = graph_.threads[index];
  const auto& splices = overlay_.splices;
  if (thread.splice < thread.splice_end && thread.next > lane.first &&
      splices[thread.splice].after.value == thread.next - 1) {
    thread.current = TaskId(graph_.task_count() + 2 * thread.splice);
    const SimTime begin = thread.free_at + splices[thread.splice++].gap;
    SetBegin(thread.current, begin, {thread.previous, Rule::kProgramOrder});
    thread.key = begin;
    thread.stage = Stage::kBegin;
    return true;
  }
  if (thread.next == lane.last) return false;
  if (thread.handoff < thread.handoff_end && graph_.handoffs[thread.handoff].task == thread.next &&
      !overlay_.Ignores(Rule::kThreadHandoff)) {
    if (!PrepareHandoff(index, graph_.handoffs[thread.handoff])) return false;
    ++thread.handoff;
  } else {
    thread.current = TaskId(thread.next);
    if (thread.previous.valid()) {
      SetBegin(thread.current, thread.free_at + Gap(thread.next),
               {thread.previous, Rule::kProgramOrder});
    } else {
      SetBegin(thread.current, SimTime::At(graph_.measured_begin[thread.next]), {});
    }
  }
  ++thread.next;
  thread.key = kGuided ? BeginOf(thread.current) : result_.begin[thread.current.value];
  thread.stage = Stage::kBegin;
  return true;
}

template <bool kGuided>
bool Simulation<kGuided>::PrepareHandoff(std::uint32_t index, const Handoff& handoff) {
  Thread& thread = threads_[index];
  const TaskId from(handoff.from);
  if (!Known(from)) return Suspend(index, from);
  thread.current = TaskId(handoff.task);
  Binding by{from, Rule::kThreadHandoff};
  SimTime begin = FinishOf(from) + handoff.lag;
  const SimTime in_order =
      thread.previous.valid() ? thread.free_at + Gap(handoff.task) : SimTime::BeforeAll();
  if (in_order > begin) {
    begin = in_order;
    by = {thread.previous, Rule::kProgramOrder};
  }
  SetBegin(thread.current, begin, by);
  return true;
}

template <bool kGuided>
bool Simulation<kGuided>::Suspend(std::uint32_t thread, TaskId on) {
  waiters_[on.value].push_back({true, thread});
  return false;
}

// Takes the thread one stage further. False: it has to wait for something, or is done.
template <bool kGuided>
bool Simulation<kGuided>::Advance(std::uint32_t thread) {
  switch (threads_[thread].stage) {
    case Stage::kBegin:
      return Begin(thread);
    case Stage::kWaitFirst:
      return WaitFirst(thread);
    case Stage::kIssue:
      return Queue(thread);
    case Stage::kWaitLast:
      return WaitLast(thread);
    case Stage::kAtEnd:
      return Prepare(thread);
  }
  return false;
}

template <bool kGuided>
bool Simulation<kGuided>::Begin(std::uint32_t index) {
  Thread& thread = threads_[index];
  if (Removed(thread.current)) {
    End(index, result_.begin[thread.current.value], {thread.current, Rule::kOwnTime});
    return Prepare(index);
  }
  AskAll(thread, QuestionOf(thread.current));
  thread.stage = Stage::kWaitFirst;
  return WaitFirst(index);
}

// Notes who answers the question of a call, as things stand when it begins.
template <bool kGuided>
void Simulation<kGuided>::AskAll(Thread& thread, const Question& question) {
  thread.awaited.clear();
  switch (question.ask) {
    case Ask::kStream:
      LastOfStream(question.target, thread.awaited);
      break;
    case Ask::kContext:
      for (std::uint32_t stream : graph_.contexts[question.target].streams) {
        LastOn(stream, thread.awaited);
      }
      break;
    case Ask::kRecord: {
      const auto [first, count] = records_[question.target];
      thread.awaited.assign(record_pool_.begin() + first, record_pool_.begin() + first + count);
      break;
    }
    case Ask::kNothing:
    case Ask::kOwnWork:
    case Ask::kMakeRecord:
    case Ask::kStreamWait:
      break;
  }
}

template <bool kGuided>
void Simulation<kGuided>::LastOn(std::uint32_t stream, std::vector<TaskId>& out) const {
  const Stream& on = streams_[stream];
  if (on.last.valid()) out.push_back(on.last);
  out.insert(out.end(), on.beside.begin(), on.beside.end());
}

// The operations after which everything issued on the stream so far is done.
template <bool kGuided>
void Simulation<kGuided>::LastOfStream(std::uint32_t stream, std::vector<TaskId>& out) const {
  LastOn(stream, out);
  const GraphStream& lane = graph_.streams[stream];
  if (!lane.is_null) return;
  for (std::uint32_t other : defaults_[lane.context].unseen()) {
    LastOn(other, out);
  }
}

template <bool kGuided>
bool Simulation<kGuided>::FindUnknown(const std::vector<TaskId>& tasks, TaskId* unknown) const {
  if constexpr (kGuided) return false;
  for (TaskId task : tasks) {
    if (Known(task)) continue;
    *unknown = task;
    return true;
  }
  return false;
}

template <bool kGuided>
TaskId Simulation<kGuided>::Latest(const std::vector<TaskId>& tasks) const {
  TaskId latest;
  for (TaskId task : tasks) {
    if (!latest.valid() || FinishOf(task) > FinishOf(latest)) latest = task;
  }
  return latest;
}

// Waits of calls that wait before they work, then the call's own work.
template <bool kGuided>
bool Simulation<kGuided>::WaitFirst(std::uint32_t index) {
  Thread& thread = threads_[index];
  const TaskId call = thread.current;
  const Question question = QuestionOf(call);
  const SimTime begin = BeginOf(call);
  thread.ready = begin + Own(call);
  thread.ready_by = {call, Rule::kOwnTime};
  if (IsWait(question.ask) && question.ask != Ask::kOwnWork) {
    TaskId unknown;
    if (question.before_work && FindUnknown(thread.awaited, &unknown)) {
      return Suspend(index, unknown);
    }
    const TaskId latest = question.before_work || kGuided ? Latest(thread.awaited) : TaskId();
    if (answers_ != nullptr && latest.valid() && !IsSplice(call)) {
      answers_->awaited[call.value] = latest;
    }
    if (question.before_work && latest.valid() && FinishOf(latest) > begin) {
      thread.ready = FinishOf(latest) + graph_.lag(question.latency) + Own(call);
      thread.ready_by = {latest, question.rule};
    }
  }
  const auto [first, last] = OpsOf(call);
  const bool has_effect = question.ask == Ask::kMakeRecord || question.ask == Ask::kStreamWait;
  if (first == last && !has_effect) {
    thread.stage = Stage::kWaitLast;
    return WaitLast(index);
  }
  // What the call does happens when its own work is done; other threads may come first.
  thread.stage = Stage::kIssue;
  // (A measured call that waits for its own work issued it long before it returned.)
  const bool at_begin = (first < last && !IsSplice(call) &&
                         graph_.submit[graph_.OpIndex(first)] != Submit::kAfterOwnCost) ||
                        (kGuided && question.ask == Ask::kOwnWork);
  if (!at_begin) thread.key = kGuided ? FinishOf(call) : thread.ready;
  return true;
}

// Waits for a place in the launch queue, then issues.
template <bool kGuided>
bool Simulation<kGuided>::Queue(std::uint32_t index) {
  Thread& thread = threads_[index];
  const TaskId call = thread.current;
  const auto [first, last] = OpsOf(call);
  if (first < last && graph_.queue_depth > 0) {
    const std::uint32_t context = graph_.streams[StreamOf(TaskId(first))].context;
    const TaskId blocker = queues_[context].Blocker();
    const bool after_own =
        IsSplice(call) || graph_.submit[graph_.OpIndex(first)] == Submit::kAfterOwnCost;
    if (blocker.valid() && after_own && !overlay_.Ignores(Rule::kLaunchQueue)) {
      if (!Known(blocker)) return Suspend(index, blocker);
      if (answers_ != nullptr && !IsSplice(call)) answers_->queue[call.value] = blocker;
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

template <bool kGuided>
void Simulation<kGuided>::Issue(std::uint32_t index) {
  Thread& thread = threads_[index];
  const TaskId call = thread.current;
  const Question question = QuestionOf(call);
  if (question.ask == Ask::kMakeRecord) {
    const std::uint32_t first = static_cast<std::uint32_t>(record_pool_.size());
    LastOfStream(graph_.record_stream[question.target], record_pool_);
    records_[question.target] = {first, static_cast<std::uint32_t>(record_pool_.size()) - first};
  } else if (question.ask == Ask::kStreamWait) {
    const StreamWait& wait = graph_.stream_waits[question.target];
    const auto [first, count] = records_[wait.record];
    auto& waits = streams_[wait.stream].waits;
    waits.insert(waits.end(), record_pool_.begin() + first, record_pool_.begin() + first + count);
  }
  const auto [first, last] = OpsOf(call);
  TaskId command;
  launch_head_ = {};
  for (TaskId op(first); op.value < last; ++op.value) {
    if (Removed(op)) continue;
    if (!command.valid()) launch_head_ = op;
    command = op;
    SimTime submit = thread.ready;
    ConstantId latency = graph_.submit_delay[static_cast<std::size_t>(ClassOf(op))];
    if (!IsSplice(op)) {
      const std::uint32_t row = graph_.OpIndex(op.value);
      switch (graph_.submit[row]) {
        case Submit::kAfterOwnCost:
          break;
        case Submit::kAnchored:
          submit = SimTime::At(graph_.measured_begin[op.value]);
          latency = 0;
          break;
        case Submit::kStreamOnly:
          submit = SimTime::At(graph_.measured_begin[call.value]);
          latency = 0;
          break;
      }
    }
    IssueOp(op, submit + graph_.lag(latency), {call, Rule::kSubmit});
  }
  if (command != launch_head_) NoteBranches(launch_head_, command);
  if (command.valid()) queues_[graph_.streams[StreamOf(command)].context].Push(command);
}

// Waits of calls that work before they wait.
template <bool kGuided>
bool Simulation<kGuided>::WaitLast(std::uint32_t index) {
  Thread& thread = threads_[index];
  const TaskId call = thread.current;
  const Question question = QuestionOf(call);
  SimTime finish = thread.ready;
  Binding by = thread.ready_by;
  if (!overlay_.wait.empty() && !IsSplice(call)) finish = finish + overlay_.wait[call.value];
  if (IsWait(question.ask) && !question.before_work) {
    if (question.ask == Ask::kOwnWork && thread.awaited.empty()) {
      const auto [first, last] = OpsOf(call);
      for (TaskId op(first); op.value < last; ++op.value) {
        if (!Removed(op)) thread.awaited.push_back(op);
      }
    }
    TaskId unknown;
    if (FindUnknown(thread.awaited, &unknown)) return Suspend(index, unknown);
    const TaskId latest = Latest(thread.awaited);
    if (latest.valid()) {
      if (answers_ != nullptr && !IsSplice(call)) answers_->awaited[call.value] = latest;
      const SimTime done = FinishOf(latest) + graph_.lag(question.latency);
      if (done > finish) {
        finish = done;
        by = {latest, question.rule};
      }
    }
  }
  End(index, finish, by);
  return Prepare(index);
}

template <bool kGuided>
void Simulation<kGuided>::End(std::uint32_t index, SimTime finish, Binding by) {
  Thread& thread = threads_[index];
  SetFinish(thread.current, finish, by);
  thread.previous = thread.current;
  thread.free_at = FinishOf(thread.current);
  thread.stage = Stage::kAtEnd;
}

template class Simulation<false>;
template class Simulation<true>;

}  // namespace xsp
