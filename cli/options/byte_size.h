#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace xsp {

// A size such as "2GB", "500 MiB" or "1000000". KB and MB are decimal, KiB and MiB are not. Empty
// if the text is none, or beyond 64 bits.
std::optional<std::uint64_t> ParseBytes(std::string_view text);

}  // namespace xsp
