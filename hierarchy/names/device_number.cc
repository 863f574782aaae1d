#include "hierarchy/names/device_number.h"

namespace xsp {

std::optional<std::uint32_t> DeviceNumber(const Trace& trace, const Track& track) {
  if (track.gpu.valid()) {
    const std::uint32_t ordinal = trace.gpus()[track.gpu.value].cuda_ordinal;
    if (ordinal != kMissing<std::uint32_t>) return ordinal;
  }
  if (track.device != kMissing<std::uint32_t>) return track.device;
  return std::nullopt;
}

}  // namespace xsp
