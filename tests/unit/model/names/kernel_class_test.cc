#include "model/names/kernel_class.h"

#include <catch2/catch.hpp>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>

#include "importers/importer.h"
#include "model/names/kernel_names.h"
#include "model/names/kernel_rules.h"
#include "tests/support/real_traces.h"
#include "tests/support/timeline.h"

namespace xsp {
namespace {

std::string Describe(const KernelKind& kind) {
  return std::string(NameOf(kind.kernel_class)) + " " + std::string(NameOf(kind.precision)) + " " +
         std::string(NameOf(kind.tensor_cores));
}

std::string Describe(std::string_view name) {
  return Describe(KernelRules::BuiltIn().Classify(name));
}

struct Expectation {
  std::string kind, short_name, full_name;
};

std::vector<Expectation> ReadExpectations() {
  std::ifstream file(test::SourceDir() / "tests/data/kernel_names.tsv");
  std::vector<Expectation> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("# ")) continue;
    std::istringstream fields(line);
    std::string kernel_class, precision, tensor_cores;
    Expectation row;
    std::getline(fields, kernel_class, '\t');
    std::getline(fields, precision, '\t');
    std::getline(fields, tensor_cores, '\t');
    std::getline(fields, row.short_name, '\t');
    std::getline(fields, row.full_name);
    row.kind = kernel_class + " " + precision + " " + tensor_cores;
    rows.push_back(row);
  }
  return rows;
}

TEST_CASE("every kernel name of the real traces is read as a person would") {
  const std::vector<Expectation> rows = ReadExpectations();
  REQUIRE(rows.size() >= 300);
  for (const Expectation& row : rows) {
    INFO(row.full_name);
    CHECK(Describe(row.full_name) == row.kind);
    if (row.short_name != "-") CHECK(ShortKernelName(row.full_name) == row.short_name);
  }
}

TEST_CASE("kernel names of libraries that the traces do not show") {
  CHECK(Describe("volta_h884gemm_128x64_ldg8_nn") == "gemm fp16 yes");
  CHECK(Describe("volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn") == "gemm fp16 yes");
  CHECK(Describe("volta_dgemm_64x64_nn") == "gemm fp64 no");
  CHECK(Describe("maxwell_hgemm_128x64_tn") == "gemm fp16 no");
  CHECK(Describe("turing_int8_i8816gemm_int8_128x128_ldg16_relu_stages_64x1_tn") ==
        "gemm int8 yes");
  CHECK(Describe("void cutlass::Kernel2<cutlass_80_tensorop_d884gemm_64x64_16x4_nn_align1>"
                 "(T1::Params)") == "gemm fp64 yes");
  CHECK(Describe("nvjet_qqtst_128x256_128x4_2x1_v_bz_coopA_TNT") == "gemm fp8 yes");
  CHECK(Describe("nvjet_sm100_tst_128x256_64x4_2x1_2cta_h_bz_TNN") == "gemm bf16 yes");
  CHECK(Describe("sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize32x32x8_stage3_warpsize1x2x1_ffma_"
                 "aligna4_alignc4_execute_kernel__51_cublas") == "gemm fp32 no");
  CHECK(Describe("turing_h1688cudnn_256x64_ldg8_relu_exp_medium_nhwc_tn_v1") == "conv fp16 yes");
  CHECK(Describe("void at::native::(anonymous namespace)::conv_depthwise2d_forward_kernel<3, "
                 "c10::Half, int>(float)") == "conv fp16 unknown");
  CHECK(Describe(
            "fmha_cutlassF_bf16_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel)") ==
        "attention bf16 yes");
  CHECK(Describe("triton_per_fused_native_layer_norm_3") == "fused unknown unknown");
  CHECK(Describe("triton_tem_fused_addmm_relu_4") == "gemm unknown unknown");
  CHECK(Describe("loop_add_fusion") == "fused unknown unknown");
  CHECK(Describe("void RNN_blockPersist_fp_LSTM<__half>(int)") == "rnn fp16 unknown");
  CHECK(Describe("void regular_fft<256u, EPT<16u>, float>(kernel_arguments)") ==
        "fft fp32 unknown");
  CHECK(Describe("void cusparse::csrmv_v3_kernel<double>(int)") == "sparse fp64 unknown");
  CHECK(Describe("void trsm_left_kernel<double, 256, 4>(double)") == "solver fp64 unknown");
  CHECK(Describe("void vllm::moe::topkGatingSoftmax<8, 64>(float const*)") == "softmax fp32 no");
}

