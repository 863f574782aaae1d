#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hierarchy/level.h"
#include "hierarchy/names/name_table.h"
#include "hierarchy/totals/path_totals.h"

namespace xsp {

// Finds a path by its parent, level and name. Open addressing: no allocation per node.
class PathIndex {
 public:
  PathIndex() : slots_(1 << 12) {}

  // The path under this key, or `fresh` if it is new (it is entered then).
  PathId FindOrAdd(PathId parent, Level level, NameId name, PathId fresh);

 private:
  struct Slot {
    std::uint64_t key = kEmpty;
    PathId path;
  };
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};

  void Grow();

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

}  // namespace xsp
