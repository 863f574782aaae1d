#include "model/string_pool.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/hash.h"

namespace xsp {
namespace {

// Large enough that short strings share one allocation, small enough that a tiny trace stays tiny.
constexpr std::size_t kBlockBytes = 64 * 1024;

constexpr std::size_t kFewestPlaces = 64;

// Eight bytes at a time: names of kernels and ranges are long, and a trace may have millions.
std::uint32_t HashOf(std::string_view text) {
  std::uint64_t hash = text.size() * kHashFactor;
  auto mix = [&](std::uint64_t word) {
    hash = (hash ^ word) * kHashFactor;
    hash ^= hash >> 32;
  };
  const char* at = text.data();
  std::size_t left = text.size();
  for (; left >= 8; at += 8, left -= 8) {
    std::uint64_t word;
    std::memcpy(&word, at, 8);
    mix(word);
  }
  if (left > 0) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, left);
    mix(word);
  }
  mix(hash >> 29);
  return static_cast<std::uint32_t>(hash);
}

}  // namespace

std::size_t StringPool::Place(std::string_view text, std::uint32_t hash) const {
  std::size_t place = hash & (slots_.size() - 1);
  while (slots_[place].id != StringId::kNone) {
    if (slots_[place].hash == hash && views_[slots_[place].id] == text) break;
    place = (place + 1) & (slots_.size() - 1);
  }
  return place;
}

// Makes a new table with the entries of another one, all of which are different strings.
void StringPool::PutAll(const std::vector<Slot>& slots, std::size_t places) {
  slots_.assign(places, Slot{});
  for (const Slot& slot : slots) {
    if (slot.id == StringId::kNone) continue;
    std::size_t place = slot.hash & (places - 1);
    while (slots_[place].id != StringId::kNone) place = (place + 1) & (places - 1);
    slots_[place] = slot;
  }
}

StringId StringPool::Intern(std::string_view text) {
  if (slots_.size() < 2 * (views_.size() + 1)) {
    const std::size_t places = std::max(kFewestPlaces, slots_.size() * 2);
    PutAll(std::exchange(slots_, {}), places);
  }
  const std::uint32_t hash = HashOf(text);
  Slot& slot = slots_[Place(text, hash)];
  if (slot.id == StringId::kNone) {
    slot = {hash, static_cast<std::uint32_t>(views_.size())};
    views_.push_back(Keep(text));
  }
  return StringId(slot.id);
}

StringId StringPool::Find(std::string_view text) const {
  return slots_.empty() ? StringId() : StringId(slots_[Place(text, HashOf(text))].id);
}

void StringPool::Renumber(const std::vector<std::uint32_t>& new_ids, std::size_t kept) {
  std::vector<std::string_view> views(kept);
  for (std::size_t i = 0; i < new_ids.size(); ++i) {
    if (new_ids[i] != StringId::kNone) views[new_ids[i]] = views_[i];
  }
  const bool all_kept = kept == views_.size();
  views_ = std::move(views);
  for (Slot& slot : slots_) {
    if (slot.id != StringId::kNone) slot.id = new_ids[slot.id];
  }
  if (all_kept) return;  // Every string has kept its place.
  const std::vector<Slot> slots = std::exchange(slots_, {});
  PutAll(slots, std::max(kFewestPlaces, slots.size()));
}

std::string_view StringPool::Keep(std::string_view text) {
  if (blocks_.empty() || blocks_.back().capacity() - blocks_.back().size() < text.size()) {
    blocks_.emplace_back().reserve(std::max(kBlockBytes, text.size()));
  }
  std::string& block = blocks_.back();
  std::size_t at = block.size();
  block.append(text);
  return std::string_view(block).substr(at, text.size());
}

}  // namespace xsp
