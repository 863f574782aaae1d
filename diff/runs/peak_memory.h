#pragma once

#include <cstdint>
#include <optional>

#include "model/trace.h"

namespace xsp {

// The most device memory that was allocated at a time, in bytes, over all processes and devices.
// Nothing where allocations were not recorded.
std::optional<std::uint64_t> PeakDeviceMemory(const Trace& trace);

}  // namespace xsp
