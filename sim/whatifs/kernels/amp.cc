#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "sim/models/autocast.h"
#include "sim/whatifs/all.h"
#include "sim/whatifs/kernels/amp_casts.h"

// Automatic mixed precision, as PyTorch's autocast does it: matrix work on tensor cores, what
// follows it in the lower format, norms and losses in fp32, and casts wherever the formats meet.
namespace xsp {
namespace {

constexpr WhatIfOption kTf32Options[] = {
    {"matrix", "", "how many times as fast matrix kernels get, where it is known: 5"}};
constexpr WhatIfOption kAmpOptions[] = {
    {"dtype", "", "fp16, bf16 or tf32; by default what the GPU is good at"},
    {"matrix", "", "how many times as fast matrix kernels get, where it is known: 8"}};

// bf16 needs no loss scaling; GPUs have it from compute capability 8.0.
Precision DefaultFormat(const GpuPeaks& gpu) {
  return gpu.bf16 && gpu.fp16 && *gpu.bf16 >= *gpu.fp16 ? Precision::kBf16 : Precision::kFp16;
}

Precision FormatOf(const WhatIfValues& values, const GpuPeaks& gpu) {
  const std::string& text = values.Text("dtype");
  if (text.empty()) return DefaultFormat(gpu);
  const auto format = PrecisionFromName(text);
  const bool is_known =
      format == Precision::kFp16 || format == Precision::kBf16 || format == Precision::kTf32;
  if (!is_known) {
    throw Error("--amp=" + text + " is no format for mixed precision", "take fp16, bf16 or tf32");
  }
  return *format;
}

bool IsMatrix(const WorkFact& fact) {
  const KernelClass of = fact.kind.kernel_class;
  return of == KernelClass::kGemm || of == KernelClass::kConv || of == KernelClass::kAttention;
}

class Amp {
 public:
  Amp(Plan& plan, Precision format, std::optional<double> factor)
      : plan_(plan),
        machine_(plan.machine()),
        facts_(plan.facts()),
        format_(format),
        factor_(factor),
        kernels_(plan.KernelsInOrder()) {
    for (const TaskId op : kernels_) {
      if (auto then = Retime(op)) then_.emplace(op, *then);
    }
  }

  Applied Apply() {
    if (const std::string why = WhyNot(); !why.empty()) return Applied::No(why);
    const std::string to(NameOf(format_));
    matrix_ = plan_.AddChange("matrix work → " + to, "class=gemm|conv|attention, precision=fp32");
    if (format_ != Precision::kTf32) {
      light_ = plan_.AddChange("memory-bound, fewer bytes", "autocast=follow|promote|fp32_out");
      casts_.emplace(plan_, format_, kernels_, [&](TaskId op) { return Changes(op); });
    }
    for (const TaskId op : kernels_) Visit(op);
    if (format_ == Precision::kFp16 && machine_.has_backward) casts_->AddScaler(kernels_);
    Say();
    return Applied::Yes();
  }

 private:
  // --- Whether it applies.
  std::string WhyNot() const {
    if (!then_.empty()) return "";
    const GpuPeaks& gpu = machine_.gpu;
    const std::string name = gpu.name.empty() ? "the GPU" : gpu.name;
    std::array<double, kPrecisionCount> time{};
    for (const TaskId op : kernels_) {
      if (!IsMatrix(facts_[op])) continue;
      time[static_cast<std::size_t>(facts_[op].kind.precision)] += Ns(op);
    }
    const auto most = std::max_element(time.begin(), time.end());
    if (*most == 0) return "no matrix products or convolutions of a library";
    const auto format = static_cast<Precision>(most - time.begin());
    if (format == Precision::kUnknown) return "its matrix kernels do not tell their number format";
    if (format == Precision::kFp64) return "its matrix work is fp64, which stays as it is";
    const bool is_lower = format != Precision::kFp32 && format != Precision::kTf32;
    if (is_lower || format == format_) {
      return "no fp32 matrix work: what there is runs in " + std::string(NameOf(format)) +
             " already";
    }
    if (!gpu.fp32) {
      return "the trace does not tell which GPU it ran on: give its peaks, --peaks "
             "fp32=...,fp16=...";
    }
    if (!gpu.has_tensor_cores) return name + " has no tensor cores: nothing would be faster";
    return name + " has no tensor cores for " + std::string(NameOf(format_));
  }

