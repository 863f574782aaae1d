#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hierarchy/names/device_number.h"
#include "model/trace.h"

namespace xsp {

// What one device did. Times of different devices are never added up.
struct DeviceUse {
  std::uint32_t number = 0;
  std::string name;  // Of the GPU; empty where the trace does not say.
  std::uint64_t kernels = 0;
  std::uint64_t copies = 0;  // Migrations included.
  std::uint64_t memsets = 0;
  std::uint64_t graph_spans = 0;
  TimeRange span;          // From its first operation to the end of its last one.
  DurationNs busy_ns = 0;  // The union of its operations.
};

// Devices that did something, by number.
std::vector<DeviceUse> UsedDevices(const Trace& trace);

// The names of the GPUs that did something (of all GPUs, if none did), each once: "2 x A100".
std::string GpuWords(const Trace& trace);

}  // namespace xsp
