#include "diff/runs/batches.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace xsp {
namespace {

Batch BatchOf(const Step& step) { return {step.content.requests, step.content.tokens}; }

// How far two batches are from each other: the larger of the factors by which they differ.
double DistanceOf(const Batch& a, const Batch& b) {
  const auto factor = [](std::uint64_t x, std::uint64_t y) {
    if (x == y) return 0.0;
    if (x == kMissing<std::uint64_t> || y == kMissing<std::uint64_t>) {
      return std::numeric_limits<double>::infinity();
    }
    return std::abs(std::log(static_cast<double>(x + 1) / static_cast<double>(y + 1)));
  };
  return std::max(factor(a.requests, b.requests), factor(a.tokens, b.tokens));
}

std::vector<BatchCount> AddedUp(const std::vector<BatchCount>& counts) {
  std::vector<BatchCount> joined;
  for (const BatchCount& count : counts) {
    const auto it = std::find_if(joined.begin(), joined.end(), [&](const BatchCount& known) {
      return known.batch == count.batch;
    });
    if (it == joined.end()) {
      joined.push_back(count);
    } else {
      it->steps += count.steps;
    }
  }
  return joined;
}

}  // namespace

std::string WordsOf(const Batch& batch) {
  std::string words = std::to_string(batch.requests) + " requests";
  if (batch.tokens != kMissing<std::uint64_t>) {
    words += ", " + std::to_string(batch.tokens) + " tokens";
  }
  return words;
}

std::vector<BatchCount> BatchesOf(const Steps& steps, const CountedSteps& set) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> counts;
  for (std::uint32_t step : set.counted) {
    const Batch batch = BatchOf(steps.steps[step]);
    if (!batch.is_told()) return {};
    ++counts[{batch.requests, batch.tokens}];
  }
  std::vector<BatchCount> batches;
  for (const auto& [key, count] : counts) batches.push_back({{key.first, key.second}, count});
  std::stable_sort(batches.begin(), batches.end(),
                   [](const BatchCount& a, const BatchCount& b) { return a.steps > b.steps; });
  return batches;
}

CountedSteps WithBatch(const Steps& steps, const CountedSteps& set, const Batch& batch) {
  std::vector<std::uint32_t> chosen;
  for (std::uint32_t step : set.counted) {
    if (BatchOf(steps.steps[step]) == batch) chosen.push_back(step);
  }
  return CountSteps(steps, chosen);
}

std::optional<BatchPair> BatchesToCompare(const std::vector<BatchCount>& base,
                                          const std::vector<BatchCount>& now) {
  const std::vector<BatchCount> before = AddedUp(base), after = AddedUp(now);
  const bool are_one = before.size() == 1 && after.size() == 1;
  if (before.empty() || after.empty()) return std::nullopt;
  if (are_one && before[0].batch == after[0].batch) return std::nullopt;
  std::optional<BatchPair> best;
  std::pair<double, std::uint32_t> by;  // The nearest; of those as near, the most frequent.
  for (const BatchCount& b : before) {
    if (b.steps < kStepsForUnit) continue;
    for (const BatchCount& n : after) {
      if (n.steps < kStepsForUnit) continue;
      const double distance = DistanceOf(b.batch, n.batch);
      const std::uint32_t steps = std::min(b.steps, n.steps);
      if (!std::isfinite(distance)) continue;
      if (best && std::pair(-distance, steps) <= std::pair(-by.first, by.second)) continue;
      best = BatchPair{b.batch, n.batch};
      by = {distance, steps};
    }
  }
  return best;
}

}  // namespace xsp
