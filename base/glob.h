#pragma once

#include <cstddef>
#include <string_view>

namespace xsp {

// Whether a name fits a pattern of * (any characters) and ? (one), upper and lower case apart.
constexpr bool MatchesGlob(std::string_view pattern, std::string_view name) {
  // Goes back to the last '*' only: linear for one, at worst the product of both lengths.
  std::size_t p = 0;
  std::size_t n = 0;
  std::size_t star = pattern.npos;
  std::size_t taken = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != pattern.npos) {
      p = star + 1;
      n = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == pattern.npos;
}

}  // namespace xsp
