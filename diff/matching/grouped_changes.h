#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "diff/comparison.h"

namespace xsp {

// Changes that a reader takes for one: what came or went as a whole (the top of a subtree stands
// for all below it), and siblings that differ only by their numbers.
struct ChangeGroup {
  Change change;                       // The largest of them.
  std::string where;                   // Added or removed: its path, "layer 0–17"; else empty.
  std::vector<std::uint32_t> members;  // Rows of Comparison::changes.
  std::uint32_t below = 0;             // Changes further down, which go without saying.
  double base_device = 0;              // Summed device time in a unit.
  double now_device = 0;
  double base_count = 0;  // Occurrences in a unit.
  double now_count = 0;
};

// Every change is a member of one group, or counted below one. Those of most device time first.
std::vector<ChangeGroup> GroupChanges(const Comparison& comparison);

}  // namespace xsp
