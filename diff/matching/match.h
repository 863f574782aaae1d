#pragma once

#include <cstdint>
#include <vector>

#include "diff/runs/side.h"

namespace xsp {

// How a place of one side was found on the other.
enum class MatchKind : std::uint8_t {
  kExact = 0,  // Under the same path.
  kRenamed,    // In the same place, under another name: another build, tile size, spelling.
  kReplaced,   // In the same place, a kernel that does the same kind of work.
  kMoved,      // In another place, under the same name.
  kAdded,      // Nowhere: it is new,
  kRemoved,    // or gone.
};

// A place of the base and its counterpart.
struct PlacePair {
  std::uint32_t base = RunPlace::kNone;  // kNone: added.
  std::uint32_t now = RunPlace::kNone;   // kNone: removed.
  MatchKind how = MatchKind::kExact;

  bool IsMatch() const { return base != RunPlace::kNone && now != RunPlace::kNone; }
};

// Every place of either side once.
struct Matching {
  // In the order of the base's places; what was added follows, in its own order. Row 0: the unit.
  std::vector<PlacePair> pairs;
  std::vector<std::uint32_t> pair_of_base;  // By place.
  std::vector<std::uint32_t> pair_of_now;
};

// Finds the places of two sides in each other, from the top down: below places that belong together
// by exact name, then by what is left of a name without tile sizes, versions, types and numbers,
// ranges also by the kernels in them. What is left over may have moved: places of the same name
// elsewhere. Kernels that are still alone are taken as replaced by others of their class in the
// same place.
Matching MatchSides(const Side& base, const Side& now);

}  // namespace xsp
