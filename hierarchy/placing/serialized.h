#pragma once

#include <cstdint>

namespace xsp {

// What a serialized re-run settled.
struct SettledWork {
  std::uint64_t ambiguous = 0;  // Device operations whose place was told by time or not at all...
  std::uint64_t settled = 0;    // ...and those that the re-run found a range for.
};

}  // namespace xsp
