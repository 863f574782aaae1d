// The numbers that XSP's paper prints of ResNet50 v1.5 on a V100 (batch 256 and smaller), computed
// again from the values of its tables.
#include <catch2/catch.hpp>

#include "hierarchy/analyses/runs.h"

using namespace xsp;

namespace {

const GpuPeaks kV100 = [] {
  GpuPeaks peaks;
  peaks.fp32 = 15.7e12;
  peaks.bytes_per_s = 900e9;
  return peaks;
}();
constexpr double kMiB = 1 << 20;  // What the paper calls MB.

GpuFigures Counted(double ms, double gflop, double read_mib, double write_mib, double occupancy) {
  CallFigures call;
  call.latency_ns = ms * 1e6;
  call.flops = gflop * 1e9;
  call.flops_source = kFromCounters;
  call.read_bytes = read_mib * kMiB;
  call.write_bytes = write_mib * kMiB;
  call.bytes_source = kFromCounters;
  call.achieved_occupancy = occupancy / 100;
  return GpuFigures::OfCall(call);
}

// A row of the paper's table of batch sizes.
struct ModelAtBatch {
  std::uint64_t batch;
  double model_ms, kernel_ms, gflop, read, write, occupancy;
  bool is_memory_bound;
};

constexpr ModelAtBatch kBatches[] = {
    {1, 6.21, 5.01, 7.94, 192.49, 194.16, 22.65, false},
    {2, 6.83, 5.93, 16.08, 290.41, 354.54, 22.47, false},
    {4, 8.51, 7.68, 30.95, 659.11, 720.15, 26.39, false},
    {8, 12.80, 11.60, 60.66, 1676.07, 1496.81, 31.97, false},
    {16, 21.90, 20.14, 118.04, 3969.19, 3024.09, 35.58, true},
    {32, 40.03, 37.14, 232.78, 7711.50, 5823.97, 38.76, true},
    {64, 74.03, 67.72, 429.08, 10932.22, 9268.27, 43.18, false},
    {128, 142.89, 131.79, 873.63, 16071.32, 16105.40, 44.48, false},
    {256, 275.05, 254.25, 1742.39, 23185.11, 31095.45, 43.15, false},
};

std::vector<BatchProfile> Batches() {
  std::vector<BatchProfile> batches;
  for (const ModelAtBatch& row : kBatches) {
    RankProfile rank;
    rank.peaks = kV100;
    rank.latency_ns = row.model_ms * 1e6;
    rank.kernel_busy_ns = row.kernel_ms * 1e6;
    rank.gpu = Counted(row.kernel_ms, row.gflop, row.read, row.write, row.occupancy);
    batches.push_back({row.batch, 1, {}});
    batches.back().profile.ranks.push_back(rank);
  }
  return batches;
}

}  // namespace

TEST_CASE("the V100 is memory-bound below 17.44 flop per byte") {
  CHECK(*kV100.IdealIntensity() == Approx(17.44).margin(0.005));
}

TEST_CASE("the paper's kernels have its intensity and throughput, with MiB") {
  struct Row {
    double ms, gflop, read, write, occupancy, intensity, tflops;
  };
  for (const Row& row : {Row{6.04, 77.42, 40.33, 43.86, 12.18, 876.97, 12.82},
                         Row{6.03, 77.42, 43.93, 43.81, 12.19, 841.59, 12.83},
                         Row{5.48, 59.20, 27.71, 8.40, 15.49, 1563.30, 10.80},
                         Row{4.91, 62.89, 11.55, 283.05, 13.20, 203.58, 12.81},
                         Row{4.56, 59.24, 34.83, 37.64, 15.15, 779.55, 12.99}}) {
    const GpuFigures kernel = Counted(row.ms, row.gflop, row.read, row.write, row.occupancy);
    CHECK(*kernel.Intensity() == Approx(row.intensity).epsilon(2e-4));
    CHECK(*kernel.FlopsPerSecond() / 1e12 == Approx(row.tflops).margin(0.011));
    CHECK(*kernel.Occupancy() == Approx(row.occupancy / 100));
    CHECK(kernel.BoundBy(kV100) == Bound::kCompute);
  }
}

TEST_CASE("a kernel without flop has no intensity to speak of and is memory-bound") {
  const GpuFigures max_op = Counted(24.71, 0, 3773.84, 5699.95, 98.39);
  CHECK(max_op.Intensity() == 0.0);
  CHECK(max_op.FlopsPerSecond() == 0.0);
  CHECK(max_op.BoundBy(kV100) == Bound::kMemory);
}

TEST_CASE("throughput of the model is by kernel latency and the GPU's share by model latency") {
  const RankProfile model = Batches().back().profile.ranks.front();
  CHECK(*model.gpu.FlopsPerSecond() / 1e12 == Approx(6.85).margin(0.005));
  CHECK(model.GpuShare() == Approx(0.924).margin(0.0005));
  CHECK(*model.gpu.Intensity() == Approx(30.62).margin(0.01));
}

TEST_CASE("the model is memory-bound at batch 16 and 32 and nowhere else") {
  const std::vector<BatchProfile> batches = Batches();
  for (std::size_t i = 0; i < batches.size(); ++i) {
    CAPTURE(kBatches[i].batch);
    const Bound expected = kBatches[i].is_memory_bound ? Bound::kMemory : Bound::kCompute;
    CHECK(batches[i].profile.ranks.front().gpu.BoundBy(kV100) == expected);
  }
}

TEST_CASE("throughput saturates at batch 256 with 930.7 images per second") {
  const std::vector<BatchProfile> batches = Batches();
  CHECK(*batches.back().Throughput() == Approx(930.7).margin(0.05));
  const std::optional<OptimalBatch> optimal = FindOptimalBatch(batches, std::nullopt);
  REQUIRE(optimal);
  CHECK(optimal->is_saturated);
  CHECK(batches[optimal->place].batch == 256u);
  CHECK(*optimal->gain_of_last_doubling == Approx(0.039).margin(0.0005));
}
