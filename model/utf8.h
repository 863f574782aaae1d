#pragma once

#include <string>
#include <string_view>

namespace xsp {

// Whether the bytes are well-formed UTF-8 (no overlong forms, no surrogates, at most U+10FFFF).
bool IsUtf8(std::string_view bytes);

// The text with every ill-formed sequence replaced by U+FFFD.
std::string ToUtf8(std::string_view bytes);

}  // namespace xsp
