#include "stats/enclosing.h"

#include <algorithm>
#include <numeric>

namespace xsp {
namespace {

// A Fenwick tree: values at positions, and what the values at positions [from, size) come to.
template <class Value, class Merge>
class SuffixTree {
 public:
  SuffixTree(std::size_t size, Merge merge) : merge_(merge), nodes_(size + 1) {}

  void Add(std::size_t position, const Value& value) {
    for (std::size_t i = nodes_.size() - 1 - position; i < nodes_.size(); i += i & (~i + 1)) {
      merge_(nodes_[i], value);
    }
  }

  Value From(std::size_t position) const {
    Value result;
    for (std::size_t i = nodes_.size() - 1 - std::min(position, nodes_.size() - 1); i > 0;
         i -= i & (~i + 1)) {
      merge_(result, nodes_[i]);
    }
    return result;
  }

 private:
  Merge merge_;
  std::vector<Value> nodes_;  // Position p is node size - p, so that suffixes are prefixes.
};

// The shortest interval seen so far; of equally short ones the last.
struct Shortest {
  DurationNs length = 0;
  std::uint32_t interval = kNoInterval;
};
constexpr auto kMergeShortest = [](Shortest& to, const Shortest& from) {
  if (from.interval == kNoInterval) return;
  const bool better = to.interval == kNoInterval || from.length < to.length ||
                      (from.length == to.length && from.interval > to.interval);
  if (better) to = from;
};

constexpr auto kMergeEnclosed = [](Enclosed& to, const Enclosed& from) {
  if (from.count == 0) return;
  if (to.count == 0) {
    to = from;
    return;
  }
  to.count += from.count;
  to.hull = {std::min(to.hull.begin, from.hull.begin), std::max(to.hull.end, from.hull.end)};
};

// Finds the tightest of the intervals inserted so far. They are inserted in order of begin, so all
// of them begin early enough and only their ends matter.
class TightestByEnd {
 public:
  explicit TightestByEnd(std::span<const TimeRange> intervals)
      : intervals_(intervals), tree_(intervals.size(), kMergeShortest) {
    ends_.reserve(intervals.size());
    for (const TimeRange& interval : intervals) ends_.push_back(interval.end);
    std::sort(ends_.begin(), ends_.end());
  }

  void Insert(std::uint32_t i) {
    tree_.Add(PositionOf(intervals_[i].end), Shortest{intervals_[i].Length(), i});
  }

  std::uint32_t Find(TimeNs end) const { return tree_.From(PositionOf(end)).interval; }

 private:
  std::size_t PositionOf(TimeNs end) const {
    return std::lower_bound(ends_.begin(), ends_.end(), end) - ends_.begin();
  }

  std::span<const TimeRange> intervals_;
  std::vector<TimeNs> ends_;
  SuffixTree<Shortest, decltype(kMergeShortest)> tree_;
};

std::vector<std::uint32_t> OrderByEnd(std::span<const TimeRange> intervals) {
  std::vector<std::uint32_t> order(intervals.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return intervals[a].end < intervals[b].end; });
  return order;
}

}  // namespace

std::vector<std::uint32_t> TightestEnclosing(std::span<const TimeRange> outer,
                                             std::span<const TimeRange> inner) {
  TightestByEnd open(outer);
  std::vector<std::uint32_t> result;
  result.reserve(inner.size());
  std::uint32_t next = 0;
  for (const TimeRange& range : inner) {
    for (; next < outer.size() && outer[next].begin <= range.begin; ++next) open.Insert(next);
    result.push_back(open.Find(range.end));
  }
  return result;
}

std::vector<std::uint32_t> Parents(std::span<const TimeRange> intervals) {
  TightestByEnd open(intervals);
  std::vector<std::uint32_t> result;
  result.reserve(intervals.size());
  for (std::uint32_t i = 0; i < intervals.size(); ++i) {
    result.push_back(open.Find(intervals[i].end));
    open.Insert(i);
  }
  return result;
}

std::vector<Enclosed> CollectEnclosed(std::span<const TimeRange> outer,
                                      std::span<const TimeRange> inner,
                                      std::span<const TimeRange> carried) {
  std::vector<Enclosed> result(outer.size());
  if (inner.empty()) return result;
  SuffixTree<Enclosed, decltype(kMergeEnclosed)> tree(inner.size(), kMergeEnclosed);
  const std::vector<std::uint32_t> inner_order = OrderByEnd(inner);
  std::size_t next = 0;
  for (std::uint32_t o : OrderByEnd(outer)) {
    for (; next < inner_order.size() && inner[inner_order[next]].end <= outer[o].end; ++next) {
      tree.Add(inner_order[next], Enclosed{1, carried[inner_order[next]]});
    }
    const auto from =
        std::lower_bound(inner.begin(), inner.end(), outer[o].begin,
                         [](const TimeRange& range, TimeNs begin) { return range.begin < begin; });
    result[o] = tree.From(from - inner.begin());
  }
  return result;
}

}  // namespace xsp
