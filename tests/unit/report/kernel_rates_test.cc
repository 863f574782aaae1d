#include <catch2/catch.hpp>

#include "report/summary/summary_kernels.h"
#include "tests/support/timeline.h"

namespace xsp {
namespace {

std::vector<SummaryKernel> KernelsOf(std::string_view timeline) {
  const Trace trace = test::MakeTrace(timeline);
  const Hierarchy hierarchy(trace);
  const std::vector<WorkPiece> pieces = WorkIn(trace, {{0, 1'000'000'000}}, nullptr);
  return GroupKernels(hierarchy, pieces, NameForm::kShort, Unit());
}

// 2 x 1000 x 2000 x 500 flop in a millisecond.
constexpr std::string_view kProduct = R"(
  T1    0-100         push "aten::mm, seq = 5, sizes = [[1000, 2000], [2000, 500]]"
  T1   10-20          api cudaLaunchKernel #1
  S7   50-1000050     kernel ampere_sgemm_128x64_tn #1 grid=8x8x1
)";

TEST_CASE("recorded sizes tell how fast a matrix product is") {
  const std::vector<SummaryKernel> rows = KernelsOf(kProduct);
  REQUIRE(rows.size() == 1);
  REQUIRE(rows[0].FlopRate());
  CHECK(*rows[0].flops == 2e9);
  CHECK(*rows[0].FlopRate() == Approx(2e12));
  CHECK(rows[0].precision == Precision::kFp32);
  CHECK(rows[0].blocks == 64);
}

TEST_CASE("a kernel of which only some calls are known has no rate") {
  const std::string partly = std::string(kProduct) + R"(
  T1   200-210        api cudaLaunchKernel #2
  S7   1000100-1900100 kernel ampere_sgemm_128x64_tn #2 grid=8x8x1
)";
  CHECK_FALSE(KernelsOf(partly)[0].flops);
  CHECK_FALSE(KernelsOf("S7 0-100 kernel ampere_sgemm_128x64_tn grid=8x8x1")[0].flops);
}

TEST_CASE("a share of the peak is shown where there can be one") {
  SummaryKernel row;
  row.total_ns = 1'000'000;
  CHECK(RateWords(row) == "");
  row.flops = 13.2e9;
  row.precision = Precision::kFp32;
  CHECK(RateWords(row) == "13.2 TFLOP/s");
  row.peak_flop_rate = 19.5e12;
  CHECK(RateWords(row) == "13.2 TFLOP/s (68 % fp32)");
  row.peak_flop_rate = 10e12;  // Then the sizes, or the GPU, are not what they seem.
  CHECK_FALSE(row.PeakShare());
  row.flops = 5e6;
  CHECK(RateWords(row) == "5.0 GFLOP/s (0 % fp32)");
}

}  // namespace
}  // namespace xsp
