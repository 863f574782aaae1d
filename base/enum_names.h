#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace xsp {

// Whether a value is one that its enumeration names: compilers write others as "(Enum)7".
template <auto kValue>
consteval bool IsEnumerator() {
  std::string_view text = __PRETTY_FUNCTION__;  // "... [with auto kValue = Bound::kMemory]".
  text.remove_suffix(1);
  const std::size_t name = text.find_last_not_of("0123456789");
  return text[name] != ')';
}

// The names of an enumeration that counts from 0 to kLast, its last value:
//   constexpr EnumNames<Bound::kMemory> kBounds({"compute", "memory"});
// A name too few or too many does not compile, nor does a value behind the last one.
template <auto kLast>
class EnumNames {
 public:
  using Enum = decltype(kLast);
  static constexpr std::size_t kCount = static_cast<std::size_t>(kLast) + 1;
  static_assert(!IsEnumerator<static_cast<Enum>(kCount)>(), "the enumeration goes on");

  template <std::size_t kGiven>
  requires(kGiven == kCount) explicit consteval EnumNames(const std::string_view (&names)[kGiven]) {
    std::copy(names, names + kGiven, names_.begin());
  }

  // Empty for what is no value of the enumeration.
  constexpr std::string_view operator[](Enum value) const {
    const auto index = static_cast<std::size_t>(value);
    return index < kCount ? names_[index] : std::string_view();
  }

  // The first value of this name.
  constexpr std::optional<Enum> Find(std::string_view name) const {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end()) return std::nullopt;
    return static_cast<Enum>(found - names_.begin());
  }

 private:
  std::array<std::string_view, kCount> names_;
};

}  // namespace xsp
