#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace xsp {

// "a, b, c": the parts (texts or numbers) with `by` between them; `shown` gives what stands for a
// part, as a function or a member.
template <class Parts, class Shown = std::identity>
std::string Joined(const Parts& parts, std::string_view by, Shown shown = {}) {
  std::string text;
  bool is_first = true;
  for (const auto& part : parts) {
    if (!std::exchange(is_first, false)) text += by;
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(std::invoke(shown, part))>>) {
      text += std::to_string(std::invoke(shown, part));
    } else {
      text += std::invoke(shown, part);
    }
  }
  return text;
}

// What stands between separators, also where that is nothing; an empty text has no parts, and a
// separator at the end begins none. Parts of `text`.
inline std::vector<std::string_view> Split(std::string_view text, char by) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t at = text.find(by);
    parts.push_back(text.substr(0, at));
    text.remove_prefix(at == text.npos ? text.size() : at + 1);
  }
  return parts;
}

}  // namespace xsp
