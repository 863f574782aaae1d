#include <algorithm>

#include "graph/simulation/simulation.h"

// A simulation's channels: an operation that is ready queues for its channel, and the channel takes
// one when its turn comes. All that could still be ready by then has been issued, since threads are
// taken by time, too; so a channel can choose, which nothing else here does.
namespace xsp {

const ChannelPlace* Simulation::PlaceOnChannel(TaskId op) const {
  return Ignores(Rule::kChannel) ? nullptr : graph_.PlaceOnChannel(op);
}

void Simulation::StartChannels() {
  if (graph_.channels.empty()) return;
  channels_.resize(graph_.channels.size());
  if (!is_guided_) return;
  // In a guided run the measured order is the order.
  channel_before_.resize(graph_.channel_places.size());
  std::vector<std::vector<TaskId>> ops(graph_.channels.size());
  for (TaskId op : graph_.ops()) {
    if (const ChannelPlace* place = PlaceOnChannel(op)) ops[place->channel].push_back(op);
  }
  for (std::vector<TaskId>& on : ops) {
    std::sort(on.begin(), on.end(), [&](TaskId a, TaskId b) {
      return std::pair(BeginOf(a), a) < std::pair(BeginOf(b), b);
    });
    for (std::size_t i = 1; i < on.size(); ++i) {
      channel_before_[graph_.channel[graph_.RowOf(on[i])]] = on[i - 1];
    }
  }
}

// When an operation on a channel had to begin, given what was measured.
void Simulation::GuideByChannel(TaskId op, SimTime& begin, Binding& by) {
  const std::uint32_t row = graph_.channel[graph_.RowOf(op)];
  const TaskId before = channel_before_[row];
  if (answers_ != nullptr) answers_->channel[graph_.RowOf(op)] = before;
  if (before.valid() && FinishOf(before) > begin) {
    begin = FinishOf(before);
    by = {before, Rule::kChannel};
  }
  const TaskId after = graph_.channel_places[row].after;
  if (after.valid() && !Ignores(Rule::kPrefetch) && BeginOf(after) > begin) {
    begin = BeginOf(after);
    by = {after, Rule::kPrefetch};
  }
}

// An operation that has all it waits for comes to its channel.
void Simulation::Offer(TaskId op, const ChannelPlace& place, SimTime ready, Binding by) {
  ChannelQueue& queue = channels_[place.channel];
  const bool is_held = place.after.valid() && !Ignores(Rule::kPrefetch);
  if (is_held && !BeginOf(place.after).known()) {
    queue.Hold({op, place.priority, ready, by}, place.after);
    held_[place.after].push_back(place.channel);
    return;
  }
  if (is_held && BeginOf(place.after) > ready) {
    ready = BeginOf(place.after);
    by = {place.after, Rule::kPrefetch};
  }
  // Not told at once, though the channel may be free: something more urgent may come to it before
  // this operation is ready.
  queue.Add({op, place.priority, ready, by});
  Wake(place.channel);
}

// A task has a begin now; operations on channels may have waited for that.
void Simulation::Release(TaskId begun) {
  auto node = held_.extract(begun);
  if (node.empty()) return;
  for (std::uint32_t channel : node.mapped()) {
    channels_[channel].Release(begun, BeginOf(begun));
    Wake(channel);
  }
}

// Puts a channel in line for its next turn.
void Simulation::Wake(std::uint32_t channel) {
  ChannelQueue& queue = channels_[channel];
  const SimTime turn = queue.NextTurn();
  if (!turn.known() || (queue.announced.known() && queue.announced <= turn)) return;
  queue.announced = turn;
  PushTurn(turn, static_cast<std::uint32_t>(threads_.size()) + channel);
}

// A channel's turn has come: it takes the most urgent of what is ready.
void Simulation::TakeChannel(std::uint32_t channel, SimTime now) {
  ChannelQueue& queue = channels_[channel];
  if (queue.announced != now) return;  // It was put in line for an earlier turn since.
  queue.announced = {};
  const TaskId before = queue.last();
  ChannelQueue::Waiting taken = queue.Take(now);
  if (answers_ != nullptr) answers_->channel[graph_.RowOf(taken.op)] = before;
  if (queue.free_since() > taken.ready) {
    taken.ready = queue.free_since();
    taken.ready_by = {before, Rule::kChannel};
  }
  PlaceOp(taken.op, taken.ready, taken.ready_by);
  // A collective on a channel holds it until the last rank has come; nobody knows when yet.
  if (Known(taken.op)) {
    queue.SetFree(FinishOf(taken.op));
    Wake(channel);
  } else {
    waiters_[taken.op].push_back({Waiter::Kind::kChannel, channel});
  }
}

}  // namespace xsp
