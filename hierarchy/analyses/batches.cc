#include <algorithm>

#include "hierarchy/analyses/runs.h"

namespace xsp {
namespace {

constexpr double kWorthwhile = 1.05;  // XSP: a doubling that brings 5 % or less is not worth it.

// What throughput rose by from half this batch to it; nothing where the half was not measured.
std::optional<double> GainOfDoublingTo(const std::vector<BatchProfile>& batches, std::size_t i) {
  for (const BatchProfile& half : batches) {
    if (*half.batch * 2 == *batches[i].batch) {
      return *batches[i].Throughput() / *half.Throughput() - 1;
    }
  }
  return std::nullopt;
}

std::optional<double> GainOfDoubling(const std::vector<BatchProfile>& batches, std::size_t i) {
  for (std::size_t k = 0; k < batches.size(); ++k) {
    if (*batches[k].batch == *batches[i].batch * 2) return GainOfDoublingTo(batches, k);
  }
  return std::nullopt;
}

OptimalBatch WithinTarget(const std::vector<BatchProfile>& batches, double target_ns) {
  OptimalBatch best;
  best.meets_target = false;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    if (batches[i].LatencyNs() > target_ns) continue;
    const bool is_better =
        !best.meets_target || *batches[i].Throughput() > *batches[best.place].Throughput();
    if (is_better) best.place = i;
    best.meets_target = true;
  }
  if (best.meets_target) return best;
  for (std::size_t i = 0; i < batches.size(); ++i) {  // None does: the nearest.
    if (batches[i].LatencyNs() < batches[best.place].LatencyNs()) best.place = i;
  }
  return best;
}

}  // namespace

double BatchProfile::LatencyNs() const {
  double longest = 0;
  for (const RankProfile& rank : profile.ranks) longest = std::max(longest, rank.latency_ns);
  return longest;
}

std::optional<double> BatchProfile::Throughput() const {
  const double latency = LatencyNs();
  if (!batch || latency <= 0) return std::nullopt;
  return static_cast<double>(*batch) / latency * 1e9;
}

std::optional<OptimalBatch> FindOptimalBatch(const std::vector<BatchProfile>& batches,
                                             std::optional<double> latency_target_ns) {
  double best = 0;
  for (const BatchProfile& batch : batches) {
    if (!batch.Throughput()) return std::nullopt;
    best = std::max(best, *batch.Throughput());
  }
  if (batches.empty()) return std::nullopt;
  if (latency_target_ns) return WithinTarget(batches, *latency_target_ns);
  OptimalBatch result;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    if (*batches[i].Throughput() * kWorthwhile < best) continue;
    std::optional<double> gain = GainOfDoubling(batches, i);
    if (!gain) gain = GainOfDoublingTo(batches, i);
    const bool rises = !gain || *gain > kWorthwhile - 1;
    if (rises) continue;
    if (!result.is_saturated || *batches[i].batch > *batches[result.place].batch) {
      result = {i, true, true, gain};
    }
  }
  if (result.is_saturated) return result;
  for (std::size_t i = 1; i < batches.size(); ++i) {
    if (*batches[i].batch > *batches[result.place].batch) result.place = i;
  }
  result.gain_of_last_doubling = GainOfDoublingTo(batches, result.place);
  return result;
}

}  // namespace xsp
