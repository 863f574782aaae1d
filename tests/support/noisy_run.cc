#include "tests/support/noisy_run.h"

#include <algorithm>
#include <random>

#include "tests/support/timeline.h"

namespace xsp::test {
namespace {

constexpr std::int64_t kKernelNs = 100'000;
constexpr std::int64_t kLaunchNs = 5'000;
constexpr std::int64_t kGapNs = 1'000;
constexpr const char* kKernels[] = {"ampere_sgemm_128x64_tn", "softmax_warp_forward",
                                    "vectorized_layer_norm_kernel", "ampere_sgemm_64x64_nn"};

class Writer {
 public:
  explicit Writer(const NoisyRun& run) : run_(run), random_(run.seed) {}

  Trace Write() {
    for (std::uint32_t step = 0; step <= run_.steps; ++step) WriteStep(step);
    return MakeTrace(text_);
  }

 private:
  double FactorOf(std::uint32_t step) {
    if (step == 0) return 3;  // Warm-up.
    std::normal_distribution<double> chance(0, run_.sigma);
    const double place = run_.steps < 2 ? 0 : (step - 1.0) / (run_.steps - 1.0) - 0.5;
    return std::max(0.2, (1 + run_.slower) * (1 + run_.drift * place + chance(random_)));
  }

  void Line(const std::string& line) { text_ += line + "\n"; }

  static std::string Times(std::int64_t begin, std::int64_t end) {
    return std::to_string(begin) + "-" + std::to_string(end);
  }

  void WriteKernel(std::uint32_t layer, std::uint32_t number, double factor) {
    // Kernels have noise of their own, which the sum over a step smooths.
    factor *= std::max(0.2, 1 + std::normal_distribution<double>(0, run_.sigma)(random_));
    double ns = factor * static_cast<double>(kKernelNs);
    if (run_.slow_layer == layer && number == 1) {
      ns += factor * run_.growth * static_cast<double>(kKernelNs * 4 * run_.layers);
    }
    const std::string correlation = " #" + std::to_string(++correlation_);
    Line("T1 " + Times(host_, host_ + kLaunchNs) + " api cudaLaunchKernel" + correlation);
    host_ += kLaunchNs;
    device_ = std::max(device_ + kGapNs, host_ + kGapNs);
    const auto end = device_ + static_cast<std::int64_t>(ns);
    const bool is_renamed = run_.renamed && layer == 0 && number == 0;
    Line("S7 " + Times(device_, end) + " kernel " +
         (is_renamed ? "ampere_sgemm_32x128_tn" : kKernels[number]) + correlation +
         " grid=64x1x1 block=128x1x1");
    device_ = end;
    host_ += kGapNs;
  }

  void WriteStep(std::uint32_t step) {
    const double factor = FactorOf(step);
    const std::int64_t begin = host_;
    for (std::uint32_t layer = 0; layer < run_.layers; ++layer) {
      const std::int64_t layer_begin = host_;
      for (std::uint32_t number = 0; number < 4; ++number) WriteKernel(layer, number, factor);
      Line("T1 " + Times(layer_begin, host_) + " push \"layer " + std::to_string(layer) + "\"");
      host_ += kGapNs;
    }
    const std::int64_t end = std::max(device_, host_) + 2 * kGapNs;
    const std::string correlation = " #" + std::to_string(++correlation_);
    Line("T1 " + Times(host_, end) + " api cudaStreamSynchronize" + correlation);
    Line("T1 " + Times(host_, end) + " sync stream=7" + correlation);
    Line("T1 " + Times(begin, end + kGapNs) + " push \"step " + std::to_string(step) + "\"");
    host_ = end + 2 * kGapNs;
  }

  const NoisyRun& run_;
  std::mt19937_64 random_;
  std::string text_;
  std::int64_t host_ = 1000;
  std::int64_t device_ = 0;
  std::uint32_t correlation_ = 0;
};

}  // namespace

Trace MakeNoisyRun(const NoisyRun& run) { return Writer(run).Write(); }

}  // namespace xsp::test
