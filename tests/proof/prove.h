#pragma once

#include <string>

#include "graph/readings/replay.h"
#include "tests/proof/proof_case.h"

namespace xsp::proof {

// What a replay and a forecast may be off by.
inline constexpr double kReplayBound = 0.005;
inline constexpr double kForecastBound = 0.02;

// What a forecast across two real runs may be off by.
inline constexpr double kRealForecastBound = 0.04;

// GPU spans, or counted steps, and the errors of those that were not measured.
struct ProofResult {
  DurationNs before = 0;
  DurationNs after = 0;
  DurationNs forecast = 0;
  DurationNs naive = 0;
  double replay_error = 0;
  double forecast_error = 0;
  double naive_error = 0;
};

// Runs the program, builds the graph of that run, and holds its forecast against a second run of
// the changed program, in which all noise is drawn anew.
ProofResult Prove(const ProofCase& proof);
bool Holds(const ProofResult& result);

// The same for the steady step of the changed program: forecast by the unit of the first run, and
// held against the mean of the second half of the steps of the other.
ProofResult ProveStep(const ProofCase& proof);

// From `before` forecasts `after`, in which the same kernels ran and took less time: all of them
// are scaled by the ratio of the sums.
ProofResult ProveFasterKernels(const Trace& before, const Trace& after);

// Draws all noise from a seed, more of it than the samples have: a long tail in all latencies.
void SetNoise(samples::Scenario& scenario, std::uint64_t seed);
// The mean of the second half of all steps, in whole periods: by then the pipeline is as full, or
// as empty, as it stays. Throws where there are too few.
DurationNs TrueStep(const Trace& trace);

// The run of a scenario as a trace, by way of an export in a temporary file.
Trace RunAndImport(const samples::Scenario& scenario);

}  // namespace xsp::proof
