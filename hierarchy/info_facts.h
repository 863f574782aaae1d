#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/trace.h"

namespace xsp {

// An NVTX domain and how much it was used.
struct DomainUse {
  std::uint32_t pid = 0;
  std::string name;  // "NVTX" stands for the default domain.
  std::uint64_t ranges = 0;
  std::uint64_t marks = 0;
};

// What `info` tells beyond what the trace says of itself: everything that takes a look at events.
struct InfoFacts {
  std::optional<TimeRange> span;      // What the program did.
  std::optional<TimeRange> gpu_span;  // What its devices did.
  // Events by kind under their public names, kinds in the order of the model. `nvtx` sums up both
  // sorts of ranges; `graph_launch` counts calls that are counted under `api` as well.
  std::vector<std::pair<std::string, std::uint64_t>> counts;
  std::uint64_t threads = 0;
  std::uint64_t streams_used = 0;        // With at least one operation.
  std::uint64_t streams_known = 0;       // All that the trace names.
  std::vector<DomainUse> domains;        // Used ones, by process and number.
  DurationNs overhead_ns = 0;            // Time in which the profiler itself worked.
  std::optional<double> overhead_share;  // How much of the span that was.
};

InfoFacts FindInfoFacts(const Trace& trace);

// The counts of InfoFacts alone.
std::vector<std::pair<std::string, std::uint64_t>> CountKinds(const Trace& trace);

}  // namespace xsp
