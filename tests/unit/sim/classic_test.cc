#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tests/unit/sim/text_workbench.h"

// The Daydream paper's own rules (ATC'20) against the figures that it printed. Where all inputs of
// a figure are printed, --classic gives the published prediction; where one is not, what is said is
// what holds for every value of it. Times are milliseconds of one iteration.
namespace xsp {
namespace {

using test::TextWorkbench;

constexpr std::int64_t kMs = 1'000'000;

// Lines of a timeline, as tests/support/timeline.h reads them.
class Program {
 public:
  // The GPU's span begins with an operation that takes next to nothing.
  Program() {
    Line("T1", 0, 100, "api cudaMemsetAsync #9999999");
    Line("S7", 150, 200, "memset #9999999 bytes=64");
  }
  // A launch at `host`, and its kernel.
  void Launch(std::int64_t host, std::int64_t takes, std::int64_t begin, std::int64_t end,
              const std::string& name) {
    const std::string id = " #" + std::to_string(++launches_);
    Line("T1", host, host + takes, "api cudaLaunchKernel" + id);
    Line("S7", begin, end, "kernel " + name + id);
  }
  void Line(std::string_view track, std::int64_t begin, std::int64_t end, const std::string& what) {
    text_ += std::string(track) + " " + std::to_string(begin) + "-" + std::to_string(end) + " " +
             what + "\n";
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  int launches_ = 0;
};

double ClassicMs(const TextWorkbench& bench, std::string_view name, std::string_view values = "") {
  const WhatIf* whatif = FindWhatIf(name);
  REQUIRE(whatif != nullptr);
  const ChosenWhatIf chosen{whatif, WhatIfValues(whatif->name, whatif->options, values)};
  const std::optional<DurationNs> classic = bench.bench().RunClassic({&chosen, 1});
  REQUIRE(classic);
  return static_cast<double>(*classic) / kMs;
}

// A model of the data-parallel panels. Predictions for 2, 3, 4, 6 and 8 GPUs, where they are bound
// by the network: the iteration is what comes before the first gradients and behind the last sum,
// and the sums in between, one behind the other.
struct Panel {
  std::string_view model;
  int iteration;  // On one GPU, as printed.
  int open;       // Of it before the first gradients and behind the last sum.
  int megabytes;  // Of gradients at the bandwidth by its name.
  std::string_view network;
  std::array<int, 5> published;
};

constexpr std::array<int, 5> kGpus = {2, 3, 4, 6, 8};
constexpr Panel kPanels[] = {
    {"BERT-large", 452, 295, 1485, "10Gbit", {1483, 1879, 2077, 2275, 2372}},
    {"BERT-large", 452, 295, 1485, "20Gbit", {888, 1086, 1188, 1284, 1335}},
    {"BERT-base", 313, 192, 487, "10Gbit", {582, 712, 776, 839, 874}},
    {"GNMT", 214, 98, 754, "10Gbit", {701, 902, 1004, 1103, 1154}},
};

// All is launched at once: the GPU is the limit.
std::string TrainingOf(const Panel& panel) {
  constexpr std::int64_t kFirst = 20, kUpdate = 30;  // The first of the backward pass; the update.
  Program program;
  std::int64_t gpu = 1'000;
  std::int64_t host = 1'000;
  auto kernel = [&](std::string_view name, std::int64_t ms) {
    program.Launch(host, 1'000, gpu + 20'000, gpu + 20'000 + ms * kMs, std::string(name));
    gpu += ms * kMs;
    host += 2'000;
  };
  kernel("volta_sgemm_nn", panel.open - kFirst - kUpdate);
  const std::int64_t backward = host - 500;
  kernel("volta_sgemm_nt", kFirst);
  const std::int64_t hidden = panel.iteration - panel.open;
  kernel("volta_sgemm_nt", hidden / 2);
  kernel("volta_sgemm_nt", hidden - hidden / 2);
  program.Line("T1", 900, backward - 100, "push forward");
  program.Line("T1", backward, host - 500, "push backward");
  const std::int64_t update = host - 400;
  kernel("multi_tensor_apply_kernel", kUpdate);
  program.Line("T1", update, host, "push optimizer");
  return program.text();
}

TEST_CASE("the paper's data-parallel rule gives the paper's predictions") {
  for (const Panel& panel : kPanels) {
    const TextWorkbench bench(TrainingOf(panel));
    const std::string values = ",network=" + std::string(panel.network) +
                               ",parameters=" + std::to_string(panel.megabytes * 250'000LL);
    for (std::size_t i = 0; i < kGpus.size(); ++i) {
      CAPTURE(panel.model, panel.network, kGpus[i]);
      const std::string gpus = "gpus=" + std::to_string(kGpus[i]);
      const double ms = ClassicMs(bench, "ddp", gpus + values);
      CHECK(ms == Approx(panel.published[i]).epsilon(0.005));
      // One ring over all GPUs: how they stand in machines is the same to it.
      CHECK(ClassicMs(bench, "ddp", gpus + ",per-machine=2" + values) == Approx(ms));
    }
  }
}

TEST_CASE("the paper's data-parallel rule is linear in 2(n-1)/n where the network is the limit") {
  const TextWorkbench bench(TrainingOf(kPanels[0]));
  auto at = [&](int gpus) {
    return ClassicMs(bench, "ddp",
                     "network=10Gbit,parameters=371250000,gpus=" + std::to_string(gpus));
  };
  const double two = at(2), slope = (at(4) - two) / 0.5;
  CHECK(slope == Approx(1188).epsilon(0.001));
  for (const int gpus : {3, 6, 8, 16}) {
    CHECK(at(gpus) == Approx(two + slope * (2.0 * (gpus - 1) / gpus - 1)).epsilon(0.001));
  }
}

// Iteration, share of the update in it and number of its kernels are printed; how long such a
// kernel takes on the GPU is not, and must be one figure for both models.
struct Update {
  std::string_view model;
  int iteration;
  double share;
  int kernels;
  int published;
};

// The update is bound by its launches: the GPU waits for each.
std::string UpdateOf(const Update& update, std::int64_t kernel_ns) {
  const auto whole = static_cast<std::int64_t>(update.share * update.iteration * kMs);
  const std::int64_t body = update.iteration * kMs - whole;
  const std::int64_t each = whole / update.kernels;
  Program program;
  program.Launch(1'000, 1'000, 10'000, body - 10'000, "volta_sgemm_nn");
  program.Line("T1", 3'000, body - 5'000, "api cudaDeviceSynchronize #8888888");
  program.Line("T1", body - 4'000, body + whole + 1'000, "push optimizer");
  for (int i = 0; i < update.kernels; ++i) {
    const std::int64_t call = body + i * each;
    program.Launch(call, 6'000, call + 8'000, call + 8'000 + kernel_ns,
                   "vectorized_elementwise_kernel");
  }
  return program.text();
}

TEST_CASE("the paper's FusedAdam leaves one kernel as long as all that it replaces") {
  constexpr Update kModels[] = {{"BERT-base", 315, 0.30, 2633, 262},
                                {"BERT-large", 363, 0.45, 5164, 273}};
  constexpr std::int64_t kKernel = 15'000;
  for (const Update& update : kModels) {
    CAPTURE(update.model);
    const TextWorkbench bench(UpdateOf(update, kKernel));
    const double sum = static_cast<double>(update.kernels * kKernel) / kMs;
    const double ms = ClassicMs(bench, "fused-optimizer");
    CHECK(ms == Approx(update.iteration * (1 - update.share) + sum).epsilon(0.003));
    CHECK(ms == Approx(update.published).epsilon(0.02));
  }
}

// `matrix` of ten kernels are what the paper takes for matrix work; a launch takes `launch`.
std::string MixedOf(int matrix, std::int64_t launch) {
  constexpr std::int64_t kKernel = 10 * kMs;
  Program program;
  std::int64_t begin = 20'000;
  for (int i = 0; i < 10; ++i) {
    const std::int64_t call = 1'000 + i * launch;
    begin = std::max(begin, call + launch + 10'000);
    program.Launch(call, launch - 100, begin, begin + kKernel,
                   i < matrix ? "volta_sgemm_nn" : "softmax_warp_forward");
    begin += kKernel + 1'000;
  }
  return program.text();
}

TEST_CASE("the paper's AMP lies between all kernels halved and all divided by three") {
  for (const std::int64_t launch : {2'000L, 4'000'000L, 12'000'000L}) {
    const double halves = ClassicMs(TextWorkbench(MixedOf(0, launch)), "amp");
    const double thirds = ClassicMs(TextWorkbench(MixedOf(10, launch)), "amp");
    double last = halves;
    for (int matrix = 1; matrix < 10; ++matrix) {
      CAPTURE(launch, matrix);
      const double ms = ClassicMs(TextWorkbench(MixedOf(matrix, launch)), "amp");
      CHECK(ms <= last + 0.001);
      CHECK(ms >= thirds - 0.001);
      last = ms;
    }
  }
}

TEST_CASE("the paper's AMP divides the GPU's time and leaves the host as it is") {
  // Nobody waits for the host: 100 ms of kernels, of which 40 are matrix work.
  CHECK(ClassicMs(TextWorkbench(MixedOf(4, 2'000)), "amp") == Approx(40 / 3.0 + 30).epsilon(0.002));
  // A launch takes longer than its kernel: what is left is the last kernel, halved.
  const TextWorkbench host_bound(MixedOf(4, 12 * kMs));
  const double now = static_cast<double>(host_bound.Run("--faster=name=*,by=1").measured) / kMs;
  CHECK(ClassicMs(host_bound, "amp") == Approx(now - 5).epsilon(0.002));
}

}  // namespace
}  // namespace xsp
