#include <algorithm>
#include <functional>

#include "base/interrupt.h"
#include "graph/simulation/simulation.h"

// Whose turn it is in a simulation. Threads and channels are taken by simulated time, ties by
// number, so that whatever a call asks of the device, all that was issued before it is there.
namespace xsp {

Schedule Simulation::Run() {
  StartChannels();
  StartThreads();
  while (!turns_.empty() || BreakDeadlock()) {
    CheckInterrupt();
    if (turns_.empty()) continue;
    // Channels come behind threads of the same time (their numbers are higher): what a thread
    // issues at this moment is then among what the channel chooses from.
    std::pop_heap(turns_.begin(), turns_.end(), std::greater<>());
    const auto [time, id] = turns_.back();
    turns_.pop_back();
    if (id < threads_.size()) {
      TakeThread(id);
    } else {
      TakeChannel(id - static_cast<std::uint32_t>(threads_.size()), time);
      if (!resolved_.empty()) Drain();
    }
  }
  return std::move(result_);
}

void Simulation::PushTurn(SimTime time, std::uint32_t id) {
  turns_.emplace_back(time, id);
  std::push_heap(turns_.begin(), turns_.end(), std::greater<>());
}

// Goes on with a thread for as long as it is before all others: no need to put it in line for that.
void Simulation::TakeThread(std::uint32_t thread) {
  constexpr std::uint32_t kCallsPerCheck = 1 << 14;
  for (std::uint32_t calls = 1;; ++calls) {
    if (calls % kCallsPerCheck == 0) CheckInterrupt();
    const bool is_ready = Advance(thread);
    if (!resolved_.empty()) Drain();
    if (!is_ready) return;
    const std::pair<SimTime, std::uint32_t> place(threads_[thread].key, thread);
    if (!turns_.empty() && turns_.front() < place) return PushTurn(place.first, thread);
  }
}

void Simulation::StartThreads() {
  threads_.resize(graph_.threads.size());
  for (std::uint32_t i = 0; i < threads_.size(); ++i) {
    const GraphThread& lane = graph_.threads[i];
    Thread& thread = threads_[i];
    auto handoff_at = [&](TaskId task) {
      return static_cast<std::uint32_t>(
          std::partition_point(graph_.handoffs.begin(), graph_.handoffs.end(),
                               [&](const Handoff& h) { return h.task < task; }) -
          graph_.handoffs.begin());
    };
    thread.stage = Stage::kAtEnd;
    thread.next = lane.first;
    thread.handoff = handoff_at(lane.first);
    thread.handoff_end = handoff_at(lane.last);
    if (Prepare(i)) PushTurn(thread.key, i);
  }
}

// Finds the thread's next call and when it begins. False: there is none, or not yet.
bool Simulation::Prepare(std::uint32_t index) {
  Thread& thread = threads_[index];
  const GraphThread& lane = graph_.threads[index];
  if (thread.next == lane.last) return false;
  SkipHandoffs(thread);
  if (thread.handoff < thread.handoff_end && graph_.handoffs[thread.handoff].task == thread.next) {
    if (!PrepareHandoffs(index)) return false;
  } else {
    thread.current = thread.next;
    if (thread.previous.valid()) {
      // Untraced host time (Python, the framework) between two calls passes whatever the device
      // does: it is work of the thread, as long as nothing shows that it was waiting.
      SetBegin(thread.current, thread.free_at + Gap(thread.current),
               {thread.previous, Rule::kProgramOrder});
    } else {
      // What made the thread begin was not recorded: it begins when it did.
      SetBegin(thread.current, SimTime::At(lane.start), {});
    }
  }
  ++thread.next.value;
  thread.key = BeginOf(thread.current);
  thread.stage = Stage::kBegin;
  return true;
}

// Leaves out hand-offs that the begin of the thread's next call does not wait for: those that are
// ignored, and those that end the wait of a call.
void Simulation::SkipHandoffs(Thread& thread) const {
  for (; thread.handoff < thread.handoff_end; ++thread.handoff) {
    const Handoff& handoff = graph_.handoffs[thread.handoff];
    if (handoff.task > thread.next) return;
    const bool is_end = graph_.question[handoff.task].ask == Ask::kThread;
    if (handoff.task == thread.next && !is_end && !Ignores(handoff.rule)) return;
  }
}

// The thread's next call waits for the call before it and for every thread that hands over to it.
bool Simulation::PrepareHandoffs(std::uint32_t index) {
  Thread& thread = threads_[index];
  const TaskId task = thread.next;
  SimTime begin;
  Binding by;
  if (thread.previous.valid()) {
    begin = thread.free_at + Gap(task);
    by = {thread.previous, Rule::kProgramOrder};
  }
  std::uint32_t next = thread.handoff;
  for (; next < thread.handoff_end && graph_.handoffs[next].task == task; ++next) {
    const Handoff& handoff = graph_.handoffs[next];
    if (Ignores(handoff.rule)) continue;
    const TaskId from = handoff.from;
    // Nobody can tell yet when the other thread will be there: this one is asked again then.
    if (!Known(from)) return Suspend(index, from);
    if (FinishOf(from) + handoff.lag < begin) continue;
    begin = FinishOf(from) + handoff.lag;
    by = {from, handoff.rule};
  }
  thread.handoff = next;
  thread.current = task;
  SetBegin(thread.current, begin, by);
  return true;
}

// Puts a thread aside until the finish of a task is known. Its stage stays: it tries again there.
bool Simulation::Suspend(std::uint32_t thread, TaskId on) {
  waiters_[on].push_back({Waiter::Kind::kThread, thread});
  return false;
}

// Takes the thread one stage further. False: it has to wait for something, or is done.
bool Simulation::Advance(std::uint32_t thread) {
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

// Tells everybody who waited for what has become known, and whoever waits for those in turn.
void Simulation::Drain() {
  while (!resolved_.empty()) {
    const TaskId task = resolved_.back();
    resolved_.pop_back();
    auto node = waiters_.extract(task);
    if (node.empty()) continue;
    for (const Waiter& waiter : node.mapped()) {
      switch (waiter.kind) {
        case Waiter::Kind::kThread:
          PushTurn(threads_[waiter.id].key, waiter.id);
          break;
        case Waiter::Kind::kChannel:
          channels_[waiter.id].SetFree(FinishOf(task));
          Wake(waiter.id);
          break;
        case Waiter::Kind::kOp: {
          const TaskId task_of(waiter.id);
          auto op = deferred_.extract(task_of);
          Deferred& deferred = op.mapped();
          TryOp(task_of, deferred.submit, deferred.submit_by, deferred.dependencies);
          break;
        }
      }
    }
  }
}

// Everybody waits, for something that will never come because an edit took it away: an operation
// after which a channel should fetch another, or a rank of a collective. They go on without it.
// False if everything is done.
bool Simulation::BreakDeadlock() {
  for (std::uint32_t i = 0; i < channels_.size(); ++i) {
    if (!channels_[i].ReleaseAny()) continue;
    Wake(i);
    ++result_.broken_prefetches;
    return true;
  }
  for (std::uint32_t i = 0; i < arrivals_.size(); ++i) {
    if (arrivals_[i].done || arrivals_[i].count == 0) continue;
    Complete(i);
    ++result_.broken_collectives;
    Drain();
    return true;
  }
  return false;
}

}  // namespace xsp
