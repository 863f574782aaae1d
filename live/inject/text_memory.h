#pragma once

#include <cstddef>
#include <cstdint>

namespace xsp::inject {

// Which names were written to the spool already, by key. A name is told by its text, too: the same
// pointer can be a kernel of another module later. For the writer alone. Memory is bounded: when it
// is full everything is forgotten, and written again when it comes again.
class TextMemory {
 public:
  // Whether the text under this key is not the one that was last remembered; remembers it.
  bool IsNew(std::uint64_t key, const char* text, std::size_t bytes);
  void Forget();

 private:
  static constexpr std::size_t kSlots = std::size_t{1} << 16;
  static constexpr std::size_t kArenaBytes = std::size_t{32} << 20;

  struct Slot {
    std::uint64_t key;
    const char* text;
    std::size_t bytes;
  };

  bool Begin();
  Slot& SlotOf(std::uint64_t key);

  Slot* slots_ = nullptr;
  char* arena_ = nullptr;
  std::size_t used_slots_ = 0;
  std::size_t used_bytes_ = 0;
};

}  // namespace xsp::inject
