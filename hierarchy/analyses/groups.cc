#include "hierarchy/analyses/groups.h"

#include <algorithm>
#include <map>

namespace xsp {
namespace {

void AddKnown(std::optional<double>& sum, const std::optional<double>& value) {
  if (value) sum = sum.value_or(0) + *value;
}

}  // namespace

std::vector<LayerType> LayersByType(const RankProfile& rank) {
  std::map<std::string, LayerType> by_type;
  for (const LayerRow& layer : rank.layers) {
    if (!layer.is_layer) continue;
    LayerType& type = by_type[layer.type];
    type.type = layer.type;
    ++type.count;
    type.latency_ns += layer.latency_ns;
    AddKnown(type.allocated_bytes, layer.allocated_bytes);
  }
  std::vector<LayerType> types;
  for (auto& [name, type] : by_type) types.push_back(std::move(type));
  std::stable_sort(types.begin(), types.end(), [](const LayerType& a, const LayerType& b) {
    return a.latency_ns > b.latency_ns;
  });
  return types;
}

std::vector<KernelGroup> KernelsByName(const RankProfile& rank) {
  std::map<std::string_view, KernelGroup> by_name;
  for (const KernelRow& kernel : rank.kernels) {
    KernelGroup& group = by_name[kernel.name];
    group.name = kernel.name;
    group.mangled = kernel.mangled;
    group.gpu.Add(kernel.gpu);
  }
  std::vector<KernelGroup> groups;
  for (auto& [name, group] : by_name) groups.push_back(std::move(group));
  std::stable_sort(groups.begin(), groups.end(), [](const KernelGroup& a, const KernelGroup& b) {
    return a.gpu.latency_ns > b.gpu.latency_ns;
  });
  return groups;
}

std::string_view StageName(std::size_t stage) {
  constexpr std::array<std::string_view, kStageCount> kNames = {"beginning", "middle", "end"};
  return kNames[stage];
}

std::array<Stage, kStageCount> StagesOf(const RankProfile& rank) {
  std::uint32_t layers = 0;
  for (const LayerRow& layer : rank.layers) layers = std::max(layers, layer.index);
  std::array<Stage, kStageCount> stages;
  const std::uint32_t third = layers / kStageCount, rest = layers % kStageCount;
  std::array<std::uint32_t, kStageCount> last{};
  for (std::uint32_t s = 0; s < kStageCount; ++s) {
    last[s] = (s == 0 ? 0 : last[s - 1]) + third + (s < rest ? 1 : 0);
  }
  for (const LayerRow& layer : rank.layers) {
    if (!layer.is_layer) continue;
    const std::size_t s = layer.index <= last[0] ? 0 : layer.index <= last[1] ? 1 : 2;
    Stage& stage = stages[s];
    if (stage.first_layer == 0) stage.first_layer = layer.index;
    stage.last_layer = layer.index;
    stage.latency_ns += layer.latency_ns;
    AddKnown(stage.allocated_bytes, layer.allocated_bytes);
    stage.gpu.Add(layer.gpu);
  }
  return stages;
}

std::optional<std::size_t> DominantStage(const std::array<Stage, kStageCount>& stages,
                                         std::optional<double> (*figure)(const Stage& stage)) {
  std::optional<std::size_t> dominant;
  double most = 0;
  for (std::size_t s = 0; s < kStageCount; ++s) {
    const std::optional<double> value = figure(stages[s]);
    if (!value || *value <= most) continue;
    most = *value;
    dominant = s;
  }
  return dominant;
}

}  // namespace xsp
