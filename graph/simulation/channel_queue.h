#pragma once

#include <cstdint>
#include <map>
#include <queue>
#include <vector>

#include "graph/sim_time.h"
#include "graph/simulation/scheduler.h"

namespace xsp {

// Who waits for a channel (see GraphChannel) in a simulation, and when the channel is free.
class ChannelQueue {
 public:
  struct Waiting {
    TaskId op;
    std::int32_t priority = 0;
    SimTime ready;     // From here on it could begin,
    Binding ready_by;  // because of this.
  };

  void Add(const Waiting& waiting) { coming_.push(waiting); }
  // It waits until another operation begins as well, of which nothing is known yet.
  void Hold(const Waiting& waiting, TaskId until) { held_[until].push_back(waiting); }
  // That operation begins at a time.
  void Release(TaskId until, SimTime begin);
  // Lets those go that are held until the same operation, which will never come. False: none are.
  bool ReleaseAny();

  // When the channel can take its next operation; unknown: there is none, or it is busy and nobody
  // knows for how long.
  SimTime NextTurn() const;
  // Takes an operation off the queue that is ready by `now`, which must not be before NextTurn():
  // by priority, then by when it was ready, then by number. The channel is busy until SetFree.
  Waiting Take(SimTime now);
  void SetFree(SimTime since) {
    is_busy_ = false;
    free_since_ = since;
  }

  TaskId last() const { return last_; }  // The operation that it took last.
  SimTime free_since() const { return free_since_; }

  SimTime announced;  // The turn for which it is in line; unknown: for none.

 private:
  struct ReadyLater {
    bool operator()(const Waiting& a, const Waiting& b) const;
  };
  struct LessUrgent {
    bool operator()(const Waiting& a, const Waiting& b) const;
  };

  std::priority_queue<Waiting, std::vector<Waiting>, ReadyLater> coming_;
  std::priority_queue<Waiting, std::vector<Waiting>, LessUrgent> ready_;  // By the last Take.
  std::map<TaskId, std::vector<Waiting>> held_;                           // By `until`.
  TaskId last_;
  SimTime free_since_;
  bool is_busy_ = false;
};

}  // namespace xsp
