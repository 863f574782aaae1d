#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
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

  // Equal if both hold the same strings under the same ids.
  bool operator==(const StringPool& other) const { return views_ == other.views_; }

 private:
  std::string_view Keep(std::string_view text);

  std::deque<std::string>
      blocks_;  // Memory behind the views; a block never grows past its capacity.
  std::vector<std::string_view> views_;
  std::unordered_map<std::string_view, std::uint32_t> ids_;
};

}  // namespace xsp
