#include "hierarchy/totals/path_index.h"

#include "base/hash.h"

namespace xsp {

PathId PathIndex::FindOrAdd(PathId parent, Level level, NameId name, PathId fresh) {
  if (used_ * 2 >= slots_.size()) Grow();
  const std::uint32_t parent_level =
      parent.value * static_cast<std::uint32_t>(kLevelCount) + static_cast<std::uint32_t>(level);
  const std::uint64_t key = (std::uint64_t{parent_level} << 32) | name.value;
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = SlotHash(key) & mask;
  while (slots_[at].key != kEmpty && slots_[at].key != key) at = (at + 1) & mask;
  if (slots_[at].key == key) return slots_[at].path;
  slots_[at] = {key, fresh};
  ++used_;
  return fresh;
}

void PathIndex::Grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.key == kEmpty) continue;
    std::size_t at = SlotHash(slot.key) & mask;
    while (slots_[at].key != kEmpty) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

}  // namespace xsp
