#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hierarchy/analyses/profile.h"

namespace xsp {

// Layers of one type (A5, A6, A7).
struct LayerType {
  std::string type;
  std::uint32_t count = 0;
  double latency_ns = 0;
  std::optional<double> allocated_bytes;
};

// What is in no layer is no type. Largest latency first; ties by name.
std::vector<LayerType> LayersByType(const RankProfile& rank);

// Kernels of one name (A10).
struct KernelGroup {
  std::string name;
  std::string mangled;
  GpuFigures gpu;
};

// Largest latency first; ties by name.
std::vector<KernelGroup> KernelsByName(const RankProfile& rank);

// The first, second or last third of the layers by their place.
inline constexpr std::size_t kStageCount = 3;
std::string_view StageName(std::size_t stage);  // "beginning", "middle", "end".

struct Stage {
  std::uint32_t first_layer = 0;  // Indices as in LayerRow, both included; 0: the stage is empty.
  std::uint32_t last_layer = 0;
  double latency_ns = 0;
  std::optional<double> allocated_bytes;
  GpuFigures gpu;
};

// XSP's stage analysis. Where the layers do not divide by three, the earlier stages are the longer
// ones.
std::array<Stage, kStageCount> StagesOf(const RankProfile& rank);

// Which stage has most of a figure; of equals the first. Nothing where none knows it, or all have
// 0.
std::optional<std::size_t> DominantStage(const std::array<Stage, kStageCount>& stages,
                                         std::optional<double> (*figure)(const Stage& stage));

}  // namespace xsp
