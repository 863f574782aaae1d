#include "diff/runs/numbered_ranges.h"

#include <algorithm>
#include <set>
#include <utility>

#include "diff/matching/numbered_path.h"

namespace xsp {
namespace {

constexpr std::size_t kFewest = 3;  // Steps; fewer names could be alike by chance.

// Whether each of the names comes in a step of its own.
bool CountSteps(const std::vector<RangesByName::value_type*>& ranges) {
  std::set<std::uint32_t> steps;
  for (const auto* range : ranges) {
    const std::vector<RangeSample>& samples = range->second;
    if (samples.size() != 1 || !steps.insert(samples.front().step).second) return false;
  }
  return ranges.size() >= kFewest;
}

// "step #".
std::string Numberless(NumberedPath name) {
  std::fill(name.numbers.begin(), name.numbers.end(), "#");
  return PathOf({&name});
}

}  // namespace

RangesByName JoinNumbered(RangesByName by_name) {
  std::map<std::string, std::vector<RangesByName::value_type*>> by_pattern;
  for (auto& range : by_name) by_pattern[TakeNumbers(range.first).pattern].push_back(&range);
  RangesByName joined;
  for (const auto& [pattern, ranges] : by_pattern) {
    const bool is_one = CountSteps(ranges);
    for (auto* range : ranges) {
      auto& samples = joined[is_one ? Numberless(TakeNumbers(range->first)) : range->first];
      samples.insert(samples.end(), range->second.begin(), range->second.end());
    }
  }
  return joined;
}

}  // namespace xsp
