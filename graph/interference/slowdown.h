#pragma once

#include <cstdint>

#include "model/ids.h"

namespace xsp {

// How many times as long kernels take beside others, and how many in such company showed it.
struct LearnedFactor {
  float factor = 1;  // 1: not at all, or the trace does not tell.
  std::uint32_t n = 0;
};

// What company costs the kernels of one name, grid and block on one device (interference.h).
struct Slowdown {
  LearnedFactor beside_collective;
  LearnedFactor beside_kernel;  // Of another stream.
  std::uint32_t alone = 0;      // How many ran without any company.
  EventId example;              // One of the kernels.
};

// What company means to one operation.
struct OpInterference {
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  std::uint32_t slowdown = kNone;  // Row of TaskGraph::slowdowns.
  float alone_share = 1;           // What it would take alone, as a share of its own cost.
  float demand = 0;  // Share of the device that its blocks fill while it runs; 0: not known.
  bool is_collective = false;  // A collective by its name, whether or not its peers are known.
};

}  // namespace xsp
