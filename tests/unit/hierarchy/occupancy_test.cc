#include "hierarchy/hardware/occupancy.h"

#include <catch2/catch.hpp>

#include "model/building/trace_builder.h"
#include "model/column.h"

namespace xsp {
namespace {

Gpu MakeGpu(std::uint32_t major, std::uint32_t minor, std::uint32_t warps, std::uint32_t blocks,
            std::uint32_t shared) {
  Gpu gpu;
  gpu.compute_major = major;
  gpu.compute_minor = minor;
  gpu.threads_per_warp = 32;
  gpu.max_warps_per_sm = warps;
  gpu.max_blocks_per_sm = blocks;
  gpu.max_threads_per_block = 1024;
  gpu.max_registers_per_block = 65536;
  gpu.max_registers_per_sm = 65536;
  gpu.max_shared_per_sm = shared;
  return gpu;
}

const Gpu kV100 = MakeGpu(7, 0, 64, 32, 98304);
const Gpu kA100 = MakeGpu(8, 0, 64, 32, 167936);
const Gpu kGa104 = MakeGpu(8, 6, 48, 16, 102400);

Occupancy Of(const BlockNeeds& needs, const Gpu& gpu) {
  const auto occupancy = TheoreticalOccupancy(needs, gpu);
  REQUIRE(occupancy);
  return *occupancy;
}

// NVIDIA's own example: 2 x 512 x 64 registers are all there are; with one more per thread only
// one block fits.
TEST_CASE("registers limit how many blocks are resident") {
  CHECK(Of({512, 64, 0}, kV100) == Occupancy{2, 32, 64, OccupancyLimit::kRegisters});
  CHECK(Of({512, 65, 0}, kV100) == Occupancy{1, 16, 64, OccupancyLimit::kRegisters});
  CHECK(Of({512, 64, 0}, kV100).share() == 0.5);
}

TEST_CASE("a warp's registers come from one of four files") {
  // 40 x 32 = 1280 registers a warp: 12 warps in each file of 16384, 48 in all, 6 blocks of 7.
  CHECK(Of({224, 40, 0}, kV100) == Occupancy{6, 42, 64, OccupancyLimit::kRegisters});
}

TEST_CASE("warps and blocks limit small kernels") {
  CHECK(Of({256, 32, 0}, kV100) == Occupancy{8, 64, 64, OccupancyLimit::kWarps});
  CHECK(Of({32, 16, 0}, kV100) == Occupancy{32, 32, 64, OccupancyLimit::kBlocks});
  CHECK(Of({33, 16, 0}, kV100) == Occupancy{32, 64, 64, OccupancyLimit::kWarps});
  CHECK(Of({256, 32, 0}, kGa104) == Occupancy{6, 48, 48, OccupancyLimit::kWarps});
}

TEST_CASE("shared memory is given out in units, and newer GPUs keep 1 KB of each block") {
  CHECK(Of({128, 32, 16384}, kGa104) == Occupancy{5, 20, 48, OccupancyLimit::kSharedMemory});
  CHECK(Of({128, 32, 49152}, kV100) == Occupancy{2, 8, 64, OccupancyLimit::kSharedMemory});
  // 32768 and the reserved 1024: 4 blocks in 167936; without them it would be 5.
  CHECK(Of({128, 32, 32768}, kA100) == Occupancy{4, 16, 64, OccupancyLimit::kSharedMemory});
  // 9831 bytes take 9984 in units of 256: 9 blocks, not 10 (of 9830.4) in 98304.
  CHECK(Of({64, 16, 9831}, kV100) == Occupancy{9, 18, 64, OccupancyLimit::kSharedMemory});
}

TEST_CASE("a kernel without registers or shared memory is limited by warps") {
  CHECK(Of({1024, 0, 0}, kV100) == Occupancy{2, 64, 64, OccupancyLimit::kWarps});
}

TEST_CASE("without the GPU's limits there is no occupancy") {
  Gpu gpu = kV100;
  gpu.max_registers_per_sm = kMissing<std::uint32_t>;
  CHECK(TheoreticalOccupancy({256, 32, 0}, gpu) == std::nullopt);
  CHECK(TheoreticalOccupancy({256, 32, 0}, Gpu()) == std::nullopt);
}

TEST_CASE("a kernel that cannot run on the GPU has no occupancy") {
  CHECK(TheoreticalOccupancy({0, 32, 0}, kV100) == std::nullopt);
  CHECK(TheoreticalOccupancy({2048, 32, 0}, kV100) == std::nullopt);
  CHECK(TheoreticalOccupancy({1024, 80, 0}, kV100) == std::nullopt);
  CHECK(TheoreticalOccupancy({128, 32, 200000}, kV100) == std::nullopt);
  CHECK(TheoreticalOccupancy({128, kMissing<std::uint32_t>, 0}, kV100) == std::nullopt);
  CHECK(TheoreticalOccupancy({kMissing<std::uint64_t>, 32, 0}, kV100) == std::nullopt);
}

// A trace of one kernel on one GPU.
Trace MakeOneKernel(const Gpu& gpu, std::uint32_t block_x, std::uint32_t block_y) {
  TraceBuilder builder;
  builder.AddGpu(gpu);
  Track key;
  key.kind = TrackKind::kStream;
  key.process = builder.InternProcess(1, 1);
  key.device = key.context = key.stream = 0;
  const TrackId track = builder.InternTrack(key);
  builder.track(track).gpu = GpuId(0);
  Events events;
  events.begin = {0};
  events.end = {10};
  events.track = {track};
  events.name = {builder.Intern("k")};
  events.correlation = {0};
  Kernels kernels;
  ForEachColumn<Kernels>([&](const Column&, auto member) { (kernels.*member).resize(1); });
  kernels.block_x = {block_x};
  kernels.block_y = {block_y};
  kernels.block_z = {1};
  kernels.registers = {64};
  kernels.static_shared = {1000};
  kernels.dynamic_shared = {23000};
  builder.Add(EventKind::kKernel, 0, "KERNEL", events, kernels);
  return std::move(builder).Build();
}

TEST_CASE("a kernel's occupancy is that of its block on its GPU") {
  // 24000 bytes take 24064: 4 blocks of 8 warps; registers would allow 4 as well and come first.
  CHECK(TheoreticalOccupancy(MakeOneKernel(kV100, 64, 4), EventId(0)) ==
        Occupancy{4, 32, 64, OccupancyLimit::kRegisters});
  CHECK(TheoreticalOccupancy(MakeOneKernel(Gpu(), 64, 4), EventId(0)) == std::nullopt);
  CHECK(TheoreticalOccupancy(MakeOneKernel(kV100, 64, kMissing<std::uint32_t>), EventId(0)) ==
        std::nullopt);
  CHECK(TheoreticalOccupancy(MakeOneKernel(kV100, 1u << 31, 1u << 31), EventId(0)) == std::nullopt);
}

TEST_CASE("limits have names") { CHECK(NameOf(OccupancyLimit::kSharedMemory) == "shared memory"); }

}  // namespace
}  // namespace xsp
