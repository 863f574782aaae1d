#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace xsp {

// A character of a text that may be anything.
struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

// The character that begins at text[at]. Overlong forms, surrogates and values past U+10FFFF are
// invalid and one byte long, as is what the text ends in the middle of.
CodePoint DecodeUtf8(std::string_view text, std::size_t at);

// Whether the bytes are well-formed UTF-8.
bool IsUtf8(std::string_view bytes);

// The text with every byte that is no part of a valid character replaced by U+FFFD.
std::string ToUtf8(std::string_view bytes);

}  // namespace xsp
