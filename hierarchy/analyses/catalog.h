#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace xsp {

// XSP's analyses by their numbers, A1 to A15, and the stage analysis that goes with them.
enum class AnalysisId : std::uint8_t {
  kModel = 1,
  kLayers,
  kLayerLatency,
  kLayerMemory,
  kLayerTypes,
  kLatencyByType,
  kMemoryByType,
  kKernels,
  kRoofline,
  kKernelsByName,
  kLayerKernels,
  kLayerMetrics,
  kGpuVsHost,
  kLayerRoofline,
  kModelKernels,
  kStages,
};

struct AnalysisInfo {
  AnalysisId id;
  std::string_view number;  // "a1"; as users write it and as in JSON.
  std::string_view name;    // "model".
  std::string_view title;   // For people.
};

// All of them, by number.
std::span<const AnalysisInfo> AllAnalyses();

// By number ("a1", "A1") or name; nothing for other words.
const AnalysisInfo* FindAnalysis(std::string_view word);
const AnalysisInfo& InfoOf(AnalysisId id);

}  // namespace xsp
