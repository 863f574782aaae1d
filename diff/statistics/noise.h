#pragma once

#include <optional>

#include "diff/runs/series.h"

namespace xsp {

// How far a side differs from itself, as a share of its mean: the distance between the highest and
// the lowest mean of the quarters of a run (of single values, where a run has fewer than four),
// averaged over the runs. Drift shows here, and so does what chance leaves in a quarter. Nothing
// where no run has two values.
std::optional<double> NoiseWithin(const Series& side);

// The standard deviation of the means of runs, as a share of the mean of a side, from both sides
// together; each run counts the same. Nothing where neither side has two runs.
struct RunNoise {
  double deviation = 0;
  double degrees = 0;  // Of freedom.

  bool operator==(const RunNoise&) const = default;
};
std::optional<RunNoise> NoiseBetween(const Series& base, const Series& now);

// Both together, by what each rests on.
RunNoise Pooled(const RunNoise& a, const RunNoise& b);

}  // namespace xsp
