#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "model/time.h"

namespace xsp {

// The clock of one host against that of the first, by the ends of collectives that ranks of both
// took part in: work that ends together is the assumption.
struct HostClock {
  std::string host;
  DurationNs offset = 0;  // To add to its times, at the middle of the recording.
  double drift_ppm = 0;   // How much faster it runs: microseconds per second.
  // How far matched ends lie from the common clock afterwards: half of them, 95 % of them within.
  DurationNs residual_p50 = 0;
  DurationNs residual_p95 = 0;
  std::size_t moments = 0;  // Ends that it was fitted by; 0: by the time of day alone.
};

}  // namespace xsp
