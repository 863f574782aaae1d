#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "hierarchy/ranks/rank_work.h"
#include "model/trace.h"

namespace xsp {

// Why no compute was running.
enum class GapCause : std::uint8_t {
  kLaunchStarved,      // The host had not issued the next one.
  kBlocking,           // It was issued; what it had to wait for ended within the gap.
  kDependencyStalled,  // It was issued, and nothing known explains the delay.
  kNoMoreCompute,      // None follows.
};
std::string_view NameOf(GapCause cause);  // "launch_starved", ...

// A stretch in which no compute was running, or a part of one with one cause.
struct ComputeGap {
  static constexpr std::uint32_t kNone = 0xffffffff;

  TimeRange time;
  GapCause cause = GapCause::kLaunchStarved;
  std::uint32_t next = kNone;     // The compute that ended it: a place in the work.
  std::uint32_t held_by = kNone;  // Of kBlocking: what it had waited for.
};

// The gaps of a process within `over`, by time; they do not overlap.
//
// What an operation waits for is told without a graph of the whole program: what came before it on
// its stream, and what its stream was made to wait for by events since then. Where no such waits
// were recorded (PyTorch's profiler has none), what ended right before it began stands for it.
std::vector<ComputeGap> FindComputeGaps(const Trace& trace, const RankEvents& events,
                                        TimeRange over);

}  // namespace xsp
