#include "hierarchy/names/device_number.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace xsp {
namespace {

std::string_view NameOfGpu(const Trace& trace, GpuId gpu) {
  return gpu.valid() ? trace.strings().Get(trace.gpus()[gpu.value].name) : "";
}

}  // namespace

std::optional<std::uint32_t> DeviceNumber(const Trace& trace, const Track& track) {
  if (track.gpu.valid()) {
    const std::uint32_t ordinal = trace.gpus()[track.gpu.value].cuda_ordinal;
    if (ordinal != kMissing<std::uint32_t>) return ordinal;
  }
  if (track.device != kMissing<std::uint32_t>) return track.device;
  return std::nullopt;
}

std::string GpuWords(const Trace& trace) {
  std::map<GpuId, bool> used;
  for (EventId e : trace.DeviceWork()) used[trace.track(trace.track_of(e)).gpu] = true;
  std::vector<std::pair<std::string, int>> names;  // In the order of the GPUs.
  auto add = [&](GpuId gpu) {
    const std::string name(NameOfGpu(trace, gpu));
    if (name.empty()) return;
    auto it = std::find_if(names.begin(), names.end(), [&](auto& n) { return n.first == name; });
    if (it == names.end()) it = names.insert(names.end(), {name, 0});
    ++it->second;
  };
  for (const auto& [gpu, _] : used) add(gpu);
  if (names.empty()) {
    for (std::size_t i = 0; i < trace.gpus().size(); ++i) add(GpuId(i));
  }
  std::string words;
  for (const auto& [name, count] : names) {
    words += words.empty() ? "" : ", ";
    words += count > 1 ? std::to_string(count) + " x " + name : name;
  }
  return words;
}

}  // namespace xsp
