#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/trace.h"

namespace xsp {

// All calls or ranges of one name.
struct HostSum {
  std::string name;
  std::uint64_t count = 0;
  DurationNs ns = 0;  // Summed: ranges in each other count several times.
};

// What a trace tells of the host: all there is to see where no device did anything.
struct HostLook {
  std::uint64_t launches = 0;   // Calls that launch kernels or graphs.
  std::vector<HostSum> calls;   // Of CUDA, the longest first; so the others.
  std::vector<HostSum> ranges;  // Of NVTX, without those of MPI.
  std::vector<HostSum> mpi;     // Calls of MPI.

  bool empty() const { return calls.empty() && ranges.empty() && mpi.empty(); }
};

HostLook LookAtHost(const Trace& trace);

}  // namespace xsp