TEST_CASE("names of classes, precisions and tensor cores lead back to them") {
  for (std::size_t i = 0; i < kKernelClassCount; ++i) {
    const auto value = static_cast<KernelClass>(i);
    CHECK(!NameOf(value).empty());
    CHECK(KernelClassFromName(NameOf(value)) == value);
  }
  for (std::size_t i = 0; i < kPrecisionCount; ++i) {
    const auto value = static_cast<Precision>(i);
    CHECK(!NameOf(value).empty());
    CHECK(PrecisionFromName(NameOf(value)) == value);
  }
  CHECK(TensorCoresFromName("yes") == TensorCores::kYes);
  CHECK(KernelClassFromName("GEMM") == std::nullopt);
}

TEST_CASE("numbers have the size of their format") {
  CHECK(BytesOf(Precision::kFp64) == 8);
  CHECK(BytesOf(Precision::kTf32) == 4);
  CHECK(BytesOf(Precision::kBf16) == 2);
  CHECK(BytesOf(Precision::kFp8) == 1);
  CHECK(BytesOf(Precision::kMixed) == std::nullopt);
}

TEST_CASE("device work other than kernels is classed by its kind") {
  const Trace trace = test::MakeTrace(R"(
    S7   0-10  kernel ampere_sgemm_128x64_tn
    S7  10-20  memcpy HtoD bytes=4
    S7  20-30  memset bytes=4
    S7  30-40  graph
    M   40-50  migration HtoD bytes=4096
  )");
  const KernelKinds kinds(trace, KernelRules::BuiltIn());
  std::map<EventKind, std::string> found;
  for (EventId work : trace.DeviceWork()) {
    found[trace.KindOf(work)] = Describe(kinds.Of(trace, work));
  }
  CHECK(found[EventKind::kKernel] == "gemm fp32 no");
  CHECK(found[EventKind::kMemcpy] == "copy unknown no");
  CHECK(found[EventKind::kMigration] == "copy unknown no");
  CHECK(found[EventKind::kMemset] == "fill unknown no");
  CHECK(found[EventKind::kGraphSpan] == "graph unknown unknown");
}

TEST_CASE("a string that is no kernel's name has no class") {
  const Trace trace = test::MakeTrace("T1 0-10 push softmax\nS7 0-10 kernel my_softmax\n");
  const KernelKinds kinds(trace, KernelRules::BuiltIn());
  CHECK(kinds.OfName(trace.strings().Find("my_softmax")).kernel_class == KernelClass::kSoftmax);
  CHECK(kinds.OfName(trace.strings().Find("softmax")).kernel_class == KernelClass::kOther);
  CHECK(kinds.OfName(StringId()).kernel_class == KernelClass::kOther);
}

TEST_CASE("less than 1 % of the kernel time of deep-learning traces has no class") {
  const auto traces = test::RealTracesOrSkip();
  if (!traces) return;
  const char* const deep_learning[] = {"jsun-012",     "GindaChen", "zx3xyy",       "LeiWang1999",
                                       "MohanadOdema", "lizhieffe", "NVIDIA__Fuser"};
  for (const auto& file : test::FilesBelow(*traces / "nsys", ".sqlite")) {
    const Trace trace = ImportFile(file);
    const KernelKinds kinds(trace, KernelRules::BuiltIn());
    DurationNs total = 0, other = 0;
    for (EventId kernel : trace.OfKind(EventKind::kKernel)) {
      total += trace.duration(kernel);
      const KernelClass kernel_class = kinds.Of(trace, kernel).kernel_class;
      if (kernel_class == KernelClass::kOther) other += trace.duration(kernel);
    }
    if (total == 0) continue;
    const std::string base = file.filename().string();
    std::printf("%5.1f %% other  %s\n",
                100.0 * static_cast<double>(other) / static_cast<double>(total), base.c_str());
    for (const char* prefix : deep_learning) {
      if (!base.starts_with(prefix)) continue;
      INFO(base);
      CHECK(other * 100 < total);
    }
  }
}

}  // namespace
}  // namespace xsp