  double Ns(TaskId op) const { return static_cast<double>(plan_.Own(op)); }
  bool Changes(TaskId op) const { return then_.find(op) != then_.end(); }

  // What a matrix kernel takes then; nothing for what does not change.
  std::optional<TimeEstimate> Retime(TaskId op) const {
    const WorkFact& fact = facts_[op];
    if (!IsMatrix(fact) || fact.phase == Phase::kOptimizer) return std::nullopt;
    // Fused attention in fp32 does not look at the switch for TF32.
    const bool is_attention = fact.kind.kernel_class == KernelClass::kAttention;
    if (format_ == Precision::kTf32 && is_attention) return std::nullopt;
    MatrixWork work = MatrixWorkOf(plan_.graph(), facts_, op);
    work.ns = Ns(op);
    auto then = OnTensorCores(work, machine_.matrix, format_);
    if (then && factor_) {
      const double fixed = std::min(work.ns, machine_.matrix.fixed_ns);
      then->ns = then->fast_ns = then->slow_ns = fixed + (work.ns - fixed) / *factor_;
    }
    return then;
  }

  // --- Kernel by kernel, in the order in which the host issues them. What the last one wrote
  // decides what the next one reads: `lower_` says whether that is the lower format.
  void Visit(TaskId op) {
    const WorkFact& fact = facts_[op];
    const bool is_pass = fact.phase == Phase::kForward || fact.phase == Phase::kBackward;
    if (fact.step != step_ || (is_pass && fact.phase != phase_)) {
      // The batch, and what the loss hands to the backward pass, come in fp32.
      lower_ = false;
      step_ = fact.step;
      if (is_pass) phase_ = fact.phase;
    }
    const Autocast rule = AutocastOf(fact.kind, facts_.Name(op), facts_.Operation(op), fact.phase);
    if (rule == Autocast::kLower) {
      VisitMatrix(op);
    } else if (format_ != Precision::kTf32) {
      VisitLight(op, rule);
    }
  }

  void VisitMatrix(TaskId op) {
    const auto then = then_.find(op);
    if (then == then_.end()) return;
    if (casts_) {
      casts_->AddWeights(op);
      if (!lower_) casts_->AddInput(op, last_elements_);
    }
    plan_.SetDuration(op, then->second, matrix_);
    plan_.SetPrecision(op, format_, true);
    lower_ = true;
  }

  // Elementwise work and its kin: by the bytes of what it reads and writes.
  void VisitLight(TaskId op, Autocast rule) {
    const bool two = OperandsRead(facts_.Name(op), facts_.Operation(op)) == 2;
    const double elements = ElementsOf(plan_.graph(), facts_, machine_, op);
    const double before = two ? 12 : 8;  // Bytes per element, of results and operands.
    double after = before;
    switch (rule) {
      case Autocast::kFollow:
        if (lower_) after = before / 2;
        break;
      case Autocast::kPromote:
        // One operand is what the last kernel wrote. The other one is fp32 in a residual sum or a
        // product with a weight, and in the lower format in a gate: take the wider one.
        if (lower_) after = two ? 10 : 4;
        lower_ = lower_ && !two;
        break;
      case Autocast::kFp32Out:
        // Sums are bound by their own steps, not by bytes, and stand beside the way of the data.
        if (facts_[op].kind.kernel_class != KernelClass::kSoftmax) return;
        if (lower_) after = 6;
        lower_ = false;
        break;
      case Autocast::kFp32:
        if (lower_) casts_->AddActivation(op, elements > 0 ? elements : last_elements_);
        lower_ = false;
        break;
      default:
        return;
    }
    if (after < before) Shrink(op, after / before);
    if (elements > 0) last_elements_ = elements;
  }

  void Shrink(TaskId op, double share) {
    const double ns = Ns(op);
    const double fixed = std::min(ns, machine_.memory.fixed_ns);
    auto at = [&](double of) { return std::max(fixed, ns * of); };
    // Between all bytes at half size and one operand that stays as it is.
    plan_.SetDuration(op, {at(share), at(0.5), at(std::min(1.0, share * 1.3))}, light_);
    if (share <= 0.5) plan_.SetPrecision(op, format_, false);
  }

