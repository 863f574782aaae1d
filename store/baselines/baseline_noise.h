#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace xsp {

struct RunFacts;

// How far runs that were saved together lay apart: the sum of squared distances from their mean, as
// shares of it, and how many of them there are beyond the first (degrees of freedom).
struct ScatterOfRuns {
  double squares = 0;
  double degrees = 0;

  bool operator==(const ScatterOfRuns&) const = default;
};

// What a baseline knows of the noise between its runs, by the mean of their steps and by their GPU
// spans.
struct BaselineNoise {
  ScatterOfRuns step;
  ScatterOfRuns span;

  bool operator==(const BaselineNoise&) const = default;
};

// The scatter of some runs of the same program. Runs without steps say nothing of steps.
BaselineNoise NoiseOf(const std::vector<RunFacts>& runs);

// What is remembered of runs that are gone: NAME/noise.json. Nothing where there is none, or what
// is no such file.
inline constexpr std::string_view kNoiseFile = "noise.json";
BaselineNoise ReadNoise(const std::filesystem::path& baseline);

// Adds runs that are about to go. What is older counts ever less: programs and machines change.
// Throws Error where it cannot be written.
void RememberNoise(const std::filesystem::path& baseline, const std::vector<RunFacts>& runs);

}  // namespace xsp
