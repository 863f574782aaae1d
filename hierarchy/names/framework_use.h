#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hierarchy/names/name_table.h"
#include "model/trace.h"

namespace xsp {

// The ranges of a trace that are known to be one framework's.
struct FrameworkUse {
  std::string framework;              // "vLLM".
  std::uint64_t ranges = 0;           // That it wrote.
  std::vector<std::string> patterns;  // By which they were known, those with most ranges first.
};

struct FrameworkUses {
  std::uint64_t ranges = 0;              // Of all in the trace, whoever wrote them.
  std::vector<FrameworkUse> frameworks;  // The one with most ranges first.

  double ShareOf(const FrameworkUse& use) const {
    return ranges == 0 ? 0 : static_cast<double>(use.ranges) / static_cast<double>(ranges);
  }
};

// Whose texts were recognised, and how much of the ranges that is.
FrameworkUses FrameworksIn(const Trace& trace, const NameTable& names);

}  // namespace xsp
