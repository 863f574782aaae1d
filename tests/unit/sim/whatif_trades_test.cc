#include <catch2/catch.hpp>
#include <string>
#include <string_view>

#include "tests/unit/sim/text_workbench.h"

// What-ifs for programs that are no training: where data lies, what is allocated, how much of the
// GPU a kernel fills. The answers are worked out by hand from the lines.
namespace xsp {
namespace {

using test::TextWorkbench;

std::string At(int at, std::string_view lines) {
  std::string text;
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    const std::size_t first = line.find_first_of("0123456789", 2);
    if (first == line.npos) continue;
    const std::size_t dash = line.find('-', first);
    const std::size_t space = line.find(' ', dash);
    text += std::string(line.substr(0, first)) +
            std::to_string(at + std::stoi(std::string(line.substr(first)))) + "-" +
            std::to_string(at + std::stoi(std::string(line.substr(dash + 1)))) +
            std::string(line.substr(space)) + std::to_string(at) + "\n";
  }
  return text;
}

// `lines` so many times, a period apart. Each line ends with "#N", to which the time is added.
std::string Repeated(int count, int period, std::string_view lines) {
  std::string text;
  for (int i = 0; i < count; ++i) text += At(i * period, lines);
  return text;
}

// 1 MB in, a kernel of 100 us, 1 MB out; the host goes on at once.
constexpr std::string_view kInOut = R"(
T1 0-100000 api cudaMemcpy #1
S7 10000-90000 memcpy HtoD bytes=1000000 src=pageable dst=device #1
T1 105000-110000 api cudaLaunchKernel #2
S7 111000-211000 kernel solve #2
T1 115000-305000 api cudaMemcpy #3
S7 212000-292000 memcpy DtoH bytes=1000000 src=device dst=pageable #3)";

TEST_CASE("what goes to the host and back stays on the device") {
  const TextWorkbench text(Repeated(3, 310'000, kInOut));
  const Forecast forecast = text.Run("--keep-on-device");
  REQUIRE(forecast.applies);
  CHECK(forecast.measured == 902'000);
  // The first copy in, three kernels in a row, the last copy out, and what lies between them.
  CHECK(forecast.forecast > 480'000);
  CHECK(forecast.forecast < 500'000);
  REQUIRE(forecast.changes.size() == 1);
  CHECK(forecast.changes[0].what == "1 MB to the host and back");
  CHECK(forecast.changes[0].removed == 4);
  CHECK(forecast.cautions.empty());
}

TEST_CASE("what the host works on between does not stay on the device") {
  // 210 us between the read and the copy back: time enough to look at a megabyte.
  const Forecast forecast = TextWorkbench(Repeated(3, 510'000, kInOut)).Run("--keep-on-device");
  CHECK_FALSE(forecast.applies);
  CHECK(forecast.reason == "the host works between what it reads and what it copies back");
  const TextWorkbench in_only(R"(
    T1 0-100000       api cudaMemcpy #1
    S7 10000-90000    memcpy HtoD #1 bytes=1000000 src=pageable dst=device
    T1 110000-210000  api cudaMemcpy #2
    S7 120000-200000  memcpy HtoD #2 bytes=1000000 src=pageable dst=device)");
  CHECK(in_only.Run("--keep-on-device").reason ==
        "no buffer is read by the host and copied back to the device");
}

TEST_CASE("memory that is allocated once holds nobody in the loop") {
  // The release waits for the kernel: 180 us for each of 100 us.
  const TextWorkbench text(Repeated(6, 180'000, R"(
T1 0-60000 api cudaMalloc #1
T1 60000-65000 api cudaLaunchKernel #2
S7 66000-166000 kernel solve #2
T1 70000-170000 api cudaFree #3)"));
  const Forecast forecast = text.Run("--allocate-once");
  REQUIRE(forecast.applies);
  CHECK(forecast.measured == 1'000'000);
  CHECK(forecast.forecast > 600'000);
  CHECK(forecast.forecast < 620'000);
  REQUIRE(forecast.changes.size() == 2);
  CHECK(forecast.changes[0].removed == 5);  // The first one stays.
  CHECK(forecast.changes[1].what == "releases");
}

TEST_CASE("memory that is allocated before the work is allocated once already") {
  const Forecast forecast = TextWorkbench(R"(
    T1 0-60000       api cudaMalloc #1
    T1 60000-65000   api cudaLaunchKernel #2
    S7 66000-166000  kernel solve #2
    T1 70000-170000  api cudaFree #3)")
                                .Run("--allocate-once");
  CHECK_FALSE(forecast.applies);
  CHECK(forecast.reason == "memory is not allocated again and again in this part of the trace");
}

constexpr std::string_view kSmallCopies = R"(
    T1 0-5000         api cudaMemcpyAsync #1
    S7 6000-8000      memcpy HtoD #1 bytes=1000 src=pinned dst=device
    T1 20000-25000    api cudaMemcpyAsync #2
    S7 26000-28000    memcpy HtoD #2 bytes=1000 src=pinned dst=device
    T1 40000-45000    api cudaMemcpyAsync #3
    S7 46000-48000    memcpy HtoD #3 bytes=1000 src=pinned dst=device
    T1 60000-65000    api cudaMemcpyAsync #4
    S7 66000-68000    memcpy HtoD #4 bytes=1000 src=pinned dst=device
    T1 80000-85000    api cudaMemcpyAsync #5
    S7 86000-88000    memcpy HtoD #5 bytes=1000 src=pinned dst=device
    T1 100000-105000  api cudaLaunchKernel #6
    S7 106000-206000  kernel solve #6)";

TEST_CASE("small copies that follow each other become one") {
  const Forecast forecast = TextWorkbench(kSmallCopies).Run("--larger-copies");
  REQUIRE(forecast.applies);
  CHECK(forecast.measured == 200'000);
  // One copy of 1.3 us and five times 0.7 us; 15 us later the launch.
  CHECK(forecast.changes[0].device_before == 10'000);
  CHECK(forecast.changes[0].device_after == 4'800);
  CHECK(forecast.forecast == Approx(120'500).margin(1'000));
  CHECK_FALSE(TextWorkbench(Repeated(3, 310'000, kInOut)).Run("--larger-copies").applies);
}

// A kernel of 20 us and a flag of 4 bytes that the host waits for.
constexpr std::string_view kFlag = R"(
T1 0-5000 api cudaLaunchKernel #1
S7 6000-26000 kernel solve #1
T1 6000-35000 api cudaMemcpy #2
S7 27000-29000 memcpy DtoH bytes=4 src=device dst=pageable #2)";

TEST_CASE("of the reads of a flag every fourth stays") {
  const TextWorkbench text(Repeated(8, 40'000, kFlag));
  const Forecast forecast = text.Run("--read-every=4");
  REQUIRE(forecast.applies);
  CHECK(forecast.measured == 303'000);
  REQUIRE(!forecast.changes.empty());
  CHECK(forecast.changes[0].removed == 6);
  // Twice four kernels, a gap of 1 us between them, and a read; between the two the host.
  CHECK(forecast.forecast > 175'000);
  CHECK(forecast.forecast < 205'000);
  CHECK(forecast.forecast > text.Run("--no-sync").forecast);
  CHECK_FALSE(TextWorkbench(Repeated(3, 310'000, kInOut)).Run("--read-every").applies);
}

TEST_CASE("managed memory comes before the kernel begins") {
  const TextWorkbench text(R"(
    T1 0-5000         api cudaLaunchKernel #1
    S7 6000-1006000   kernel solve #1
    M  106000-506000  migration HtoD bytes=8000000)");
  const Forecast forecast = text.Run("--prefetch-managed=bandwidth=80GB");
  REQUIRE(forecast.applies);
  CHECK(forecast.measured == 1'000'000);
  // 100 us of copy, and the kernel without the 400 us in which pages came.
  CHECK(forecast.forecast == Approx(702'000).margin(8'000));
  CHECK(TextWorkbench(kSmallCopies).Run("--prefetch-managed").reason ==
        "no kernel waits for pages of managed memory");
}

// A GPU of 100 multiprocessors.
Trace OnHundred(std::string_view timeline) {
  TraceTables tables = test::MakeTrace(timeline).Release();
  Gpu gpu;
  gpu.cuda_ordinal = 0;
  gpu.sm_count = 100;
  tables.gpus = {gpu};
  for (Track& track : tables.tracks) {
    if (track.kind == TrackKind::kStream) track.gpu = GpuId(0);
  }
  return Trace(std::move(tables));
}

TEST_CASE("a kernel with too few blocks is divided further") {
  const TextWorkbench text(OnHundred(R"(
    T1 0-5000         api cudaLaunchKernel #1
    S7 6000-1006000   kernel solve #1 grid=10x1x1 block=256x1x1)"));
  // A tenth of the GPU works: a tenth of the time, or twice that where half of it is reached; the 4
  // us that any kernel takes stay.
  CHECK(text.Run("--fill-gpu=100%").forecast == 4'000 + 99'600);
  const Forecast forecast = text.Run("--fill-gpu");
  CHECK(forecast.forecast == 4'000 + 2 * 99'600);
  REQUIRE(forecast.changes.size() == 1);
  CHECK(forecast.changes[0].what == "10 blocks of 256 threads on 100 SMs");
}

TEST_CASE("a kernel that fills the GPU, and one of a library, are not divided further") {
  CHECK_FALSE(TextWorkbench(OnHundred(R"(
    T1 0-5000         api cudaLaunchKernel #1
    S7 6000-1006000   kernel solve #1 grid=200x1x1 block=256x1x1)"))
                  .Run("--fill-gpu")
                  .applies);
  CHECK_FALSE(TextWorkbench(OnHundred(R"(
    T1 0-5000         api cudaLaunchKernel #1
    S7 6000-1006000   kernel ampere_sgemm_128x64_nn #1 grid=10x1x1 block=256x1x1)"))
                  .Run("--fill-gpu")
                  .applies);
}

TEST_CASE("kernels that take as long with many blocks as with few are not divided further") {
  const auto launches = [](int time_of_large) {
    std::string text;
    for (int i = 0; i < 8; ++i) {
      const bool is_large = i % 2 == 1;
      const int at = i * 1'000'000, ns = is_large ? time_of_large : 100'000;
      text += "T1 " + std::to_string(at) + "-" + std::to_string(at + 5000) +
              " api cudaLaunchKernel #" + std::to_string(i + 1) + "\nS7 " +
              std::to_string(at + 6000) + "-" + std::to_string(at + 6000 + ns) + " kernel solve #" +
              std::to_string(i + 1) + " block=64x1x1 grid=" + (is_large ? "80x1x1" : "2x1x1") +
              "\n";
    }
    return TextWorkbench(OnHundred(text)).Run("--fill-gpu");
  };
  CHECK(launches(110'000).reason ==
        "its kernels take as long with many blocks as with few: each block's own work decides");
  CHECK(launches(400'000).applies);
}

TEST_CASE("small kernels of one name become one") {
  // Eight of 3 us, 10 us apart; a kernel takes 1 us at least, as the empty ones show.
  const TextWorkbench text(Repeated(4, 50'000, R"(
T1 0-5000 api cudaLaunchKernel #1
S7 6000-7000 kernel empty #1
T1 10000-15000 api cudaLaunchKernel #2
S7 16000-19000 kernel relax #2
T1 20000-25000 api cudaLaunchKernel #3
S7 26000-29000 kernel relax #3
T1 30000-35000 api cudaLaunchKernel #4
S7 36000-39000 kernel relax #4
T1 40000-45000 api cudaLaunchKernel #5
S7 46000-49000 kernel relax #5)"));
  const Forecast forecast = text.Run("--merge-kernels");
  REQUIRE(forecast.applies);
  CHECK(forecast.changes[0].removed == 16);
  CHECK(forecast.changes[0].inserted == 4);
  CHECK(forecast.changes[0].device_before == 48'000);
  CHECK(forecast.changes[0].device_after == 4 * (1'000 + 4 * 2'000));
  CHECK(forecast.forecast < forecast.measured / 2);
  CHECK_FALSE(TextWorkbench(kSmallCopies).Run("--merge-kernels").applies);
}

}  // namespace
}  // namespace xsp
