#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace xsp {

// What a recording says of the job that it is a part of, beside the trace itself.
struct JobFacts {
  std::string host;                         // The machine's name in the network; empty: unknown.
  std::optional<std::uint32_t> world_size;  // Ranks of the job.

  bool operator==(const JobFacts&) const = default;
};

}  // namespace xsp
