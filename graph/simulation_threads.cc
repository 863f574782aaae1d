#include <algorithm>
#include <functional>

#include "graph/simulation.h"

// Host threads: each takes its calls one after the other.
namespace xsp {

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
      !Ignores(Rule::kThreadHandoff)) {
    if (!PrepareHandoffs(index)) return false;
  } else {
    thread.current = TaskId(thread.next);
    if (thread.previous.valid()) {
      SetBegin(thread.current, thread.free_at + Gap(thread.next),
               {thread.previous, Rule::kProgramOrder});
    } else {
      SetBegin(thread.current, SimTime::At(lane.start), {});
    }
  }
  ++thread.next;
  thread.key = kGuided ? BeginOf(thread.current) : result_.begin[thread.current.value];
  thread.stage = Stage::kBegin;
  return true;
}

// The thread's next call waits for the call before it and for every thread that hands over to it.
template <bool kGuided>
bool Simulation<kGuided>::PrepareHandoffs(std::uint32_t index) {
  Thread& thread = threads_[index];
  const TaskId task(thread.next);
  SimTime begin;
  Binding by;
  if (thread.previous.valid()) {
    begin = thread.free_at + Gap(task.value);
    by = {thread.previous, Rule::kProgramOrder};
  }
  std::uint32_t next = thread.handoff;
  for (; next < thread.handoff_end && graph_.handoffs[next].task == task.value; ++next) {
    const Handoff& handoff = graph_.handoffs[next];
    const TaskId from(handoff.from);
    if (!Known(from)) return Suspend(index, from);
    if (FinishOf(from) + handoff.lag < begin) continue;
    begin = FinishOf(from) + handoff.lag;
    by = {from, Rule::kThreadHandoff};
  }
  thread.handoff = next;
  thread.current = task;
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

template class Simulation<false>;
template class Simulation<true>;

}  // namespace xsp
