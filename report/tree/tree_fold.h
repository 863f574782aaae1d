#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hierarchy/totals/path_totals.h"

namespace xsp {

// Siblings that are shown as one line. Their i-th children correspond to each other.
using PathGroup = std::vector<PathId>;

// Which siblings of a tree are equal: the 16 blocks of a model, whose names differ in numbers only
// and which hold the same operations and kernels, as often and in the same order, and
// take about the same time on the device.
// Refers to the tree.
class EqualSiblings {
 public:
  explicit EqualSiblings(const PathTotals& tree);

  // Joins groups that are equal to each other, where there are at least three; a joined group
  // stands where its first one stood. Ranks, steps, library calls and device work stay apart:
  // numbers in a kernel's name tell what it is, not which one.
  std::vector<PathGroup> Fold(std::vector<PathGroup> siblings) const;

 private:
  bool TakeTheSame(const std::vector<PathGroup>& siblings,
                   const std::vector<std::size_t>& places) const;

  const PathTotals& tree_;
  std::vector<std::uint64_t> shape_;  // By node: what it is and holds, numbers in names left out.
};

// "block 0-15 ×16" for "block 0" to "block 15"; the name itself where all have the same.
std::string FoldedName(std::vector<std::string> names);

}  // namespace xsp
