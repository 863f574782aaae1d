// A training job of many ranks whose truth is known: data-, tensor- and pipeline-parallel, with
// what can be wrong with one.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sample_traces/machine.h"
#include "sample_traces/program.h"

namespace xsp::samples {

// Factors are in ‰: 1500 takes half as long again.
struct JobOptions {
  int32_t ranks = 8;
  int32_t per_host = 8;
  int32_t stages = 1;  // of a pipeline; whole layers without it
  int32_t tensor = 1;  // ranks that share each layer; not with stages
  int64_t steps = 10;
  uint64_t seed = 1;
  bool mpi = false;  // gradients are summed by calls of the host, and NCCL is not there

  std::map<int32_t, int64_t> slow;       // by rank: its kernels
  std::map<int32_t, int64_t> slow_link;  // by rank: transfers of gradients of its part
  std::map<int32_t, int64_t> more_work;  // by stage: its passes
  int64_t lengths = 0;                   // a step of a rank takes up to so many ‰ more
  int64_t pause_ns = 0;                  // the host of rank (step % ranks) stops
};

struct Job {
  Program program;  // a process for each rank, in order; a device for each of them
  MachineConfig machine;
};

// Tensor-parallel ranks are neighbours, then come replicas, then stages.
Job MakeJob(const JobOptions& options);

// The texts of its steps are this and their number, from 0; those before are called otherwise.
inline constexpr const char* kJobStep = "step ";

}  // namespace xsp::samples
