#pragma once

#include <cstddef>
#include <cstdint>

#include "live/spool/kinds.h"

namespace xsp::inject {

// With the end of the string: what the system takes at most.
inline constexpr std::size_t kLongestPath = 4096;

// What to record, from the environment (live/spool/environment.h). A value that cannot be read
// counts as not given: `xsp live` checks them before it starts the program.
struct Settings {
  char folder[kLongestPath];
  char session[128];         // Empty: none.
  char cupti[kLongestPath];  // Empty: search.
  live::KindSet kinds;
  std::uint64_t most_bytes;
  std::int64_t delay_ns;
  std::int64_t duration_ns;  // 0: until the end.
  std::uint32_t first_step;  // 0: do not count steps.
  std::uint32_t last_step;
  char step_range[256];
  bool capture_range;  // Between cudaProfilerStart and cudaProfilerStop only.

  // False: a value is too long to be kept, so that nothing can be recorded.
  bool Read();
};

// Whether a range is a step: its name equals the pattern, where a number, or "#", stands for any
// number. "step 0" and "step #" both mean "step 17".
bool IsStepName(const char* pattern, const char* name, std::size_t name_bytes);

}  // namespace xsp::inject
