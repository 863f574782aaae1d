#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "model/rank_tables.h"

// Jobs of many ranks whose truth is known: a program that runs on a model of a cluster and leaves
// the small tables of its ranks. It knows nothing of the code that reads them.
namespace xsp {

struct RankJobOptions {
  int ranks = 8;
  int per_host = 8;
  int steps = 20;
  int stages = 1;  // Of a pipeline: replicas are ranks / stages.
  int tensor = 1;  // Ranks that share each layer: a blocking all-reduce behind each.
  std::uint64_t seed = 1;
  double jitter = 0.003;    // Of every duration, one deviation.
  bool mpi = false;         // Gradients are summed by calls of the host, not on the GPU.
  bool is_counted = false;  // Sequences of collectives are not recorded.

  // What is wrong; by default nothing.
  std::function<double(int step, int rank)> slower = [](int, int) { return 1.0; };  // Compute.
  std::function<double(int rank)> more_work = [](int) { return 1.0; };  // The same in every run.
  std::function<std::int64_t(int step, int rank)> pause = [](int, int) {
    return 0;
  };  // Of the host.
  std::function<double(const std::vector<int>& ranks)> slower_link = [](const std::vector<int>&) {
    return 1.0;
  };

  // Clocks of hosts.
  std::function<std::int64_t(int host)> clock_ahead_ns = [](int) { return 0; };
  std::function<double(int host)> drift_ppm = [](int) { return 0.0; };

  std::set<int> not_recorded = {};
  int cut_rank = -1;  // Its recording ends early,
  int cut_after = 0;  // after so many steps.
};

struct RankJob {
  std::vector<RankTables> ranks;
  double step_ns = 0;  // The true mean, from the end of the first step to that of the last.
};

RankJob RunRankJob(const RankJobOptions& options);

}  // namespace xsp
