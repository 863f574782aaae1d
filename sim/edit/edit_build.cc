#include "sim/edit/edit_build.h"

#include <algorithm>

namespace xsp {

EditBuild::EditBuild(const GraphEdit& edit) : edit_(edit), old_(edit.graph_) {
  place_.resize(OldCount() + edit.new_tasks_.size());
  source_.reserve(place_.size());
  for (const auto& [task, around] : edit.around_) {
    if (IsOld(task)) anchors_.push_back(task);
  }
  std::sort(anchors_.begin(), anchors_.end());
}

TaskGraph EditBuild::Run() {
  Hosts();
  Ops();
  Columns();
  Handoffs();
  NodeOrders();
  GraphLaunches();
  Collectives();
  Channels();
  return std::move(graph_);
}

void EditBuild::Hosts() {
  gap_.reserve(old_.host_count());
  for (std::uint32_t i = 0; i < old_.threads.size(); ++i) OldThread(i);
  for (std::uint32_t i = 0; i < edit_.threads_.size(); ++i) {
    NewThread(edit_.threads_[i], static_cast<std::uint32_t>(old_.threads.size()) + i);
  }
}

void EditBuild::OldThread(std::uint32_t row) {
  const GraphThread& thread = old_.threads[row];
  thread_first_ = TaskId(source_.size());
  thread_start_ = thread.start;
  now_ = thread.start;
  // The first task begins with the thread; the untraced time before it is not part of that.
  carried_ = thread.first < thread.last ? -edit_.Gap(thread.first) : 0;
  for (TaskId task : thread.tasks()) {
    if (next_anchor_ < anchors_.size() && anchors_[next_anchor_] == task) {
      ++next_anchor_;
      VisitAround(task);
    } else {
      Reach(task);
      Settle(task);
    }
  }
  Appended(row);
  EndThread(thread);
}

void EditBuild::NewThread(const GraphEdit::NewThread& thread, std::uint32_t row) {
  thread_first_ = TaskId(source_.size());
  thread_start_ = thread.start;
  now_ = thread.start;
  carried_ = 0;
  Appended(row);
  GraphThread added;
  added.process = thread.process;
  EndThread(added);
}

void EditBuild::Appended(std::uint32_t row) {
  if (row >= edit_.appended_.size()) return;
  for (TaskId task : edit_.appended_[row]) VisitAround(task);
}

void EditBuild::EndThread(GraphThread thread) {
  thread.first = thread_first_;
  thread.last = TaskId(source_.size());
  thread.start = thread_start_;
  graph_.threads.push_back(thread);
  pending_.clear();
}

// Goes through a task and all that was put before and behind it, and around those in turn. Without
// recursion: a what-if may hang a long chain of tasks one behind the other.
void EditBuild::VisitAround(TaskId root) {
  enum class Part { kBefore, kSelf, kAfter };
  std::vector<std::pair<TaskId, Part>> stack = {{root, Part::kBefore}};
  const auto push = [&](const std::vector<TaskId>& tasks) {
    for (auto it = tasks.rbegin(); it != tasks.rend(); ++it) stack.push_back({*it, Part::kBefore});
  };
  while (!stack.empty()) {
    const auto [task, part] = stack.back();
    stack.pop_back();
    const auto around = edit_.around_.find(task);
    const bool is_alone = around == edit_.around_.end();
    if (part == Part::kBefore) {
      Reach(task);
      stack.push_back({task, Part::kSelf});
      if (!is_alone) push(around->second.before);
    } else if (part == Part::kSelf) {
      Settle(task);
      stack.push_back({task, Part::kAfter});
    } else if (!is_alone) {
      push(around->second.after);
    }
  }
}

// Comes to a task: the untraced time before it has passed, and it waits for other threads.
void EditBuild::Reach(TaskId task) {
  carried_ += edit_.Gap(task);
  if (!IsOld(task)) return;
  now_ = old_.measured_begin[task];
  for (; next_handoff_ < old_.handoffs.size(); ++next_handoff_) {
    const Handoff& handoff = old_.handoffs[next_handoff_];
    if (handoff.task != task) break;
    pending_.push_back({task, handoff.from, handoff.lag, carried_, handoff.rule});
  }
}

// Places a task, or leaves it out.
void EditBuild::Settle(TaskId task) {
  if (edit_.FateOf(task) != GraphEdit::kRemoved) {
    PlaceHost(task);
  } else {
    const bool is_first = source_.size() == thread_first_.value;
    const TaskId before = is_first ? TaskId() : TaskId(source_.size() - 1);
    stand_ins_.push_back({task, before, carried_});
  }
  if (IsOld(task)) now_ = old_.measured_end[task];
}

void EditBuild::PlaceHost(TaskId task) {
  const TaskId number(source_.size());
  const bool is_first = number == thread_first_;
  if (is_first) thread_start_ += carried_;
  std::erase_if(pending_, [&](const PendingHandoff& handoff) {
    // What ends the wait of a task goes nowhere else; what comes before it begins without.
    const bool ends_wait = edit_.QuestionOf(handoff.task).ask == Ask::kThread;
    if (ends_wait && handoff.task != task && !edit_.IsRemoved(handoff.task)) return false;
    kept_.push_back({number, handoff.from, handoff.lag + carried_ - handoff.carried, handoff.rule});
    return true;
  });
  place_[task] = number;
  source_.push_back(task);
  gap_.push_back(is_first ? edit_.Gap(task) : carried_);
  carried_ = 0;
  if (!IsOld(task)) added_.push_back({number, now_});
}

}  // namespace xsp
