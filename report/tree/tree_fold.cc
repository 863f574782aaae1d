#include "report/tree/tree_fold.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "base/ascii.h"
#include "base/hash.h"
#include "hierarchy/names/name_patterns.h"

namespace xsp {
namespace {

constexpr std::size_t kLeastFolded = 3;  // Two lines are read as quickly as one.
// Equal ones take about the same time: a line that hid twice the time of another would mislead.
constexpr double kMostApart = 1.25;

bool MayFold(Level level) { return level > Level::kStep && level < Level::kLibrary; }

}  // namespace

EqualSiblings::EqualSiblings(const PathTotals& tree) : tree_(tree), shape_(tree.nodes().size()) {
  for (std::size_t n = shape_.size(); n-- > 0;) {  // Children come behind their parents.
    const PathNode& node = tree.nodes()[n];
    std::uint64_t shape = static_cast<std::uint64_t>(node.level);
    shape = HashWith(shape, MayFold(node.level)
                                ? std::hash<std::string>()(KindOfName(tree.Name(PathId(n))))
                                : node.name.value);
    shape = HashWith(shape, node.total.count);
    shape = HashWith(shape, node.total.operations);
    for (PathId c = node.first_child; c.valid(); c = tree[c].next_sibling) {
      shape = HashWith(shape, shape_[c.value]);
    }
    shape_[n] = shape;
  }
}

bool EqualSiblings::TakeTheSame(const std::vector<PathGroup>& siblings,
                                const std::vector<std::size_t>& places) const {
  DurationNs least = std::numeric_limits<DurationNs>::max(), most = 0;
  for (std::size_t place : places) {
    DurationNs sum = 0;
    for (PathId node : siblings[place]) sum += tree_[node].total.device_sum;
    least = std::min(least, sum);
    most = std::max(most, sum);
  }
  return static_cast<double>(most) <= kMostApart * static_cast<double>(least);
}

std::vector<PathGroup> EqualSiblings::Fold(std::vector<PathGroup> siblings) const {
  std::map<std::uint64_t, std::vector<std::size_t>> equal;
  for (std::size_t i = 0; i < siblings.size(); ++i) {
    const PathId first = siblings[i].front();
    if (MayFold(tree_[first].level)) equal[shape_[first.value]].push_back(i);
  }
  for (const auto& [shape, places] : equal) {
    if (places.size() < kLeastFolded || !TakeTheSame(siblings, places)) continue;
    PathGroup& joined = siblings[places.front()];
    for (std::size_t i = 1; i < places.size(); ++i) {
      PathGroup& other = siblings[places[i]];
      joined.insert(joined.end(), other.begin(), other.end());
      other.clear();
    }
  }
  std::erase_if(siblings, [](const PathGroup& group) { return group.empty(); });
  return siblings;
}

std::string FoldedName(std::vector<std::string> names) {
  const std::string count = std::to_string(names.size());
  // 9 before 10: shorter ones first.
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return std::pair(a.size(), std::string_view(a)) < std::pair(b.size(), std::string_view(b));
  });
  const std::string_view first = names.front(), last = names.back();
  if (first == last) return std::string(first);  // What is above tells how many there are.
  const std::size_t shorter = first.size();
  std::size_t front = 0, back = 0;
  while (front < shorter && first[front] == last[front]) ++front;
  while (front > 0 && IsDigit(first[front - 1])) --front;  // A number stays whole.
  while (back < shorter - front && first[first.size() - 1 - back] == last[last.size() - 1 - back]) {
    ++back;
  }
  while (back > 0 && IsDigit(first[first.size() - back])) --back;
  const std::string_view differs = last.substr(front, last.size() - back - front);
  const bool is_number = std::all_of(differs.begin(), differs.end(), IsDigit);
  return std::string(first.substr(0, first.size() - back)) + (is_number ? "-" : "…") +
         std::string(differs) + std::string(first.substr(first.size() - back)) + " ×" + count;
}

}  // namespace xsp
