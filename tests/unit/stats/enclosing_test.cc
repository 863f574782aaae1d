#include "stats/enclosing.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

using namespace xsp;

namespace {

bool Encloses(const TimeRange& outer, const TimeRange& inner) {
  return outer.begin <= inner.begin && outer.end >= inner.end;
}

std::vector<TimeRange> RandomRanges(std::mt19937& random, std::size_t count) {
  std::vector<TimeRange> ranges;
  for (std::size_t i = 0; i < count; ++i) {
    const TimeNs begin = random() % 50;
    ranges.push_back({begin, begin + static_cast<TimeNs>(random() % 20)});
  }
  std::sort(ranges.begin(), ranges.end(), [](const TimeRange& a, const TimeRange& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  return ranges;
}

// The shortest of outer[0, count) around a range, the last of equal ones; by trying all.
std::uint32_t TightestByHand(const std::vector<TimeRange>& outer, std::size_t count,
                             const TimeRange& inner) {
  std::uint32_t best = kNoInterval;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!Encloses(outer[i], inner)) continue;
    if (best == kNoInterval || outer[i].Length() <= outer[best].Length()) best = i;
  }
  return best;
}

}  // namespace

TEST_CASE("a range's parent is the tightest one around it, ends included") {
  const std::vector<TimeRange> ranges = {{0, 100}, {0, 50}, {10, 50}, {50, 60}, {60, 100}};
  CHECK(Parents(ranges) == std::vector<std::uint32_t>{kNoInterval, 0, 1, 0, 0});
}

TEST_CASE("of two identical ranges the first is the parent of the second") {
  const std::vector<TimeRange> ranges = {{0, 9}, {0, 9}, {2, 3}};
  CHECK(Parents(ranges) == std::vector<std::uint32_t>{kNoInterval, 0, 1});
}

TEST_CASE("ranges that cross each other enclose nothing of each other") {
  // Two domains on one thread: push A, push B, pop A, pop B, with a range inside both.
  const std::vector<TimeRange> ranges = {{0, 10}, {5, 20}, {6, 8}};
  CHECK(Parents(ranges) == std::vector<std::uint32_t>{kNoInterval, kNoInterval, 0});
}

TEST_CASE("what encloses what agrees with trying all pairs") {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    const std::vector<TimeRange> outer = RandomRanges(random, random() % 12);
    const std::vector<TimeRange> inner = RandomRanges(random, random() % 12);
    const auto tightest = TightestEnclosing(outer, inner);
    for (std::size_t i = 0; i < inner.size(); ++i) {
      CHECK(tightest[i] == TightestByHand(outer, outer.size(), inner[i]));
    }
    const auto parents = Parents(outer);
    for (std::size_t i = 0; i < outer.size(); ++i) {
      CHECK(parents[i] == TightestByHand(outer, i, outer[i]));
    }
    const auto collected = CollectEnclosed(outer, inner, inner);
    for (std::size_t o = 0; o < outer.size(); ++o) {
      Enclosed expected;
      for (const TimeRange& range : inner) {
        if (!Encloses(outer[o], range)) continue;
        if (expected.count++ == 0) expected.hull = range;
        expected.hull = {std::min(expected.hull.begin, range.begin),
                         std::max(expected.hull.end, range.end)};
      }
      CHECK(collected[o].count == expected.count);
      CHECK(collected[o].hull == expected.hull);
    }
  }
}
