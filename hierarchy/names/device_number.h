#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/trace.h"

namespace xsp {

// The number by which people know the device of a track: the system-wide CUDA ordinal of its GPU,
// else the ordinal inside the process. Nothing for tracks without a device.
std::optional<std::uint32_t> DeviceNumber(const Trace& trace, const Track& track);

// The names of the GPUs that did something (of all GPUs, if none did), each once: "2 x A100".
std::string GpuWords(const Trace& trace);

}  // namespace xsp
