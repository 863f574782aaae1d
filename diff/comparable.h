#pragma once

#include <string>
#include <vector>

#include "diff/comparison.h"

namespace xsp {

// Whether figures of two sides can be held against each other, and what makes that doubtful.
struct Comparability {
  std::vector<std::string> reasons;   // Other GPUs: they cannot.
  std::vector<std::string> warnings;  // They can, but this differs, too.
};
Comparability CheckComparable(const Side& base, const Side& now);

// What can only be seen once places are matched: most kernels are launched with other grids, which
// speaks for another batch or problem size. Empty if it is not so.
std::string OtherSizes(const Comparison& comparison);

// What Comparison::other_length says.
std::string OtherLength(const Side& base, const Side& now);

// Whether all runs have steps found in the same way, of the same kind, or none of them speaks of
// steps.
bool SameUnit(const std::vector<const Run*>& runs);

// Whether one side has ranges around its work and the other has none: then only kernels can be held
// against each other.
bool RangesOnOneSideOnly(const std::vector<const Run*>& base, const std::vector<const Run*>& now);

// The kind of steps that all runs have enough of, of several the one that took most time in the
// first; empty where there is none.
std::string CommonKind(const std::vector<const Run*>& runs);

}  // namespace xsp
