#include "graph/constants.h"

#include <algorithm>
#include <utility>

namespace xsp {

ConstantTable::ConstantTable() { constants_.push_back({"none", 0, 0, 0, 0, true}); }

ConstantId ConstantTable::Learn(std::string name, std::vector<DurationNs>& samples,
                                DurationNs fallback) {
  std::sort(samples.begin(), samples.end());
  Constant constant{std::move(name), fallback, static_cast<std::uint32_t>(samples.size())};
  if (!samples.empty()) {
    constant.p10 = samples[samples.size() / 10];
    constant.p90 = samples[samples.size() - 1 - samples.size() / 10];
  }
  constant.is_default = samples.size() < kMinSamples;
  if (!constant.is_default) constant.value = RobustMean(samples);
  return Add(std::move(constant));
}

ConstantId ConstantTable::Add(Constant constant) {
  constants_.push_back(std::move(constant));
  return static_cast<ConstantId>(constants_.size() - 1);
}

DurationNs RobustMean(const std::vector<DurationNs>& sorted) {
  const std::size_t cut = sorted.size() / 20;
  const std::size_t last = sorted.size() - 1 - cut;
  DurationNs sum = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) sum += sorted[std::clamp(i, cut, last)];
  return sum / static_cast<DurationNs>(sorted.size());
}

DurationNs Median(std::vector<DurationNs>& samples) {
  auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

}  // namespace xsp
