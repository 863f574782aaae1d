#include "graph/simulation/channel_queue.h"

#include <algorithm>
#include <tuple>

namespace xsp {

bool ChannelQueue::ReadyLater::operator()(const Waiting& a, const Waiting& b) const {
  return std::tuple(a.ready, a.op) > std::tuple(b.ready, b.op);
}

bool ChannelQueue::LessUrgent::operator()(const Waiting& a, const Waiting& b) const {
  return std::tuple(b.priority, a.ready, a.op) > std::tuple(a.priority, b.ready, b.op);
}

void ChannelQueue::Release(TaskId until, SimTime begin) {
  auto node = held_.extract(until);
  if (node.empty()) return;
  for (Waiting& waiting : node.mapped()) {
    if (begin > waiting.ready) {
      waiting.ready = begin;
      waiting.ready_by = {until, Rule::kPrefetch};
    }
    coming_.push(waiting);
  }
}

bool ChannelQueue::ReleaseAny() {
  if (held_.empty()) return false;
  Release(held_.begin()->first, SimTime::BeforeAll());
  return true;
}

SimTime ChannelQueue::NextTurn() const {
  if (is_busy_) return {};
  if (!ready_.empty()) return free_since_;
  return coming_.empty() ? SimTime() : std::max(coming_.top().ready, free_since_);
}

ChannelQueue::Waiting ChannelQueue::Take(SimTime now) {
  for (; !coming_.empty() && coming_.top().ready <= now; coming_.pop()) ready_.push(coming_.top());
  const Waiting taken = ready_.top();
  ready_.pop();
  last_ = taken.op;
  is_busy_ = true;
  return taken;
}

}  // namespace xsp
