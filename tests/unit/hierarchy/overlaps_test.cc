#include "hierarchy/totals/overlaps.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

namespace xsp {
namespace {

// How long at least one of these ran. They are sorted by begin.
DurationNs UnionOf(const std::vector<TimeRange>& times) {
  DurationNs sum = 0;
  TimeNs until = 0;
  for (const TimeRange& time : times) {
    sum += std::max<DurationNs>(0, time.end - std::max(time.begin, until));
    until = std::max(until, time.end);
  }
  return sum;
}

TEST_CASE("sums of busy times less what overlaps are unions, whatever the tree and the times") {
  std::mt19937 random(7);
  auto below = [&](std::uint32_t most) { return static_cast<std::uint32_t>(random() % most); };
  for (int round = 0; round < 200; ++round) {
    std::vector<PathNode> nodes(1 + below(40));
    const bool is_deep = round % 2 == 0;
    for (std::uint32_t n = 1; n < nodes.size(); ++n) {
      nodes[n].parent = PathId(is_deep ? n - 1 - below(std::min(n, 2u)) : below(n));
    }
    std::vector<PlacedWork> work(below(60));
    for (PlacedWork& piece : work) {
      const TimeNs begin = below(100);
      piece = {{begin, begin + below(20)}, PathId(below(static_cast<std::uint32_t>(nodes.size())))};
    }
    std::sort(work.begin(), work.end(),
              [](const PlacedWork& a, const PlacedWork& b) { return a.time.begin < b.time.begin; });
    std::vector<DurationNs> busy(nodes.size());
    for (const PlacedWork& piece : work) busy[piece.path.value] += piece.time.Length();
    Overlaps(nodes).Find(work, [&](PathId at, DurationNs twice) { busy[at.value] -= twice; });
    for (std::size_t n = nodes.size(); n-- > 1;) busy[nodes[n].parent.value] += busy[n];
    for (std::uint32_t n = 0; n < nodes.size(); ++n) {
      std::vector<TimeRange> times;
      for (const PlacedWork& piece : work) {
        PathId at = piece.path;
        while (at.value > n && at.value != 0) at = nodes[at.value].parent;
        if (at.value == n) times.push_back(piece.time);
      }
      CAPTURE(round, n);
      REQUIRE(busy[n] == UnionOf(times));
    }
  }
}

}  // namespace
}  // namespace xsp
