#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <tuple>
#include <utility>

#include "graph/sim_time.h"
#include "graph/task_ids.h"

namespace xsp {

// Whose commands share a launch queue, and who makes room in it.
enum class QueueKind : std::uint8_t {
  kContext,         // All of a context; whichever finishes makes room.
  kContextInOrder,  // All of a context; places come free in the order in which they were taken.
  kStream,          // Each stream has a queue of its own.
};
inline constexpr std::size_t kQueueKindCount = 3;

// The driver's queue of commands: a launch returns when there is a place for it, that is, when no
// more than `depth` commands are outstanding. A graph launch is one command.
class LaunchQueue {
 public:
  LaunchQueue(std::uint32_t depth, bool in_order) : places_for_(depth + 1), in_order_(in_order) {}

  void Push(TaskId command) { coming_.push_back(command); }

  // The command whose finish leaves a place for another one; none: there has always been one. It
  // may have finished long ago. Its finish is unknown where too many are that were pushed: those
  // count as outstanding until it is known. `finish_of` tells when a command finishes, if that is
  // known.
  template <class F>
  TaskId Blocker(F finish_of) {
    Settle(finish_of);
    if (coming_.size() >= places_for_) return coming_.front();
    const std::size_t last_to_finish = places_for_ - coming_.size();
    if (settled_.size() < last_to_finish) return {};
    return settled_[settled_.size() - last_to_finish].second;
  }

 private:
  // Sorts in what has become known. Whatever waits for a collective hides those behind it; to look
  // at all of them each time would take long where thousands do.
  template <class F>
  void Settle(F finish_of) {
    while (!coming_.empty() && finish_of(coming_.front()).known()) {
      SortIn(finish_of(coming_.front()), coming_.front());
      coming_.pop_front();
    }
    if (in_order_ || coming_.size() < look_at_) return;
    std::erase_if(coming_, [&](TaskId command) {
      const bool is_known = finish_of(command).known();
      if (is_known) SortIn(finish_of(command), command);
      return is_known;
    });
    look_at_ = std::max<std::size_t>(kLookAt, 2 * coming_.size());
  }

  // Most commands finish behind all before them.
  void SortIn(SimTime finish, TaskId command) {
    if (in_order_ && !settled_.empty() && finish < settled_.back().first) {
      std::tie(finish, command) = settled_.back();
    }
    settled_.emplace_back(finish, command);
    for (std::size_t i = settled_.size() - 1; i > 0 && settled_[i].first < settled_[i - 1].first;
         --i) {
      std::swap(settled_[i], settled_[i - 1]);
    }
    if (settled_.size() > places_for_) settled_.pop_front();
  }

  static constexpr std::size_t kLookAt = 64;

  std::size_t places_for_;
  bool in_order_;
  std::deque<TaskId> coming_;  // By issue: those of which the finish is not known to be known.
  std::deque<std::pair<SimTime, TaskId>> settled_;  // By finish: the last ones to finish.
  std::size_t look_at_ = kLookAt;                   // So many coming ones are looked at one by one.
};

}  // namespace xsp
