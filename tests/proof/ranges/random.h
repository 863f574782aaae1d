#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "sample_traces/noise.h"

namespace xsp::proof {

// Random numbers that are the same on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(samples::Mix(seed)) {}

  std::uint64_t Bits() { return state_ = samples::Mix(state_); }
  double Uniform(double least, double most) {
    return least + (most - least) * static_cast<double>(Bits() >> 11) / 9007199254740992.0;
  }
  // As likely to be between 1 and 2 as between 2 and 4.
  double Spread(double least, double most) {
    return std::exp(Uniform(std::log(least), std::log(most)));
  }
  std::int64_t Between(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(Bits() % static_cast<std::uint64_t>(most - least + 1));
  }
  bool Chance(double share) { return Uniform(0, 1) < share; }
  template <class T>
  const T& Of(const std::vector<T>& list) {
    return list[Bits() % list.size()];
  }

 private:
  std::uint64_t state_;
};

}  // namespace xsp::proof
