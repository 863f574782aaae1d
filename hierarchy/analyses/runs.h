#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hierarchy/analyses/profile.h"
#include "hierarchy/leveled/run_statistic.h"

namespace xsp {

// A run and what to call it in messages.
struct NamedProfile {
  std::string name;
  Profile profile;
};

// Several runs of the same thing as one, value by value, as XSP does. Layers are matched by path
// and occurrence. A kernel call that a run lacks counts as nothing in it. Throws Error with what
// differs where the runs have other layers, ranks or units.
Profile CombineRuns(std::vector<NamedProfile> runs, Statistic statistic);

// Runs of one batch size, combined.
struct BatchProfile {
  std::optional<std::uint64_t> batch;  // None: nobody said.
  std::uint32_t runs = 1;
  Profile profile;

  // Of a step or of the GPU span: the longest of its ranks.
  double LatencyNs() const;
  std::optional<double> Throughput() const;  // Inputs per second.
};

// Which of several batch sizes to use, and why.
struct OptimalBatch {
  std::size_t place = 0;                        // In the list.
  bool is_saturated = false;                    // Throughput has stopped to rise.
  bool meets_target = true;                     // Of the latency target, if there is one.
  std::optional<double> gain_of_last_doubling;  // 0.039; at the chosen or the largest batch.
};

// The largest batch such that doubling it does not raise throughput by more than 5 %. Where the
// double was not measured, what the last doubling brought stands in for it. Batches that lose more
// than 5 % against the best are left out. With a target, the batch of the highest throughput whose
// latency is within it. Nothing without batch sizes.
std::optional<OptimalBatch> FindOptimalBatch(const std::vector<BatchProfile>& batches,
                                             std::optional<double> latency_target_ns);

}  // namespace xsp
