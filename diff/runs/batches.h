#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hierarchy/steps/counted_steps.h"
#include "hierarchy/steps/steps.h"
#include "model/details.h"

namespace xsp {

// What the batch of a step is made of, as its framework tells; kMissing where it does not.
struct Batch {
  std::uint64_t requests = kMissing<std::uint64_t>;
  std::uint64_t tokens = kMissing<std::uint64_t>;

  bool is_told() const { return requests != kMissing<std::uint64_t>; }
  bool operator==(const Batch&) const = default;
};
// "32 requests, 2,048 tokens".
std::string WordsOf(const Batch& batch);

// A batch that came again and again.
struct BatchCount {
  Batch batch;
  std::uint32_t steps = 0;
};

// The batches of these steps, those that came most often first; none where frameworks do not tell.
std::vector<BatchCount> BatchesOf(const Steps& steps, const CountedSteps& set);

// Those of the counted steps whose batch is this one; the others were not asked for.
CountedSteps WithBatch(const Steps& steps, const CountedSteps& set, const Batch& batch);

// Which batches of two sides to hold against each other: a longer step with more tokens in it is no
// regression. `base` and `now` are the batches of all runs of a side.
struct BatchPair {
  Batch base, now;
};
// The batch that both sides have most often; else the two that are nearest. Nothing where no batch
// comes at least kStepsForUnit times on each side, or where there is only one batch, the same on
// both: all steps are compared then.
std::optional<BatchPair> BatchesToCompare(const std::vector<BatchCount>& base,
                                          const std::vector<BatchCount>& now);

}  // namespace xsp
