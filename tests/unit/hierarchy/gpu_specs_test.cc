#include "hierarchy/hardware/gpu_specs.h"

#include <catch2/catch.hpp>

namespace xsp {
namespace {

Gpu Described(std::uint32_t capability, std::uint32_t sms, double ghz, double gb_per_s) {
  Gpu gpu;
  gpu.compute_major = capability / 10;
  gpu.compute_minor = capability % 10;
  gpu.sm_count = sms;
  gpu.clock_hz = static_cast<std::uint64_t>(ghz * 1e9);
  gpu.memory_bandwidth = static_cast<std::uint64_t>(gb_per_s * 1e9);
  return gpu;
}

TEST_CASE("the peak of a GPU comes from its multiprocessors and clock") {
  Gpu gpu = Described(70, 80, 1.53, 900);
  CHECK(*PeaksOf(gpu, "").fp32 == Approx(15.67e12).epsilon(1e-3));
  CHECK(*PeaksOf(gpu, "").IdealIntensity() == Approx(17.41).margin(0.01));
  gpu.compute_major = 9;
  CHECK(*PeaksOf(gpu, "").fp32 == Approx(2 * 15.67e12).epsilon(1e-3));
}

TEST_CASE("a GPU that the trace does not describe has no peak") {
  const GpuPeaks peaks = PeaksOf(Gpu{}, "");
  CHECK_FALSE(peaks.fp32);
  CHECK_FALSE(peaks.Of(Precision::kFp16));
  CHECK_FALSE(peaks.IdealIntensity());
  CHECK_FALSE(peaks.has_tensor_cores);
}

// Tflop/s as the data sheets print them, dense, fp32 accumulation; GB/s.
struct Sheet {
  const char* name;
  double fp32, fp16, tf32, fp8, gb_per_s;
};

TEST_CASE("peaks of the table are those of the data sheets") {
  const Sheet sheets[] = {{"P4000", 5.3, 0, 0, 0, 243},
                          {"P100 PCIe", 9.3, 18.7, 0, 0, 732},
                          {"V100 SXM2", 15.7, 125, 0, 0, 900},
                          {"V100-PCIE-16GB", 14.0, 112, 0, 0, 900},
                          {"Tesla T4", 8.1, 65, 0, 0, 320},
                          {"RTX 2080 Ti", 13.4, 53.8, 0, 0, 616},
                          {"Quadro RTX 6000", 16.3, 130.5, 0, 0, 672},
                          {"A10", 31.2, 125, 62.5, 0, 600},
                          {"A10G", 35, 70, 35, 0, 600},
                          {"A30", 10.3, 165, 82, 0, 933},
                          {"A40", 37.4, 149.7, 74.8, 0, 696},
                          {"RTX A6000", 38.7, 154.8, 77.4, 0, 768},
                          {"GeForce RTX 3090", 35.6, 71, 35.6, 0, 936},
                          {"A100-SXM4-40GB", 19.5, 312, 156, 0, 1555},
                          {"A100 80GB PCIe", 19.5, 312, 156, 0, 1935},
                          {"A100-SXM4-80GB", 19.5, 312, 156, 0, 2039},
                          {"L4", 30.3, 121, 60, 242, 300},
                          {"L40S", 91.6, 362, 183, 733, 864},
                          {"RTX 4090", 82.6, 165.2, 82.6, 330.3, 1008},
                          {"RTX 5090", 104.8, 209.5, 104.8, 419, 1792},
                          {"H100 PCIe", 51, 756, 378, 1513, 2000},
                          {"H100 80GB HBM3", 67, 989, 494.5, 1979, 3350},
                          {"H100 NVL", 60, 835, 418, 1671, 3900},
                          {"H200", 67, 989, 494.5, 1979, 4800},
                          {"GH200 480GB", 67, 989, 494.5, 1979, 4000},
                          {"B200", 80, 2250, 1125, 4500, 8000},
                          {"GB200", 80, 2500, 1250, 5000, 8000},
                          {"AMD Instinct MI100", 23.1, 184.6, 46.1, 0, 1229},
                          {"AMD Instinct MI250", 22.6, 181, 45.3, 0, 1638},
                          {"AMD Instinct MI300A", 122.6, 980.6, 490.3, 1961, 5300},
                          {"AMD Instinct MI355X", 157.3, 2500, 0, 5000, 8000},
                          {"AMD Instinct MI300X", 163.4, 1307, 653.7, 2615, 5300}};
  for (const Sheet& sheet : sheets) {
    CAPTURE(sheet.name);
    const auto peaks = PeaksOfNamed(sheet.name);
    REQUIRE(peaks);
    constexpr double kRounding = 0.03;
    constexpr double kBlackwellClock = 0.08;  // Its fp32 rate is stated at a clock of its own.
    const bool is_blackwell = peaks->capability == 100;
    CHECK(*peaks->fp32 / 1e12 ==
          Approx(sheet.fp32).epsilon(is_blackwell ? kBlackwellClock : kRounding));
    CHECK(peaks->fp16.value_or(0) / 1e12 == Approx(sheet.fp16).epsilon(kRounding));
    CHECK(peaks->tf32.value_or(0) / 1e12 == Approx(sheet.tf32).epsilon(kRounding));
    CHECK(peaks->fp8.value_or(0) / 1e12 == Approx(sheet.fp8).epsilon(kRounding));
    CHECK(*peaks->bytes_per_s / 1e9 == Approx(sheet.gb_per_s));
    CHECK(peaks->from_table);
  }
}

TEST_CASE("a GPU is found by the longest model in its name, then by variant") {
  auto name = [](std::string_view text) { return std::string(FindGpuSpec(text)->name); };
  CHECK(name("NVIDIA GeForce RTX 3070 Ti") == "RTX 3070 Ti");
  CHECK(name("NVIDIA GeForce RTX 3070") == "RTX 3070");
  CHECK(name("NVIDIA H100 80GB HBM3") == "H100 SXM");
  CHECK(name("NVIDIA H100 PCIe") == "H100 PCIe");
  CHECK(name("h100") == "H100 SXM");
  CHECK(name("NVIDIA RTX 5000 Ada Generation Laptop GPU") == "RTX 5000 Ada");
  CHECK(name("NVIDIA A30 MIG 2g.12gb") == "A30");
  CHECK(FindGpuSpec("Microsoft Basic Render Driver") == nullptr);
  CHECK(FindGpuSpec("") == nullptr);
}

TEST_CASE("where the name does not tell the variant, memory and bandwidth do") {
  Gpu gpu;
  gpu.memory_bytes = 42297524224;
  CHECK(std::string(FindGpuSpec("NVIDIA A100-PG509-200", gpu)->name) == "A100 40GB SXM");
  gpu.memory_bytes = 85000000000;
  CHECK(std::string(FindGpuSpec("NVIDIA A100-PG509-200", gpu)->name) == "A100 80GB SXM");
}

TEST_CASE("what the trace says of its own GPU goes before the table") {
  const GpuPeaks laptop =
      PeaksOf(Described(89, 24, 1.89, 256.032), "NVIDIA GeForce RTX 4060 Laptop GPU");
  CHECK(*laptop.fp32 == Approx(256.0 * 24 * 1.89e9));
  CHECK(*laptop.fp16 == Approx(512.0 * 24 * 1.89e9));
  CHECK(*laptop.bytes_per_s == Approx(256.032e9));
  // A slice of a GPU has its own multiprocessors.
  const GpuPeaks slice = PeaksOf(Described(80, 28, 1.44, 466.56), "NVIDIA A30 MIG 2g.12gb");
  CHECK(*slice.fp16 == Approx(165e12 / 2).epsilon(0.01));
}

TEST_CASE("small Turing chips have no tensor cores") {
  const GpuPeaks peaks = PeaksOf(Described(75, 16, 1.56, 128), "NVIDIA GeForce GTX 1650");
  CHECK_FALSE(peaks.has_tensor_cores);
  CHECK(*peaks.fp16 == Approx(2 * *peaks.fp32));
  CHECK_FALSE(peaks.bf16);
}

TEST_CASE("bf16 and tf32 come with compute capability 8.0") {
  CHECK_FALSE(PeaksOf(Described(75, 40, 1.59, 320), "Tesla T4").bf16);
  CHECK_FALSE(PeaksOf(Described(70, 80, 1.53, 900), "").tf32);
  CHECK(PeaksOf(Described(80, 108, 1.41, 1555), "").bf16);
}

TEST_CASE("a GeForce card that the table does not know is halved like its kin") {
  const GpuPeaks peaks = PeaksOf(Described(89, 20, 2.0, 192), "NVIDIA GeForce RTX 4055");
  CHECK(*peaks.fp16 == Approx(512.0 * 20 * 2e9));
}

TEST_CASE("a GPU newer than the table is at least what came before") {
  CHECK(PeaksOf(Described(121, 48, 2.0, 273), "").has_tensor_cores);
}

TEST_CASE("the last word of a name is enough") {
  REQUIRE(PeaksOfNamed("4090"));
  CHECK(PeaksOfNamed("4090")->name == "RTX 4090");
  CHECK_FALSE(PeaksOfNamed("quantum"));
  CHECK_FALSE(PeaksOfNamed(""));
}

TEST_CASE("an AMD card is not taken for the NVIDIA one with the same number") {
  Gpu gpu = Described(94, 304, 2.1, 5300);
  gpu.threads_per_warp = 64;
  CHECK(*PeaksOf(gpu, "").fp16 == Approx(1307e12).epsilon(0.01));
  CHECK_FALSE(PeaksOf(Described(94, 304, 2.1, 5300), "").fp16);
}

}  // namespace
}  // namespace xsp
