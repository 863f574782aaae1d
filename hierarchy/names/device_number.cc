#include "hierarchy/names/device_number.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "hierarchy/hardware/gpu_specs.h"

namespace xsp {
namespace {

std::string_view NameOfGpu(const Trace& trace, GpuId gpu) {
  return gpu.valid() ? trace.strings().Get(trace.gpus()[gpu.value].name) : "";
}

// A GPU without a name is told by its size, where only one that is known has it: "304 SMs, 192 GiB:
// MI300X". Empty where its size was not recorded.
std::string WordsBySize(const Gpu& gpu) {
  if (gpu.sm_count == kMissing<std::uint32_t>) return "";
  std::string words = std::to_string(gpu.sm_count) + " SMs";
  if (gpu.memory_bytes == kMissing<std::uint64_t>) return words;
  constexpr double kGiB = 1024.0 * 1024 * 1024;
  const double gib = static_cast<double>(gpu.memory_bytes) / kGiB;
  words += ", " + std::to_string(std::lround(gib)) + " GiB";
  std::string_view name;
  for (const GpuSpec& spec : KnownGpus()) {
    // Data sheets round up what a driver leaves to programs.
    const bool fits =
        spec.sm_count == gpu.sm_count && gib > 0.9 * spec.memory_gb && gib < 1.02 * spec.memory_gb;
    if (!fits) continue;
    if (!name.empty()) return words;
    name = spec.name;
  }
  return name.empty() ? words : words + ": " + std::string(name);
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
    std::string name(NameOfGpu(trace, gpu));
    if (name.empty() && gpu.valid()) name = WordsBySize(trace.gpus()[gpu.value]);
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
