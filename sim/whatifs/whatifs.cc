#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>

#include "base/enum_names.h"
#include "sim/whatifs/all.h"

namespace xsp {
namespace {

struct Row {
  const WhatIf* whatif;
  Turn turn;
};

// In the order of the list: by family, what most people ask first.
constexpr Row kRows[] = {
    {&kTf32, Turn::kPrecision},
    {&kAmp, Turn::kPrecision},
    {&kFp8, Turn::kPrecision},
    {&kFuse, Turn::kFusion},
    {&kAttentionFused, Turn::kPatterns},
    {&kFusedOptimizer, Turn::kPatterns},
    {&kChannelsLast, Turn::kLayout},
    {&kBatchNorm, Turn::kPatterns},
    {&kFillGpu, Turn::kPatterns},
    {&kMergeKernels, Turn::kPatterns},
    {&kCudaGraphs, Turn::kLaunches},
    {&kKeepOnDevice, Turn::kWaits},
    {&kAllocateOnce, Turn::kWaits},
    {&kNoSync, Turn::kWaits},
    {&kReadEvery, Turn::kWaits},
    {&kPinned, Turn::kWaits},
    {&kPrefetch, Turn::kWaits},
    {&kLargerCopies, Turn::kWaits},
    {&kManagedPrefetch, Turn::kWaits},
    {&kLoader, Turn::kWaits},
    {&kOverlapHost, Turn::kWaits},
    {&kBatch, Turn::kSize},
    {&kAccumulate, Turn::kRepeats},
    {&kCheckpoint, Turn::kMemory},
    {&kVdnn, Turn::kMemory},
    {&kGist, Turn::kMemory},
    {&kDdp, Turn::kParallel},
    {&kNetwork, Turn::kExchange},
    {&kBuckets, Turn::kExchange},
    {&kFsdp, Turn::kParallel},
    {&kBlueConnect, Turn::kParallel},
    {&kP3, Turn::kParallel},
    {&kDgc, Turn::kExchange},
    {&kTensorParallel, Turn::kParallel},
    {&kPipeline, Turn::kRepeats},
    {&kOnGpu, Turn::kHardware},
    {&kFaster, Turn::kStated},
    {&kReplace, Turn::kStated},
    {&kMetaFlow, Turn::kPatterns},
};

constexpr auto kAll = [] {
  std::array<const WhatIf*, std::size(kRows)> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = kRows[i].whatif;
  return all;
}();

const Row* RowOf(const WhatIf& whatif) {
  const auto row = std::find_if(std::begin(kRows), std::end(kRows),
                                [&](const Row& known) { return known.whatif == &whatif; });
  return row == std::end(kRows) ? nullptr : row;
}

}  // namespace

std::span<const WhatIf* const> AllWhatIfs() { return kAll; }

const WhatIf* FindWhatIf(std::string_view name) {
  const auto it = std::find_if(kAll.begin(), kAll.end(),
                               [&](const WhatIf* whatif) { return whatif->name == name; });
  return it == kAll.end() ? nullptr : *it;
}

Turn TurnOf(const WhatIf& whatif) {
  const Row* row = RowOf(whatif);
  return row == nullptr ? Turn::kStated : row->turn;
}

std::vector<ChosenWhatIf> InOrder(std::span<const ChosenWhatIf> whatifs) {
  const auto place = [](const ChosenWhatIf& chosen) {
    const Row* row = RowOf(*chosen.whatif);
    const Row* const listed = row == nullptr ? std::end(kRows) : row;  // Files come last.
    return std::tuple(TurnOf(*chosen.whatif), listed, chosen.AsOption());
  };
  std::vector<ChosenWhatIf> ordered(whatifs.begin(), whatifs.end());
  std::stable_sort(
      ordered.begin(), ordered.end(),
      [&](const ChosenWhatIf& a, const ChosenWhatIf& b) { return place(a) < place(b); });
  return ordered;
}

std::string_view NameOf(Effort effort) {
  constexpr EnumNames<Effort::kMachines> kNames({"one line", "some lines", "days", "hardware"});
  return kNames[effort];
}

std::string ChosenWhatIf::AsOption() const {
  if (!whatif->file.empty()) return "--file=" + std::string(whatif->file);
  std::string text = "--" + std::string(whatif->name);
  const std::string given = values.GivenText();
  return given.empty() ? text : text + "=" + given;
}

}  // namespace xsp
