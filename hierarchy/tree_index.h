#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hierarchy/level.h"
#include "hierarchy/name_table.h"

namespace xsp {

// Finds a tree's node by (parent, level, name). Open addressing: no allocation per node.
class TreeIndex {
 public:
  TreeIndex() : slots_(1 << 12) {}

  // The node under this key, or `fresh` if it is new (it is entered then).
  std::uint32_t FindOrAdd(std::uint32_t parent, Level level, NameId name, std::uint32_t fresh);

 private:
  struct Slot {
    std::uint64_t key = kEmpty;
    std::uint32_t node = 0;
  };
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};

  void Grow();

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

}  // namespace xsp
