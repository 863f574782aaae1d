#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "hierarchy/steps/steps.h"

namespace xsp {

// Which steps of a trace figures are about: some of them, or the whole trace, which also holds what
// lies outside of steps.
class StepSet {
 public:
  // The whole trace.
  StepSet() = default;
  // These steps, by index, in any order.
  StepSet(std::vector<std::uint32_t> steps) : is_whole_(false), steps_(std::move(steps)) {
    std::sort(steps_.begin(), steps_.end());
    steps_.erase(std::unique(steps_.begin(), steps_.end()), steps_.end());
    is_in_.resize(steps_.empty() ? 0 : steps_.back() + 1);
    for (std::uint32_t step : steps_) is_in_[step] = 1;
  }

  bool is_whole() const { return is_whole_; }

  // `step` may be Steps::kOutside, which only the whole trace holds.
  bool Contains(std::uint32_t step) const {
    return is_whole_ || (step < is_in_.size() && is_in_[step] != 0);
  }

  // Ascending; empty for the whole trace.
  const std::vector<std::uint32_t>& steps() const { return steps_; }

  // What sums are divided by to get means: the number of steps; 1 for the whole trace.
  std::uint32_t divisor() const {
    return std::max<std::uint32_t>(1, static_cast<std::uint32_t>(steps_.size()));
  }

 private:
  bool is_whole_ = true;
  std::vector<std::uint32_t> steps_;
  std::vector<std::uint8_t> is_in_;  // By step.
};

}  // namespace xsp
