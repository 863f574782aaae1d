#include <algorithm>
#include <array>

#include "base/enum_names.h"
#include "sim/whatifs/all.h"

namespace xsp {
namespace {

// In the order of the list: by family, what most people ask first.
constexpr std::array kAll = {&kAmp,
                             &kFp8,
                             &kFuse,
                             &kAttentionFused,
                             &kFusedOptimizer,
                             &kChannelsLast,
                             &kBatchNorm,
                             &kCudaGraphs,
                             &kNoSync,
                             &kPinned,
                             &kPrefetch,
                             &kLoader,
                             &kBatch,
                             &kAccumulate,
                             &kCheckpoint,
                             &kVdnn,
                             &kGist,
                             &kDdp,
                             &kNetwork,
                             &kBuckets,
                             &kFsdp,
                             &kBlueConnect,
                             &kP3,
                             &kDgc,
                             &kTensorParallel,
                             &kPipeline,
                             &kOnGpu,
                             &kFaster,
                             &kReplace,
                             &kMetaFlow};

}  // namespace

std::span<const WhatIf* const> AllWhatIfs() { return kAll; }

const WhatIf* FindWhatIf(std::string_view name) {
  const auto it = std::find_if(kAll.begin(), kAll.end(),
                               [&](const WhatIf* whatif) { return whatif->name == name; });
  return it == kAll.end() ? nullptr : *it;
}

std::string_view NameOf(Effort effort) {
  constexpr EnumNames<Effort::kMachines> kNames({"a flag", "some lines", "days", "hardware"});
  return kNames[effort];
}

std::string ChosenWhatIf::AsOption() const {
  std::string text = "--" + std::string(whatif->name);
  const std::string given = values.GivenText();
  return given.empty() ? text : text + "=" + given;
}

}  // namespace xsp
