#include "sim/models/matrix_model.h"

#include <catch2/catch.hpp>
#include <string>

namespace xsp {
namespace {

MatrixMachine Machine(const char* gpu, double fixed_ns = 2500) {
  MatrixMachine machine;
  machine.peaks = *PeaksOfNamed(gpu);
  machine.fixed_ns = fixed_ns;
  machine.bytes_per_s = 0.82 * *machine.peaks.bytes_per_s;
  return machine;
}

MatrixWork Simt(double us) {
  MatrixWork work;
  work.ns = us * 1e3;
  work.precision = Precision::kFp32;
  return work;
}

MatrixWork TensorCore(double us, Precision precision) {
  MatrixWork work = Simt(us);
  work.precision = precision;
  work.tensor_cores = true;
  return work;
}

double Factor(const MatrixWork& work, const MatrixMachine& machine, Precision to) {
  return work.ns / OnTensorCores(work, machine, to)->ns;
}

TEST_CASE("what multiplies in that format already does not change") {
  const MatrixMachine a100 = Machine("A100");
  CHECK_FALSE(OnTensorCores(TensorCore(500, Precision::kBf16), a100, Precision::kBf16));
  CHECK_FALSE(OnTensorCores(TensorCore(500, Precision::kFp16), a100, Precision::kBf16));
  CHECK_FALSE(OnTensorCores(TensorCore(500, Precision::kFp8), a100, Precision::kBf16));
  CHECK_FALSE(OnTensorCores(TensorCore(500, Precision::kTf32), a100, Precision::kTf32));
  MatrixWork doubles = Simt(500);
  doubles.precision = Precision::kFp64;
  CHECK_FALSE(OnTensorCores(doubles, a100, Precision::kBf16));
}

TEST_CASE("without tensor cores for the format nothing changes") {
  CHECK_FALSE(OnTensorCores(Simt(500), Machine("GTX 1080"), Precision::kFp16));
  CHECK_FALSE(OnTensorCores(Simt(500), Machine("P100"), Precision::kFp16));
  CHECK_FALSE(OnTensorCores(Simt(500), Machine("GTX 1650"), Precision::kFp16));
  CHECK_FALSE(OnTensorCores(Simt(500), Machine("V100"), Precision::kBf16));
  CHECK_FALSE(OnTensorCores(Simt(500), Machine("A100"), Precision::kFp8));
}

// fp32 and fp16 rates of large products, measured by others in PyTorch, Tflop/s.
TEST_CASE("large products gain what others measured on such GPUs") {
  struct Row {
    const char* gpu;
    double fp32, fp16;
  };
  const Row rows[] = {{"V100 PCIe", 13.55, 88.92}, {"A100 40GB", 18.11, 247.63},
                      {"RTX 2080 Ti", 11.4, 44.9}, {"RTX 3090", 24.46, 75.64},
                      {"RTX 3090 Ti", 21, 66},     {"B200", 66.24, 1627.6}};
  for (const Row& row : rows) {
    CAPTURE(row.gpu);
    const MatrixMachine machine = Machine(row.gpu);
    MatrixWork work = Simt(40000);
    work.blocks = 4096;
    work.shape = GemmShape{{128, 128}, 8192, 8192, 8192ull * 8192, 1};
    work.flops = 2.0 * 8192 * 8192 * 8192;
    work.ns = *work.flops / (row.fp32 * 1e12) * 1e9;
    const auto then = OnTensorCores(work, machine, Precision::kFp16);
    CHECK(work.ns / then->ns == Approx(row.fp16 / row.fp32).epsilon(0.2));
    CHECK(work.ns / then->fast_ns > row.fp16 / row.fp32);
    CHECK(work.ns / then->slow_ns < row.fp16 / row.fp32);
  }
}

// A T4 at a third of its clock: rates are far below the peak before and after.
TEST_CASE("products of everyday shapes gain less than large ones") {
  MatrixMachine t4 = Machine("T4", 2600);
  t4.best_rate = 2.73e12;
  struct Row {
    double us, m, n, k;
    std::uint32_t gx, gy, gz;
    double after_us;
  };
  const Row rows[] = {{676, 2048, 512, 784, 16, 8, 3, 129},
                      {861, 1024, 512, 2048, 8, 8, 5, 145},
                      {825, 2048, 512, 1024, 16, 8, 5, 149},
                      {785, 2048, 1024, 512, 16, 16, 2, 157},
                      {708, 784, 2048, 512, 7, 32, 1, 126}};
  double sum = 0, measured = 0;
  for (const Row& row : rows) {
    MatrixWork work = Simt(row.us);
    work.flops = 2 * row.m * row.n * row.k;
    work.elements = row.m * row.n + row.m * row.k + row.n * row.k;
    work.blocks = row.gx * row.gy * row.gz;
    work.shape = GemmShapeOf("volta_sgemm_128x64_tn", row.gx, row.gy, row.gz);
    const auto then = OnTensorCores(work, t4, Precision::kFp16);
    CAPTURE(row.us, row.after_us, then->ns);
    CHECK(then->ns / 1e3 == Approx(row.after_us).epsilon(0.15));
    CHECK(then->fast_ns / 1e3 < row.after_us);
    CHECK(then->slow_ns / 1e3 > row.after_us);
    sum += then->ns / 1e3;
    measured += row.after_us;
  }
  CHECK(sum == Approx(measured).epsilon(0.1));
}

TEST_CASE("a product of a few columns gains little more than its bytes") {
  MatrixMachine t4 = Machine("T4", 2600);
  t4.best_rate = 2.73e12;
  MatrixWork work = Simt(31);
  work.flops = 2.0 * 512 * 1024 * 10;
  work.blocks = 40;
  work.shape = GemmShapeOf("volta_sgemm_32x128_tn", 1, 4, 10);
  CHECK(OnTensorCores(work, t4, Precision::kFp16)->ns / 1e3 == Approx(15).epsilon(0.15));
}

TEST_CASE("a number takes the bytes of its format, and four where that is not known") {
  CHECK(BytesPerElement(Precision::kFp64) == 8);
  CHECK(BytesPerElement(Precision::kBf16) == 2);
  CHECK(BytesPerElement(Precision::kUnknown) == 4);
}

TEST_CASE("the fixed part of a kernel does not shrink") {
  const MatrixMachine a100 = Machine("A100", 3000);
  MatrixWork tiny = Simt(4);
  tiny.blocks = 400;
  CHECK(OnTensorCores(tiny, a100, Precision::kBf16)->ns >= 3000);
  CHECK(Factor(tiny, a100, Precision::kBf16) < 1.4);
  MatrixWork shorter = Simt(2);
  CHECK(OnTensorCores(shorter, a100, Precision::kBf16)->ns == Approx(2000));
}

TEST_CASE("no product is faster than its operands can be read") {
  const MatrixMachine a100 = Machine("A100", 0);
  MatrixWork work = Simt(1000);
  work.elements = 500e6;
  const double least = 500e6 * 2 / *a100.bytes_per_s * 1e9;
  CHECK(OnTensorCores(work, a100, Precision::kBf16)->ns == Approx(least));
  CHECK(OnTensorCores(work, a100, Precision::kBf16)->fast_ns == Approx(least));
}

TEST_CASE("no product is faster than the peak") {
  const MatrixMachine a100 = Machine("A100", 0);
  MatrixWork work = Simt(1000);
  work.flops = 60e9;
  work.blocks = 10000;
  CHECK(OnTensorCores(work, a100, Precision::kBf16)->ns >= 60e9 / (312e12 * 1.1) * 1e9);
}

TEST_CASE("TF32 work gains at most the ratio of its peak") {
  const MatrixMachine a100 = Machine("A100");
  const double factor = Factor(TensorCore(2000, Precision::kTf32), a100, Precision::kBf16);
  CHECK(factor > 1.5);
  CHECK(factor <= 2.0);
  // A name that says fp32 and tensor cores is TF32.
  CHECK(Factor(TensorCore(2000, Precision::kFp32), a100, Precision::kBf16) == Approx(factor));
}

TEST_CASE("fp32 work gains less from TF32 than from bf16") {
  const MatrixMachine a100 = Machine("A100");
  CHECK(Factor(Simt(2000), a100, Precision::kTf32) < Factor(Simt(2000), a100, Precision::kBf16));
  CHECK(Factor(Simt(2000), a100, Precision::kTf32) > 4);
}

TEST_CASE("fp8 gains on bf16 what others measured") {
  // Large products: H100 1402.6 against 794.5 Tflop/s.
  const double factor =
      Factor(TensorCore(5000, Precision::kBf16), Machine("H100"), Precision::kFp8);
  CHECK(factor == Approx(1402.6 / 794.5).epsilon(0.1));
}

TEST_CASE("what Winograd saves, tensor cores do not gain") {
  const MatrixMachine v100 = Machine("V100");
  MatrixWork work = Simt(1000);
  const double plain = Factor(work, v100, Precision::kFp16);
  work.winograd = true;
  CHECK(Factor(work, v100, Precision::kFp16) == Approx(plain / 2.25).epsilon(0.02));
}

TEST_CASE("waves: a result of one tile more than the GPU holds takes twice as long") {
  CHECK(TensorWaveEfficiency(8192, 8192, 1, 108) > 0.95);
  CHECK(TensorWaveEfficiency(128, 128, 1, 108) < 0.05);
  CHECK(TensorWaveEfficiency(2048, 512, 1, 40) == Approx(0.8));
  // Splitting the sums helps where there are few tiles.
  CHECK(TensorWaveEfficiency(768, 768, 4, 108) > TensorWaveEfficiency(768, 768, 1, 108));
  CHECK(TensorWaveEfficiency(1, 1, 1, 108) > 0);
}

}  // namespace
}  // namespace xsp
