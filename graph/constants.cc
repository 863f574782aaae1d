#include "graph/constants.h"

#include <algorithm>
#include <utility>

namespace xsp {
namespace {

// How far beyond the usual spread a sample counts in full: so far that one of them moves the mean
// by no more than this, and never farther than a thread or a device is held up now and then.
constexpr DurationNs kMostInfluence = 50;
constexpr DurationNs kLongestReach = 50'000;

}  // namespace

ConstantTable::ConstantTable() { constants_.push_back({"none", 0, 0, 0, 0, true}); }

ConstantId ConstantTable::Learn(std::string name, std::vector<DurationNs>& samples,
                                DurationNs fallback) {
  std::sort(samples.begin(), samples.end());
  Constant constant{std::move(name), fallback, static_cast<std::uint32_t>(samples.size())};
  if (!samples.empty()) {
    constant.p10 = samples[samples.size() / 10];
    constant.p90 = samples[samples.size() - 1 - samples.size() / 10];
  }
  // One or two samples always look perfect: they are those events' own lags. A replay built on
  // them would repeat what was measured, whatever the graph says.
  constant.is_default = samples.size() < kMinSamples;
  if (!constant.is_default) constant.value = RobustMean(samples);
  return Add(std::move(constant));
}

ConstantId ConstantTable::Add(Constant constant) {
  constants_.push_back(std::move(constant));
  return static_cast<ConstantId>(constants_.size() - 1);
}

DurationNs RobustMean(const std::vector<DurationNs>& sorted) {
  const auto n = static_cast<DurationNs>(sorted.size());
  const std::size_t cut =
      std::min((sorted.size() - 1) / 2, std::max<std::size_t>(1, sorted.size() / 20));
  // With few samples an outlier weighs much, so it may not lie far out; among thousands it may,
  // and then it is part of what such calls cost in sum. Medians instead of this mean made replay
  // worse on real traces (0.256 % instead of 0.200 %): latencies are skewed to the long side.
  const DurationNs reach = std::min(n * kMostInfluence, kLongestReach);
  const DurationNs low = sorted[cut] - reach;
  const DurationNs high = sorted[sorted.size() - 1 - cut] + reach;
  DurationNs sum = 0;
  for (DurationNs sample : sorted) sum += std::clamp(sample, low, high);
  return sum / n;
}

}  // namespace xsp
