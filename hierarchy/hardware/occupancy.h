#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/entities.h"
#include "model/trace.h"

namespace xsp {

// What keeps more blocks of a kernel from running on a multiprocessor at once.
enum class OccupancyLimit : std::uint8_t { kWarps = 0, kBlocks, kRegisters, kSharedMemory };
std::string_view NameOf(OccupancyLimit limit);  // "warps", "blocks", "registers", "shared memory".

// What a kernel takes, per launch.
struct BlockNeeds {
  std::uint64_t threads = 0;       // Per block.
  std::uint32_t registers = 0;     // Per thread.
  std::uint64_t shared_bytes = 0;  // Per block, static and dynamic.
};

// Theoretical occupancy: how much of a multiprocessor's warps a kernel can keep resident.
struct Occupancy {
  std::uint32_t blocks = 0;                       // Resident per multiprocessor.
  std::uint32_t warps = 0;                        // Resident per multiprocessor.
  std::uint32_t max_warps = 0;                    // That the multiprocessor could hold.
  OccupancyLimit limit = OccupancyLimit::kWarps;  // Of several equal ones the first in enum order.

  double share() const { return static_cast<double>(warps) / max_warps; }

  bool operator==(const Occupancy&) const = default;
};

// Nothing where the GPU's limits are not in the trace, or where the kernel cannot run on it at all
// (then one of them is wrong). Register and shared memory are given out in the units of the GPU's
// compute capability.
std::optional<Occupancy> TheoreticalOccupancy(const BlockNeeds& needs, const Gpu& gpu);

// Of a kernel of a trace, on the GPU it ran on.
std::optional<Occupancy> TheoreticalOccupancy(const Trace& trace, EventId kernel);

}  // namespace xsp
