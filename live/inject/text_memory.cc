#include "live/inject/text_memory.h"

#include <sys/mman.h>

#include <cstring>

namespace xsp::inject {

bool TextMemory::Begin() {
  if (slots_ != nullptr) return true;
  const std::size_t bytes = kSlots * sizeof(Slot) + kArenaBytes;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  slots_ = static_cast<Slot*>(memory);
  arena_ = static_cast<char*>(memory) + kSlots * sizeof(Slot);
  return true;
}

TextMemory::Slot& TextMemory::SlotOf(std::uint64_t key) {
  std::size_t place = key * 0x9E3779B97F4A7C15u >> 48 & (kSlots - 1);
  while (slots_[place].text != nullptr && slots_[place].key != key) {
    place = (place + 1) & (kSlots - 1);
  }
  return slots_[place];
}

bool TextMemory::IsNew(std::uint64_t key, const char* text, std::size_t bytes) {
  if (!Begin()) return true;  // No memory to remember anything: write it every time.
  Slot* slot = &SlotOf(key);
  if (slot->text != nullptr && slot->bytes == bytes && std::memcmp(slot->text, text, bytes) == 0) {
    return false;
  }
  if (used_slots_ >= kSlots / 2 || used_bytes_ + bytes > kArenaBytes) {
    Forget();
    if (bytes > kArenaBytes) return true;
    slot = &SlotOf(key);
  }
  if (slot->text == nullptr) ++used_slots_;
  char* copy = arena_ + used_bytes_;
  std::memcpy(copy, text, bytes);
  used_bytes_ += bytes;
  *slot = {key, copy, bytes};
  return true;
}

void TextMemory::Forget() {
  if (slots_ != nullptr) std::memset(slots_, 0, kSlots * sizeof(Slot));
  used_slots_ = used_bytes_ = 0;
}

}  // namespace xsp::inject
