#include "hierarchy/hardware/occupancy.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/enum_names.h"

namespace xsp {

namespace {

// The units in which a multiprocessor gives out registers and shared memory. CUDA's own rules.
constexpr std::uint64_t kRegisterUnit = 256;     // Registers, per warp.
constexpr std::uint64_t kPartitions = 4;         // A warp's registers lie in one of four files.
constexpr std::uint64_t kReservedShared = 1024;  // Bytes per block, from compute capability 8.0.

constexpr std::uint64_t kMostThreads = 1 << 20;  // Of a block; any GPU allows far fewer.

std::uint64_t RoundUp(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

bool IsKnown(std::uint32_t value) { return value != kMissing<std::uint32_t> && value != 0; }

bool HasLimits(const Gpu& gpu) {
  return gpu.compute_major != kMissing<std::uint32_t> && IsKnown(gpu.threads_per_warp) &&
         IsKnown(gpu.max_warps_per_sm) && IsKnown(gpu.max_blocks_per_sm) &&
         IsKnown(gpu.max_registers_per_sm) && IsKnown(gpu.max_shared_per_sm);
}

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

std::uint64_t BlocksByRegisters(std::uint64_t warps, std::uint32_t registers, const Gpu& gpu) {
  if (registers == 0) return kNoLimit;
  const std::uint64_t per_warp =
      RoundUp(std::uint64_t{registers} * gpu.threads_per_warp, kRegisterUnit);
  const std::uint64_t per_block = per_warp * RoundUp(warps, kPartitions);
  if (IsKnown(gpu.max_registers_per_block) && per_block > gpu.max_registers_per_block) return 0;
  const std::uint64_t resident = gpu.max_registers_per_sm / kPartitions / per_warp * kPartitions;
  return resident / warps;
}

std::uint64_t BlocksBySharedMemory(std::uint64_t bytes, const Gpu& gpu) {
  const bool is_recent = gpu.compute_major >= 8;
  if (is_recent) bytes += kReservedShared;
  const std::uint64_t taken = RoundUp(bytes, is_recent ? 128 : 256);
  return taken == 0 ? kNoLimit : gpu.max_shared_per_sm / taken;
}

}  // namespace

std::string_view NameOf(OccupancyLimit limit) {
  constexpr EnumNames<OccupancyLimit::kSharedMemory> kNames(
      {"warps", "blocks", "registers", "shared memory"});
  return kNames[limit];
}

std::optional<Occupancy> TheoreticalOccupancy(const BlockNeeds& needs, const Gpu& gpu) {
  if (!HasLimits(gpu) || needs.threads == 0) return std::nullopt;
  if (IsKnown(gpu.max_threads_per_block) && needs.threads > gpu.max_threads_per_block) {
    return std::nullopt;
  }
  const std::uint64_t warps = RoundUp(needs.threads, gpu.threads_per_warp) / gpu.threads_per_warp;
  if (warps > gpu.max_warps_per_sm || needs.shared_bytes > gpu.max_shared_per_sm) {
    return std::nullopt;
  }
  const std::array<std::pair<OccupancyLimit, std::uint64_t>, 4> limits = {{
      {OccupancyLimit::kWarps, gpu.max_warps_per_sm / warps},
      {OccupancyLimit::kBlocks, gpu.max_blocks_per_sm},
      {OccupancyLimit::kRegisters, BlocksByRegisters(warps, needs.registers, gpu)},
      {OccupancyLimit::kSharedMemory, BlocksBySharedMemory(needs.shared_bytes, gpu)},
  }};
  const auto tightest =
      std::min_element(limits.begin(), limits.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  if (tightest->second == 0) return std::nullopt;

  Occupancy occupancy;
  occupancy.blocks = static_cast<std::uint32_t>(tightest->second);
  occupancy.warps = static_cast<std::uint32_t>(tightest->second * warps);
  occupancy.max_warps = gpu.max_warps_per_sm;
  occupancy.limit = tightest->first;
  return occupancy;
}

std::optional<Occupancy> TheoreticalOccupancy(const Trace& trace, EventId kernel) {
  const GpuId gpu = trace.track(trace.track_of(kernel)).gpu;
  const Kernels& kernels = trace.kernels();
  const std::uint32_t row = trace.Row(kernel, EventKind::kKernel);
  const std::array<std::uint32_t, 5> facts = {kernels.block_x[row], kernels.block_y[row],
                                              kernels.block_z[row], kernels.static_shared[row],
                                              kernels.dynamic_shared[row]};
  const bool is_known =
      gpu.valid() && kernels.registers[row] != kMissing<std::uint32_t> &&
      std::find(facts.begin(), facts.end(), kMissing<std::uint32_t>) == facts.end();
  if (!is_known) return std::nullopt;
  const std::uint64_t plane = std::uint64_t{facts[0]} * facts[1];
  if (plane > kMostThreads || facts[2] > kMostThreads) return std::nullopt;
  const BlockNeeds needs{plane * facts[2], kernels.registers[row],
                         std::uint64_t{facts[3]} + facts[4]};
  return TheoreticalOccupancy(needs, trace.gpus()[gpu.value]);
}

}  // namespace xsp
