#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "hierarchy/totals/path_totals.h"

namespace xsp {

// A piece of device work and the path that it ran at.
struct PlacedWork {
  TimeRange time;
  PathId path;
};

// How long the paths of a tree were busy is no sum: what runs at the same time below one of them
// counts once. This tells what is too much in the sum, at the path where two pieces of work meet.
// With that taken off there, busy times add up from the leaves to the root, and no piece of work is
// followed up its path, which may be ten thousands of ranges deep.
//
// At any moment the paths that are busy are those above the pieces that run. Between two
// neighbours, in an order that keeps each path's work together, the ones above both are those above
// the path where they meet; counted at every piece and taken off at every meeting, each is left
// once.
class Overlaps {
 public:
  // Parents come before their children.
  explicit Overlaps(const std::vector<PathNode>& nodes);

  // Work in the order of begin. `twice` is told where two pieces meet, and how long both ran.
  using Twice = std::function<void(PathId, DurationNs)>;
  void Find(std::span<const PlacedWork> work, const Twice& twice) const;

 private:
  class Sweep;

  PathId MeetingOf(PathId a, PathId b) const;

  std::vector<PathId> parent_;
  std::vector<PathId> jump_;  // Some path further up: from any to any in a few hops.
  std::vector<std::uint32_t> depth_;
  std::vector<std::uint32_t> place_;  // From left to right: below a path they follow each other.
};

}  // namespace xsp
