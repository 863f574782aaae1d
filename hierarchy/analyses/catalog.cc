#include "hierarchy/analyses/catalog.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/ascii.h"

namespace xsp {
namespace {

constexpr std::array<AnalysisInfo, 16> kAnalyses = {{
    {AnalysisId::kModel, "a1", "model", "Model: latency and throughput"},
    {AnalysisId::kLayers, "a2", "layers", "Layers"},
    {AnalysisId::kLayerLatency, "a3", "layer-latency", "Layer latency, in order of execution"},
    {AnalysisId::kLayerMemory, "a4", "layer-memory", "Layer memory, in order of execution"},
    {AnalysisId::kLayerTypes, "a5", "layer-types", "Layer types, by count"},
    {AnalysisId::kLatencyByType, "a6", "latency-by-type", "Layer types, by latency"},
    {AnalysisId::kMemoryByType, "a7", "memory-by-type", "Layer types, by memory"},
    {AnalysisId::kKernels, "a8", "kernels", "Kernel calls"},
    {AnalysisId::kRoofline, "a9", "roofline", "Kernel roofline"},
    {AnalysisId::kKernelsByName, "a10", "kernels-by-name", "Kernels by name"},
    {AnalysisId::kLayerKernels, "a11", "layer-kernels", "Kernels by layer"},
    {AnalysisId::kLayerMetrics, "a12", "layer-metrics", "GPU metrics by layer"},
    {AnalysisId::kGpuVsHost, "a13", "gpu-vs-host", "GPU and non-GPU latency by layer"},
    {AnalysisId::kLayerRoofline, "a14", "layer-roofline", "Layer roofline"},
    {AnalysisId::kModelKernels, "a15", "model-kernels", "Kernels of the whole model"},
    {AnalysisId::kStages, "stages", "stages", "Stages: thirds of the layers"},
}};

}  // namespace

std::span<const AnalysisInfo> AllAnalyses() { return kAnalyses; }

const AnalysisInfo* FindAnalysis(std::string_view word) {
  const std::string lower = LowerCase(word);
  for (const AnalysisInfo& info : kAnalyses) {
    if (info.number == lower || info.name == lower) return &info;
  }
  return nullptr;
}

const AnalysisInfo& InfoOf(AnalysisId id) { return kAnalyses[static_cast<std::size_t>(id) - 1]; }

}  // namespace xsp
