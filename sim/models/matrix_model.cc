#include "sim/models/matrix_model.h"

#include <algorithm>
#include <cmath>

namespace xsp {
namespace {

// Measured by others with large square products in PyTorch, as shares of the data sheet:
//   fp32 without tensor cores: V100 0.83, 2080 Ti 0.85, A100 0.93; 3070 Laptop 0.57, 3090 Ti 0.52,
//   3090 0.69; 4070 SUPER 0.69; B200 0.85. From capability 8.6 on a multiprocessor has twice the
//   lanes, but not the registers' bandwidth to feed them.
//   Tensor cores: V100 0.68, A100 0.79-0.87, H100 0.80, GH200 0.84, B200 0.72-0.78, GB200 0.73;
//   with halved rate 2080 Ti 0.83, 3090 Ti 0.83, 3090 1.06 (above its boost clock), L20 0.92.
//   fp8: H100 0.71, H200 0.73, B200 0.76, GB200 0.72.
constexpr double kSimtShare = 0.88;
constexpr double kSimtShare86 = 0.60;
constexpr double kSimtShare89 = 0.69;
constexpr double kSimtShare90 = 0.76;
constexpr double kTensorShare = 0.77;
constexpr double kHalvedTensorShare = 0.92;
constexpr double kFp8Share = 0.73;

// Products of everyday shapes reach less than the best ones; how much scatters.
constexpr double kFasterBy = 1.2;
constexpr double kSlowerBy = 0.75;

// Where no shape is known, waves are taken to be as full as those of everyday shapes.
constexpr double kUsualWaves = 0.85;

// Winograd's transform of 3x3 filters saves this factor of multiplications, which a tensor-core
// kernel of the plain kind does not.
constexpr double kWinogradSaving = 2.25;

double SimtShare(std::uint32_t capability) {
  if (capability >= 1000 || capability < 86) return kSimtShare;
  if (capability < 89) return kSimtShare86;
  if (capability == 89 || capability >= 120) return kSimtShare89;
  return capability < 100 ? kSimtShare90 : kSimtShare;
}

// Tensor cores that add in fp32 at half rate are easier to feed.
bool IsHalved(const GpuPeaks& peaks) {
  return peaks.fp16 && peaks.int8 && *peaks.int8 > 3 * *peaks.fp16;
}

struct Tile {
  std::uint32_t m, n;
  double speed;  // Of a full wave, against the largest tile: small ones load more per result.
};
constexpr Tile kTiles[] = {{256, 128, 1.0}, {128, 256, 1.0}, {128, 128, 0.95}, {64, 256, 0.9},
                           {256, 64, 0.9},  {128, 64, 0.8},  {64, 128, 0.8},   {64, 64, 0.6}};

constexpr double kSplitSpeed = 0.9;

double Filled(double blocks, std::uint32_t sms) {
  return blocks / (std::ceil(blocks / sms) * static_cast<double>(sms));
}

// How full the waves of the kernel that ran are.
double WavesNow(const MatrixWork& work, const MatrixMachine& machine) {
  if (work.blocks == 0 || machine.peaks.sm_count == 0) return kUsualWaves;
  return Filled(static_cast<double>(work.blocks), machine.peaks.sm_count);
}

double WavesThen(const MatrixWork& work, const MatrixMachine& machine, double now) {
  if (!work.shape || !work.shape->m || machine.peaks.sm_count == 0)
    return std::min(now, kUsualWaves);
  return TensorWaveEfficiency(*work.shape->m, *work.shape->n, work.shape->slices,
                              machine.peaks.sm_count);
}

// Loading the first tiles and storing the results takes the time of so many steps of a product's
// inner dimension: four stages of 32. Without tensor cores the steps themselves take far longer.
double InnerEfficiency(const MatrixWork& work) {
  constexpr double kEnds = 128;
  constexpr double kUsualInner = 1024;
  double inner = kUsualInner;
  if (work.flops && work.shape && work.shape->outputs > 0) {
    inner = *work.flops / 2 / static_cast<double>(work.shape->outputs);
  }
  return inner / (inner + kEnds);
}

// The share of a kernel's time in which its multiplications decide: all of it for a product that
// fills the GPU, next to nothing for one of a few rows.
double ComputeShare(const MatrixWork& work, const MatrixMachine& machine) {
  if (work.flops && machine.best_rate && work.ns > 0) {
    // Padding to whole tiles and waves costs products that are bound by nothing else a quarter.
    constexpr double kBoundFrom = 0.75;
    return std::min(1.0, *work.flops / (work.ns * 1e-9) / (kBoundFrom * *machine.best_rate));
  }
  if (work.blocks > 0 && machine.peaks.sm_count > 0) {
    return std::min(1.0, static_cast<double>(work.blocks) / machine.peaks.sm_count);
  }
  return 1;
}

bool Changes(const MatrixWork& work, Precision to) {
  if (work.precision == Precision::kFp32 && !work.tensor_cores) return true;
  const bool is_half = work.precision == Precision::kFp16 || work.precision == Precision::kBf16;
  switch (to) {
    case Precision::kFp16:
    case Precision::kBf16:
      return work.precision == Precision::kTf32 || work.precision == Precision::kFp32;
    case Precision::kFp8:
      return is_half || work.precision == Precision::kTf32 || work.precision == Precision::kFp32;
    default:
      return false;
  }
}

}  // namespace

double BytesPerElement(Precision precision) {
  constexpr double kUsual = 4;
  return BytesOf(precision).value_or(kUsual);
}

double ReachedShare(const GpuPeaks& peaks, Precision precision, bool tensor_cores) {
  if (!tensor_cores) return SimtShare(peaks.capability);
  if (precision == Precision::kFp8) return kFp8Share;
  return IsHalved(peaks) ? kHalvedTensorShare : kTensorShare;
}

double TensorWaveEfficiency(std::uint64_t m, std::uint64_t n, std::uint32_t slices,
                            std::uint32_t sm_count) {
  double best = 0;
  for (const Tile& tile : kTiles) {
    const double across = std::ceil(static_cast<double>(m) / tile.m);
    const double down = std::ceil(static_cast<double>(n) / tile.n);
    const double padded =
        static_cast<double>(m) * static_cast<double>(n) / (across * tile.m * down * tile.n);
    best = std::max(best, tile.speed * padded * Filled(across * down, sm_count));
    // A batch; or sums that were split because there are too few blocks, which costs a second pass.
    best = std::max(best,
                    tile.speed * padded * kSplitSpeed * Filled(across * down * slices, sm_count));
  }
  return std::clamp(best, 0.01, 1.0);
}

std::optional<TimeEstimate> OnTensorCores(const MatrixWork& work, const MatrixMachine& machine,
                                          Precision to) {
  const GpuPeaks& peaks = machine.peaks;
  const Precision from =
      work.tensor_cores && work.precision == Precision::kFp32 ? Precision::kTf32 : work.precision;
  if (!peaks.has_tensor_cores || !Changes(work, to)) return std::nullopt;
  const auto peak_now = peaks.Of(from), peak_then = peaks.Of(to);
  if (!peak_now || !peak_then || *peak_then <= *peak_now) return std::nullopt;

  const double waves_now = WavesNow(work, machine);
  double reached = ReachedShare(peaks, to, true) * WavesThen(work, machine, waves_now) /
                   (ReachedShare(peaks, from, work.tensor_cores) * waves_now);
  if (!work.tensor_cores) reached *= InnerEfficiency(work);
  const double ratio = *peak_then / *peak_now / (work.winograd ? kWinogradSaving : 1);
  const double fixed = std::min(machine.fixed_ns, work.ns);
  const double compute = ComputeShare(work, machine);
  const double fewer_bytes = BytesPerElement(to) / BytesPerElement(from);
  double floor = fixed;
  if (work.elements && machine.bytes_per_s) {
    floor = std::max(floor, *work.elements * BytesPerElement(to) / *machine.bytes_per_s * 1e9);
  }
  // Cool boards run above the clock that their data sheet states.
  constexpr double kAboveBoost = 1.1;
  if (work.flops) floor = std::max(floor, *work.flops / (*peak_then * kAboveBoost) * 1e9);
  auto at = [&](double share) {
    const double factor = std::max(1.0, ratio * reached * share);
    const double shrunk =
        fixed + (work.ns - fixed) * (compute / factor + (1 - compute) * fewer_bytes);
    return std::min(work.ns, std::max(shrunk, floor));
  };
  return TimeEstimate{at(1), at(kFasterBy), at(kSlowerBy)};
}

}  // namespace xsp
