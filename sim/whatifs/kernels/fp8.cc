#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/whatifs/all.h"
#include "sim/whatifs/kernels/rewrite.h"

// Linear layers in fp8: their products run on fp8 tensor cores, and what they multiply is brought
// to that format first.
namespace xsp {
namespace {

constexpr WhatIfOption kFp8Options[] = {
    {"least", "50us", "products that take less stay as they are: they would not gain"}};

bool IsHalf(Precision precision) {
  return precision == Precision::kBf16 || precision == Precision::kFp16;
}

// Products of weights. Those of a batch are attention's, which stays.
bool IsLinear(const Plan& plan, TaskId op) {
  const WorkFacts& facts = plan.facts();
  return facts[op].kind.kernel_class == KernelClass::kGemm &&
         !HoldsAny(facts.Operation(op), {"bmm"}) && !HoldsAny(facts.Name(op), {"plitK", "gemv"});
}

// Elements of both operands: recorded; else by the result's tiles and as long an inner dimension as
// the product's time leaves room for. 0: nothing tells.
double OperandElements(const Plan& plan, const MatrixWork& work) {
  if (work.elements) return *work.elements;
  const GpuPeaks& gpu = plan.machine().gpu;
  const auto peak = gpu.Of(work.precision);
  if (!work.shape || work.shape->outputs == 0 || !peak) return 0;
  const double flops =
      work.ns * 1e-9 * *peak * ReachedShare(gpu, work.precision, work.tensor_cores);
  const double outputs = static_cast<double>(work.shape->outputs);
  const double inner = flops / 2 / outputs;
  return 2 * inner * std::sqrt(outputs);
}

class Fp8 {
 public:
  Fp8(Plan& plan, const WhatIfValues& values)
      : plan_(plan), least_(values.Nanoseconds("least")), least_text_(values.Text("least")) {}

  Applied Apply() {
    if (!plan_.machine().gpu.fp8 && plan_.machine().gpu.name.empty()) {
      return Applied::No(
          "the trace does not tell which GPU it ran on: give its peaks, --peaks "
          "fp16=...,fp8=...");
    }
    if (!plan_.machine().gpu.fp8) {
      return Applied::No("this GPU has no fp8 tensor cores (NVIDIA's from capability 8.9 on)");
    }
    std::vector<std::pair<TaskId, TimeEstimate>> products;
    std::size_t linear = 0, half = 0;
    for (const TaskId op : plan_.KernelsInOrder()) {
      if (!IsLinear(plan_, op)) continue;
      ++linear;
      if (!IsHalf(plan_.facts()[op].kind.precision)) continue;
      ++half;
      if (static_cast<double>(plan_.Own(op)) < least_) continue;
      const MatrixWork work = MatrixWorkOf(plan_.graph(), plan_.facts(), op);
      const auto then = OnTensorCores(work, plan_.machine().matrix, Precision::kFp8);
      if (then) products.emplace_back(op, *then);
    }
    if (linear == 0) return Applied::No("no products of linear layers");
    if (half == 0) {
      return Applied::No("its products are not bf16 or fp16: that comes first, --amp --fp8");
    }
    if (products.empty()) {
      return Applied::No("none of its " + std::to_string(half) + " half-precision products takes " +
                         least_text_ + " (least=)");
    }
    products_ = plan_.AddChange("linear layers → fp8", "class=gemm, precision=bf16|fp16");
    quantize_ = plan_.AddChange("conversions to fp8", "inserted");
    for (const auto& [op, then] : products) Convert(op, then);
    Say();
    return Applied::Yes();
  }

 private:
  void Convert(TaskId op, const TimeEstimate& then) {
    const MatrixWork work = MatrixWorkOf(plan_.graph(), plan_.facts(), op);
    plan_.SetDuration(op, then, products_);
    plan_.SetPrecision(op, Precision::kFp8, true);
    // Forward both operands are converted; backward the new one is the result's gradient, and only
    // where the product is not the second one of it.
    const bool is_backward = plan_.facts()[op].phase == Phase::kBackward;
    if (is_backward && MakesWeightGradient(plan_.facts(), op)) return;
    const int operands = is_backward ? 1 : 2;
    constexpr double kBytes = 3;  // Two read, one written.
    const double elements = OperandElements(plan_, work) / 2;
    has_sizes_ &= elements > 0;
    const double ns = std::max(plan_.machine().memory.StreamNs(elements * kBytes),
                               plan_.machine().memory.fixed_ns);
    for (int i = 0; i < operands; ++i) {
      NewKernel kernel;
      kernel.name = "quantize_fp8";
      kernel.kind.kernel_class = KernelClass::kQuantize;
      kernel.kind.precision = Precision::kFp8;
      kernel.ns = {ns, ns * 0.5, ns * 2};
      kernel.stream = plan_.graph().lane[op];
      const TaskId call = plan_.CallOf(op);
      plan_.InsertKernelBefore(call, kernel, quantize_);
    }
  }

  void Say() {
    plan_.RestsOn(kScaling | kInserted);
    plan_.Assume(
        "products reach the share of the fp8 peak that others measured, 0.71 to 0.76 for large "
        "ones");
    plan_.Assume(
        "each operand is converted by a kernel of its own: two forward, one backward of a layer");
    plan_.Assume("attention, the optimizer and everything else stay as they are");
    if (!has_sizes_) {
      plan_.Assume("sizes of operands come from tiles and times, where none were recorded");
      plan_.MakesSurer("recorded shapes (torch.profiler record_shapes=True, or NVTX with sizes)");
    }
  }

  Plan& plan_;
  const double least_;
  const std::string least_text_;
  ChangeId products_ = 0, quantize_ = 0;
  bool has_sizes_ = true;
};

Applied ApplyFp8(Plan& plan, const WhatIfValues& values) { return Fp8(plan, values).Apply(); }

}  // namespace

const WhatIf kFp8 = {"fp8",
                     "fp8 linear layers",
                     "products of linear layers in fp8, with the conversions that they need",
                     kScaling | kInserted,
                     "fp8 tensor cores; bf16 or fp16 products",
                     Effort::kLines,
                     {"fp8", "transformer_engine.pytorch.fp8_autocast()", "cublasLtMatmul in fp8"},
                     kFp8Options,
                     ApplyFp8};

}  // namespace xsp
