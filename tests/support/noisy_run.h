#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/trace.h"

namespace xsp::test {

// A program that trains layer by layer, with noise: what comparisons must not be fooled by, and
// what they must find in it.
struct NoisyRun {
  std::uint32_t steps = 20;  // After one warm-up step, which is three times as long.
  std::uint32_t layers = 8;  // Of four kernels each, forward only.
  double sigma = 0.01;       // Deviation of a step's time, as a share.
  double slower = 0;         // By so much the whole run is slower than usual, as a share.
  double drift = 0;          // How much longer the last step is than the first, as a share.
  std::uint64_t seed = 1;
  // One kernel of this layer takes so much longer that the step grows by `growth`.
  std::optional<std::uint32_t> slow_layer;
  double growth = 0;
  bool renamed = false;  // One kernel of the first layer comes in another tile size.
};

// "step 3" holds "layer 0" to "layer 7"; the host launches everything and waits for the GPU.
Trace MakeNoisyRun(const NoisyRun& run);

}  // namespace xsp::test
