#pragma once

#include <cstdint>
#include <string_view>

namespace xsp {

// What a call does to a program's memory, of the device or of the host: from a pool as well.
enum class MemoryUse : std::uint8_t { kNone, kTaken, kGivenBack };
MemoryUse MemoryUseOf(std::string_view call_name);

}  // namespace xsp
