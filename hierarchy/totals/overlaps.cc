#include "hierarchy/totals/overlaps.h"

#include <iterator>
#include <limits>
#include <map>
#include <queue>
#include <utility>

#include "base/interrupt.h"

namespace xsp {

Overlaps::Overlaps(const std::vector<PathNode>& nodes)
    : parent_(nodes.size()), jump_(nodes.size()), depth_(nodes.size()), place_(nodes.size()) {
  std::vector<std::uint32_t> below(nodes.size(), 1);  // How many paths lie there, with itself.
  for (std::size_t n = nodes.size(); n-- > 1;) below[nodes[n].parent.value] += below[n];
  std::vector<std::uint32_t> next(nodes.size(), 1);  // The next free place below a path.
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const PathId above = n == 0 ? PathId(0u) : nodes[n].parent;
    parent_[n] = jump_[n] = above;
    if (n == 0) continue;
    const std::uint32_t up = above.value;
    depth_[n] = depth_[up] + 1;
    place_[n] = place_[up] + next[up];
    next[up] += below[n];
    // Two hops of one length make one of twice that length.
    const PathId once = jump_[up], twice = jump_[once.value];
    if (depth_[up] - depth_[once.value] == depth_[once.value] - depth_[twice.value]) {
      jump_[n] = twice;
    }
  }
}

PathId Overlaps::MeetingOf(PathId a, PathId b) const {
  if (depth_[a.value] < depth_[b.value]) std::swap(a, b);
  while (depth_[a.value] > depth_[b.value]) {
    const PathId far = jump_[a.value];
    a = depth_[far.value] < depth_[b.value] ? parent_[a.value] : far;
  }
  while (a != b) {
    const bool meet_before = jump_[a.value] == jump_[b.value];
    a = meet_before ? parent_[a.value] : jump_[a.value];
    b = meet_before ? parent_[b.value] : jump_[b.value];
  }
  return a;
}

// What runs at the moment, from left to right.
class Overlaps::Sweep {
 public:
  Sweep(const Overlaps& tree, const Twice& twice) : tree_(tree), twice_(twice) {}

  void Begin(const PlacedWork& work, std::size_t id) {
    EndBefore(work.time.begin);
    const Key key = {tree_.place_[work.path.value], id};
    const auto it = running_.emplace(key, Piece{work.path, work.time.begin}).first;
    // Its neighbours were each other's until now.
    if (it != running_.begin() && std::next(it) != running_.end()) {
      Count(std::prev(it), std::next(it), work.time.begin);
    }
    if (it != running_.begin()) std::prev(it)->second.since = work.time.begin;
    ends_.push({work.time.end, key});
  }

  void EndBefore(TimeNs time) {
    while (!ends_.empty() && ends_.top().first <= time) {
      const auto [end, key] = ends_.top();
      ends_.pop();
      End(running_.find(key), end);
    }
  }

 private:
  using Key = std::pair<std::uint32_t, std::size_t>;  // Place and id.
  struct Piece {
    PathId path;
    TimeNs since;  // It has had the neighbour on the right that it has.
  };
  using Running = std::map<Key, Piece>;

  void Count(Running::iterator left, Running::iterator right, TimeNs now) {
    if (now == left->second.since) return;
    twice_(tree_.MeetingOf(left->second.path, right->second.path), now - left->second.since);
  }

  void End(Running::iterator it, TimeNs now) {
    const auto right = std::next(it);
    if (right != running_.end()) Count(it, right, now);
    if (it != running_.begin()) {
      Count(std::prev(it), it, now);
      std::prev(it)->second.since = now;
    }
    running_.erase(it);
  }

  const Overlaps& tree_;
  const Twice& twice_;
  Running running_;
  std::priority_queue<std::pair<TimeNs, Key>, std::vector<std::pair<TimeNs, Key>>, std::greater<>>
      ends_;
};

void Overlaps::Find(std::span<const PlacedWork> work, const Twice& twice) const {
  Sweep sweep(*this, twice);
  InterruptPoll poll;
  for (std::size_t i = 0; i < work.size(); ++i) {
    poll();
    if (!work[i].time.Empty()) sweep.Begin(work[i], i);
  }
  sweep.EndBefore(std::numeric_limits<TimeNs>::max());
}

}  // namespace xsp
