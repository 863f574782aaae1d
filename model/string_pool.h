#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "model/ids.h"

namespace xsp {

// Distinct strings, numbered from 0 in the order in which they were first added. Views stay valid
// as long as the pool lives, also when more strings are added or the pool is moved.
class StringPool {
 public:
  StringPool() = default;
  StringPool(StringPool&&) = default;
  StringPool& operator=(StringPool&&) = default;
  StringPool(const StringPool&) = delete;
  StringPool& operator=(const StringPool&) = delete;

  StringId Intern(std::string_view text);

  // The id of a string that is in the pool already; an invalid id otherwise.
  StringId Find(std::string_view text) const;

  std::string_view operator[](StringId id) const { return views_[id.value]; }

  // The text, or `fallback` for an id that points nowhere.
  std::string_view Get(StringId id, std::string_view fallback = "") const {
    return id.valid() ? views_[id.value] : fallback;
  }

  std::size_t size() const { return views_.size(); }

  // Gives the string with id i the id new_ids[i]; strings for which that is StringId::kNone are no
  // longer in the pool. The new ids must count from 0 to `kept` - 1, each once.
  void Renumber(const std::vector<std::uint32_t>& new_ids, std::size_t kept);

  // Equal if both hold the same strings under the same ids.
  bool operator==(const StringPool& other) const { return views_ == other.views_; }

 private:
  // A place of the hash table: part of a string's hash, which saves most comparisons and all
  // hashing when the table grows, and its id, or kNone if the place is free.
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t id = StringId::kNone;
  };

  std::string_view Keep(std::string_view text);
  // The place of a string: where it is, or the free place where it belongs.
  std::size_t Place(std::string_view text, std::uint32_t hash) const;
  void PutAll(const std::vector<Slot>& slots, std::size_t places);

  std::deque<std::string>
      blocks_;  // Memory behind the views; a block never grows past its capacity.
  std::vector<std::string_view> views_;
  std::vector<Slot> slots_;  // A power of two of them, at most half in use.
};

}  // namespace xsp
