#include "sim/models/memory_model.h"

#include <catch2/catch.hpp>

namespace xsp {
namespace {

constexpr char kUnary[] =
    "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, "
    "std::array<char*, 2ul>>(int, at::native::FillFunctor<float>, std::array<char*, 2ul>)";
constexpr char kOlder[] =
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
    "at::detail::Array<char*, 3>>(int, at::native::CUDAFunctor_add<float>, "
    "at::detail::Array<char*, 3>)";

TEST_CASE("operands of an elementwise kernel are in its template") {
  CHECK(ElementwiseOf(kUnary)->operands == 2);
  CHECK(ElementwiseOf(kOlder)->operands == 3);
  CHECK(ElementwiseOf(kOlder)->per_thread == 0);
}

TEST_CASE("demanglers write template arguments in different ways") {
  CHECK(ElementwiseOf("void at::native::vectorized_elementwise_kernel<(int)4, at::native::"
                      "CUDAFunctor_add<float>, std::array<char *, (unsigned long)3>>(int, "
                      "T2, T3)")
            ->operands == 3);
  CHECK(ElementwiseOf("void at::native::elementwise_kernel<(int)128, (int)2, F>(int, T3)")
            ->per_thread == 2);
}

TEST_CASE("elements of a thread are in the name of strided and unrolled kernels") {
  const auto strided = ElementwiseOf(
      "void at::native::elementwise_kernel<128, 2, "
      "at::native::gpu_kernel_impl<...>(int)>");
  CHECK(strided->per_thread == 2);
  CHECK(strided->operands == 0);
  CHECK(ElementwiseOf("void "
                      "at::native::unrolled_elementwise_kernel<at::native::direct_copy>")
            ->per_thread == 4);
  CHECK_FALSE(ElementwiseOf("void cutlass::Kernel<gemm>"));
  CHECK_FALSE(ElementwiseOf("elementwise_kernel<x"));
}

// So many kernels over 256 MB that reach `gb_per_s` when a thread handles `per_thread` elements.
std::vector<ElementwiseSample> Samples(double gb_per_s, std::uint32_t per_thread) {
  std::vector<ElementwiseSample> samples;
  for (int i = 0; i < 5; ++i) {
    ElementwiseSample sample;
    sample.kind = *ElementwiseOf(kUnary);
    sample.threads = 65536.0 * 128;
    const double bytes = 65536.0 * 128 * per_thread * 2 * 4;
    sample.ns = bytes / gb_per_s;
    samples.push_back(sample);
  }
  return samples;
}

TEST_CASE("bandwidth is read off the trace's own kernels") {
  const GpuPeaks t4 = *PeaksOfNamed("T4");
  const MemoryMachine newer = CalibrateMemory(Samples(256, 8), t4, 4e6, 2600);
  CHECK(newer.calibrated);
  CHECK(newer.per_thread == 8);
  CHECK(newer.bytes_per_s == Approx(256e9));
  // With 8 elements these would be faster than the memory.
  const MemoryMachine older = CalibrateMemory(Samples(256, 4), t4, 4e6, 2600);
  CHECK(older.per_thread == 4);
  CHECK(older.bytes_per_s == Approx(256e9));
}

TEST_CASE("without large kernels a usual share of the data sheet stands in") {
  const GpuPeaks t4 = *PeaksOfNamed("T4");
  const MemoryMachine machine = CalibrateMemory({}, t4, 4e6, 2600);
  CHECK_FALSE(machine.calibrated);
  CHECK(machine.bytes_per_s == Approx(0.82 * 320e9));
  // What fits into the cache tells nothing of the memory.
  CHECK_FALSE(CalibrateMemory(Samples(256, 8), t4, 1e9, 2600).calibrated);
}

// Six bytes per element: four read, two written.
TEST_CASE("a cast takes its bytes at the bandwidth that was found") {
  MemoryMachine t4 = CalibrateMemory(Samples(273, 8), *PeaksOfNamed("T4"), 4e6, 2600);
  CHECK(t4.StreamNs(6.0 * 2048 * 784) / 1e3 == Approx(35.3).epsilon(0.02));
  CHECK(t4.StreamNs(6.0 * 2048) == 2600);
  CHECK(t4.ElementsOf(*ElementwiseOf(kUnary), 1568 * 128) == 2048 * 784);
}

TEST_CASE("the fixed time of kernels is what the shortest take") {
  std::vector<double> times;
  for (int i = 0; i < 100; ++i) times.push_back(2000 + 100 * i);
  CHECK(FixedKernelNs(times) == 2500);
  std::vector<double> none;
  CHECK(FixedKernelNs(none) == 0);
  std::vector<double> is_long(10, 1e6);
  CHECK(FixedKernelNs(is_long) == 4000);
}

}  // namespace
}  // namespace xsp
