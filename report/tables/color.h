#pragma once

#include <string>
#include <string_view>

namespace xsp {

// The few looks that output has; nothing is told by colour alone.
enum class Look { kTitle, kHeader, kBar, kDim, kWarning, kError };

// The text in that look, or unchanged where colour is off.
std::string Painted(std::string_view text, Look look, bool color);

}  // namespace xsp