  void Say() {
    plan_.RestsOn(kScaling);
    const std::string gpu = machine_.gpu.name.empty() ? "such GPUs" : machine_.gpu.name;
    plan_.Assume(factor_ ? "matrix kernels get as much faster as was given"
                         : "matrix work reaches the share of the ratio of peaks that is usual on " +
                               gpu + "; a part of every kernel does not shrink");
    if (!machine_.matrix.best_rate) {
      plan_.MakesSurer("recorded shapes (emit_nvtx(record_shapes=True), record_shapes=True)");
    }
    if (format_ == Precision::kTf32) return;
    plan_.RestsOn(kInserted);
    plan_.Assume(
        "norms, losses, sums, powers and the optimizer stay in fp32, as autocast keeps them");
    plan_.Assume("each cast costs the host what a whole operation costs in this trace");
    if (!machine_.memory.calibrated) {
      plan_.Assume(
          "memory bandwidth is a usual share of the data sheet: no large elementwise "
          "kernel shows it");
    }
    if (machine_.matrix_weights <= 0 && machine_.parameters <= 0) {
      plan_.Caution("nothing tells how large the weights are: their casts count as empty kernels");
    }
  }

  Plan& plan_;
  const MachineFacts& machine_;
  const WorkFacts& facts_;
  const Precision format_;
  const std::optional<double> factor_;
  const std::vector<TaskId> kernels_;
  std::unordered_map<TaskId, TimeEstimate> then_;  // Of matrix kernels that change.
  std::optional<AmpCasts> casts_;                  // None for TF32, which casts nothing.
  ChangeId matrix_ = 0, light_ = 0;
  double last_elements_ = 0;  // Of what the last elementwise kernel wrote.
  bool lower_ = false;
  std::uint32_t step_ = Steps::kOutside;
  Phase phase_ = Phase::kNone;
};

std::optional<double> FactorOf(const WhatIfValues& values, const std::string& whatif) {
  if (!values.IsGiven("matrix")) return std::nullopt;
  const double factor = values.Number("matrix");
  if (factor < 0.1) {
    throw Error(whatif + ": matrix=" + values.Text("matrix") + " is no factor", "for instance 8");
  }
  return factor;
}

Applied ApplyAmp(Plan& plan, const WhatIfValues& values) {
  return Amp(plan, FormatOf(values, plan.machine().gpu), FactorOf(values, "--amp")).Apply();
}

// The formats stay: only what matrix kernels multiply is rounded, so that nothing is cast.
Applied ApplyTf32(Plan& plan, const WhatIfValues& values) {
  return Amp(plan, Precision::kTf32, FactorOf(values, "--tf32")).Apply();
}

// The paper's: matrix kernels by two words in their names, everything else on the GPU halved.
Applied ApplyClassicAmp(Plan& plan, const WhatIfValues&) {
  const ChangeId matrix = plan.AddChange("sgemm, scudnn ÷ 3", "name=*sgemm*|*scudnn*");
  const ChangeId other = plan.AddChange("all else ÷ 2", "on=device");
  for (const TaskId op : plan.Select(Selector::Device())) {
    const std::string_view name = plan.facts().Name(op);
    const bool is_matrix = name.find("sgemm") != name.npos || name.find("scudnn") != name.npos;
    plan.Scale(op, is_matrix ? 1.0 / 3 : 0.5, is_matrix ? matrix : other);
  }
  return Applied::Yes();
}

}  // namespace

const WhatIf kAmp = {"amp",
                     "Automatic mixed precision",
                     "matrix work on tensor cores, as autocast does it, with its casts",
                     kScaling | kInserted,
                     "a GPU with tensor cores; surer with recorded shapes",
                     Effort::kLines,
                     {"mixed precision", "torch.autocast('cuda', torch.bfloat16)",
                      "cublasGemmEx on tensor cores, in bf16"},
                     kAmpOptions,
                     ApplyAmp,
                     /*is_advice=*/true,
                     ApplyClassicAmp};

const WhatIf kTf32 = {"tf32",
                      "TF32",
                      "fp32 matrix work on tensor cores, without casts (Ampere and later)",
                      kScaling,
                      "a GPU with TF32 tensor cores; surer with recorded shapes",
                      Effort::kFlag,
                      {"TF32", "torch.set_float32_matmul_precision('high')",
                       "cublasSetMathMode(CUBLAS_TF32_TENSOR_OP_MATH)"},
                      kTf32Options,
                      ApplyTf32};

}  // namespace xsp
