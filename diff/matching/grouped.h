#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "diff/comparison.h"

namespace xsp {

// Contributions that a reader takes for one: what the same kind of work in the same layer adds to
// the change, or in all layers that differ only by their numbers.
struct ContributionGroup {
  std::string where;  // "forward/layer 0–31/attention"; empty: in the unit as a whole.
  std::string what;   // A class of kernels, or a kernel's name; empty for host time and gaps.
  CostKind kind = CostKind::kDevice;
  DurationNs base = 0;  // On the critical path, means per unit.
  DurationNs now = 0;
  DurationNs delta = 0;
  bool significant = false;         // More than noise, all groups being tested at once.
  std::vector<std::uint32_t> rows;  // Of Comparison::contributions.
};

// All contributions but the residual, the group of the largest change first. Ranges below layers
// (operations, library calls) do not make groups of their own, unless there are no layers. A layer
// that is most of the change of its like stays alone: its number is the news.
std::vector<ContributionGroup> GroupContributions(const Comparison& comparison);

// What can be said of a group besides its times.
struct GroupFacts {
  double base_count = 0;  // Device operations (of syncs: calls that wait) in a unit.
  double now_count = 0;
  double base_device = 0;  // Summed device time in a unit, on the critical path or not.
  double now_device = 0;
  std::uint32_t places = 0;  // Kernels and copies: rows of the comparison.
  std::uint32_t added = 0;
  std::uint32_t removed = 0;
  std::uint32_t renamed = 0;
  std::uint32_t replaced = 0;
  std::uint32_t moved = 0;
  std::uint32_t reshaped = 0;
  // Of the largest kernel or copy, by device time: how its name, precision and shape changed.
  std::uint32_t largest = Contribution::kNoPair;  // Row of Matching::pairs.
  std::string call;  // Of calls: the one whose number changed most; empty for none.
  double call_change = 0;
};
GroupFacts FactsOf(const Comparison& comparison, const ContributionGroup& group);

}  // namespace xsp
