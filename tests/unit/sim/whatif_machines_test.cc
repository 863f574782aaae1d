#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/error.h"
#include "tests/unit/sim/text_workbench.h"

// What-ifs of several GPUs, and of layers that a file replaces. Bandwidths are such that a megabyte
// takes 100 us.
namespace xsp {
namespace {

using test::TextWorkbench;

double DeviceUs(const Forecast& forecast, std::size_t change) {
  return static_cast<double>(forecast.changes.at(change).device_after) / 1000;
}
double GainedUs(const Forecast& forecast) {
  return static_cast<double>(forecast.measured - forecast.forecast) / 1000;
}

// Forward 100, backward 200, of which the product makes all gradients.
constexpr std::string_view kTraining = R"(
    T1  0-100        api cudaMemsetAsync #99
    S7  150-10000    memset #99 bytes=64
    T1  200-4000       push forward
    T1  1000-2000    api cudaLaunchKernel #1
    T1  5000-9000    push backward
    T1  6000-7000    api cudaLaunchKernel #2
    S7  10000-110000  kernel volta_sgemm_128x64_nn #1 grid=8x8x1 block=128x1x1
    S7  110000-310000 kernel volta_sgemm_128x64_nt #2 grid=8x8x1 block=128x1x1)";

TEST_CASE("compressed gradients send values with their places and cost passes over memory") {
  WorkbenchOptions options;
  options.peaks.bytes_per_s = 1e12;
  const Forecast forecast = TextWorkbench(R"(
    T1  0-100        api cudaMemsetAsync #99
    S7  150-10000    memset #99 bytes=64
    T1  200-1000       api cudaLaunchKernel #1
    S7  10000-1030000  kernel ncclDevKernel_AllReduce_Sum_f32_RING_LL #1)",
                                          options)
                                .Run("--dgc=share=10%,latency=20us,parameters=1000000");
  REQUIRE(forecast.applies);
  CHECK(DeviceUs(forecast, 0) == Approx(20 + 1000 * 0.1 * 2));
  CHECK(DeviceUs(forecast, 1) == Approx(4e6 * 6 / 0.82e12 * 1e6).epsilon(0.01));
  CHECK(GainedUs(forecast) == Approx(1020 - 220 - 29).margin(10));
}

TEST_CASE("there is nothing to compress on one GPU") {
  const Forecast forecast = TextWorkbench(kTraining).Run("--dgc");
  CHECK_FALSE(forecast.applies);
  CHECK(forecast.reason.find("--ddp") != std::string::npos);
  // But there is behind --ddp.
  CHECK(TextWorkbench(kTraining)
            .Run("--ddp=gpus=4,parameters=1000000 --dgc=parameters=1000000")
            .reason.empty());
}

TEST_CASE("BlueConnect exchanges in four stages") {
  const Forecast forecast = TextWorkbench(kTraining).Run(
      "--blueconnect=gpus=4,per-machine=2,link=10GB,network=10GB,parameters=1000000");
  REQUIRE(forecast.applies);
  CHECK(forecast.changes.front().inserted == 4);
  // 4 MB: half of them inside, a quarter between, each way; 3 and 10 us for a step of a ring.
  CHECK(DeviceUs(forecast, 0) == Approx(2 * (200 + 3) + 2 * (100 + 10)));
  CHECK(GainedUs(forecast) == Approx(-626).margin(40));
  CHECK(forecast.work == 4);
}

TEST_CASE("BlueConnect needs machines of several GPUs") {
  CHECK_FALSE(TextWorkbench(kTraining).Run("--blueconnect=gpus=8,per-machine=8").applies);
  CHECK_FALSE(TextWorkbench(kTraining).Run("--blueconnect=gpus=8,per-machine=1").applies);
}

TEST_CASE("FSDP gathers weights twice and scatters gradients once") {
  const Forecast forecast =
      TextWorkbench(kTraining).Run("--fsdp=gpus=2,units=1,link=10GB,parameters=1000000");
  REQUIRE(forecast.applies);
  CHECK(DeviceUs(forecast, 0) == Approx(2 * (200 + 3)));
  CHECK(DeviceUs(forecast, 1) == Approx(200 + 3));
  CHECK(GainedUs(forecast) == Approx(-609).margin(40));
  // Half of moments and gradients; the only piece of the weights is always in use.
  REQUIRE(forecast.memory_bytes);
  CHECK(*forecast.memory_bytes == Approx(-6e6));
}

TEST_CASE("ZeRO without shared weights gathers them once") {
  const Forecast forecast =
      TextWorkbench(kTraining).Run("--fsdp=gpus=2,stage=1,units=1,link=10GB,parameters=1000000");
  CHECK(DeviceUs(forecast, 0) == Approx(200 + 3));
  CHECK(*forecast.memory_bytes == Approx(-4e6));
  CHECK_THROWS_AS(TextWorkbench(kTraining).Run("--fsdp=stage=4"), Error);
}

constexpr std::string_view kSteps = R"(
    T1  0-100        api cudaMemsetAsync #99
    S7  150-10000    memset #99 bytes=64
    T1  200-10000      push "step 1"
    T1  500-4000     push forward
    T1  1000-2000    api cudaLaunchKernel #1
    T1  5000-9000    push backward
    T1  6000-7000    api cudaLaunchKernel #2
    T1  20000-30000  push "step 2"
    T1  20500-24000  push forward
    T1  21000-22000  api cudaLaunchKernel #3
    T1  25000-29000  push backward
    T1  26000-27000  api cudaLaunchKernel #4
    S7  10000-110000  kernel volta_sgemm_128x64_nn #1 grid=8x8x1 block=128x1x1
    S7  110000-310000 kernel volta_sgemm_128x64_nt #2 grid=8x8x1 block=128x1x1
    S7  310000-410000 kernel volta_sgemm_128x64_nn #3 grid=8x8x1 block=128x1x1
    S7  410000-610000 kernel volta_sgemm_128x64_nt #4 grid=8x8x1 block=128x1x1)";

TEST_CASE("P3 sends slices on while others come back") {
  // The span is taken as one step: all gradients of both are 4 MB.
  const auto gained = [](const char* slice) {
    const Forecast forecast = TextWorkbench(kSteps).Run(
        std::string("--p3=network=10GB,parameters=1000000,slice=") + slice);
    REQUIRE(forecast.applies);
    return GainedUs(forecast);
  };
  // 2 MB of each step, there and back in one piece: 400 us, twice.
  CHECK(gained("4MB") == Approx(-800).margin(40));
  // In four pieces the way back begins after the first: 250 us, twice.
  CHECK(gained("500KB") == Approx(-500).margin(60));
}

TEST_CASE("P3 sends what the next forward pass needs first before the rest") {
  // Two layers, 100 us each; the gradients of the second one come first. 2 MB each in slices of
  // 50 us. In the order of coming the first layer's weights are back 100 us later than they are
  // when they overtake the rest of the second one's.
  const TextWorkbench bench(R"(
    T1  0-10         api cudaMemsetAsync #99
    S7  150-10000    memset #99 bytes=64
    T1  100-10000    push "step 1"
    T1  500-4000     push forward
    T1  1000-1500    api cudaLaunchKernel #1
    T1  2000-2500    api cudaLaunchKernel #2
    T1  5000-9000    push backward
    T1  6000-6500    api cudaLaunchKernel #3
    T1  7000-7500    api cudaLaunchKernel #4
    T1  20000-30000  push "step 2"
    T1  20500-24000  push forward
    T1  21000-21500  api cudaLaunchKernel #5
    T1  22000-22500  api cudaLaunchKernel #6
    T1  25000-29000  push backward
    T1  26000-26500  api cudaLaunchKernel #7
    S7  10000-110000  kernel volta_sgemm_128x64_nn #1
    S7  110000-210000 kernel volta_sgemm_128x64_nn #2
    S7  210000-310000 kernel volta_sgemm_128x64_nt #3 grid=8x8x1 block=128x1x1
    S7  310000-410000 kernel volta_sgemm_128x64_nt #4 grid=8x8x1 block=128x1x1
    S7  410000-510000 kernel volta_sgemm_128x64_nn #5
    S7  510000-610000 kernel volta_sgemm_128x64_nn #6
    S7  610000-620000 kernel elementwise_kernel #7)");
  const std::string options = "--p3=network=10GB,parameters=1000000,slice=500KB,priorities=";
  const double first = GainedUs(bench.Run(options + "yes"));
  const double in_order = GainedUs(bench.Run(options + "no"));
  CHECK(first == Approx(in_order + 100).margin(20));
}

TEST_CASE("P3 needs a next step") {
  CHECK_FALSE(TextWorkbench(kTraining).Run("--p3=parameters=1000000").applies);
}

TEST_CASE("tensor parallelism divides products and reduces activations twice a layer") {
  const std::string_view attention = R"(
    T1  0-100        api cudaMemsetAsync #99
    S7  150-10000    memset #99 bytes=64
    T1  200-1000       api cudaLaunchKernel #1
    T1  2000-3000    api cudaLaunchKernel #2
    T1  4000-5000    api cudaLaunchKernel #3
    S7  10000-110000  kernel ampere_sgemm_128x64_tn #1
    S7  110000-210000 kernel softmax_warp_forward #2
    S7  210000-310000 kernel ampere_sgemm_128x64_nn #3)";
  const Forecast forecast =
      TextWorkbench(attention).Run("--tensor-parallel=gpus=2,tokens=1000,hidden=1000,link=10GB");
  REQUIRE(forecast.applies);
  // What a kernel costs at least, 4 us, is not divided.
  CHECK(DeviceUs(forecast, 0) == Approx(3 * (4 + 96 / 2 / 0.9)));
  // 4 MB in a ring of two: 400 us and two steps of 3 us.
  CHECK(forecast.changes[1].inserted == 2);
  CHECK(DeviceUs(forecast, 1) == Approx(2 * 406));
  CHECK_FALSE(TextWorkbench(attention).Run("--tensor-parallel").applies);
  CHECK_FALSE(TextWorkbench(kTraining).Run("--tensor-parallel=tokens=10,hidden=10").applies);
}

TEST_CASE("a pipeline of p stages and m micro-batches takes m + p - 1 of m p") {
  const Forecast forecast = TextWorkbench(kTraining).Run("--pipeline=stages=2,micro=4");
  REQUIRE(forecast.applies);
  // 5/8 of the work, and 4 us of each kernel for each of 5 micro-batches over 2 stages.
  CHECK(DeviceUs(forecast, 0) == Approx(2 * 4 * 2.5 + (96 + 196) * 0.625));
  CHECK_FALSE(TextWorkbench(kTraining).Run("--pipeline=stages=1").applies);
}

// Tests run at the same time, each as a process of its own: each has a file of its own.
class File {
 public:
  File(const std::string& name, std::string_view text)
      : path_(std::filesystem::temp_directory_path() / ("xsp_metaflow_" + name + ".json")) {
    std::ofstream(path_) << text;
  }
  ~File() { std::filesystem::remove(path_); }
  std::string option() const { return "--metaflow=" + path_.string(); }

 private:
  std::filesystem::path path_;
};

TEST_CASE("substitutions replace runs of kernels by what a file says") {
  const File file("runs", R"({"substitutions": [
      {"what": "both products", "select": {"name": "*sgemm*"}, "with": [{"name": "one", "us": 50},
                                                                       {"us": 30}]}]})");
  const Forecast forecast = TextWorkbench(kTraining).Run(file.option());
  REQUIRE(forecast.applies);
  CHECK(forecast.changes.front().removed == 2);
  CHECK(forecast.changes.front().inserted == 2);
  CHECK(DeviceUs(forecast, 0) == Approx(80));
  CHECK(GainedUs(forecast) == Approx(220).margin(10));
}

TEST_CASE("substitutions that fit nothing do not apply and wrong files are told by path") {
  {
    const File file("nothing",
                    R"({"substitutions": [{"select": {"name": "no such"}, "with": []}]})");
    CHECK_FALSE(TextWorkbench(kTraining).Run(file.option()).applies);
  }
  {
    const File file("wrong",
                    R"({"substitutions": [{"select": {"name": "*"}, "with": [{"us": "long"}]}]})");
    try {
      TextWorkbench(kTraining).Run(file.option());
      FAIL("no error");
    } catch (const Error& error) {
      CHECK(std::string(error.what()).find("substitutions[0].with[0].us") != std::string::npos);
    }
  }
  CHECK_THROWS_AS(TextWorkbench(kTraining).Run("--metaflow"), Error);
  CHECK_THROWS_AS(TextWorkbench(kTraining).Run("--metaflow=/nonexistent.json"), Error);
}

}  // namespace
}  // namespace xsp
