#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "sim/models/communication.h"
#include "sim/whatifs/all.h"
#include "sim/whatifs/kernels/attention_groups.h"
#include "sim/whatifs/kernels/rewrite.h"
#include "sim/whatifs/parallel/gradients.h"

// Tensor parallelism, as Megatron does it: every GPU has a part of each matrix of a transformer
// layer, and two all-reduces of activations forward and two backward bring the parts together.
namespace xsp {
namespace {

constexpr WhatIfOption kTensorParallelOptions[] = {
    {"gpus", "2", "how many GPUs share a layer"},
    {"tokens", "", "batch times sequence; by default by recorded sizes"},
    {"hidden", "", "width of the model; by default by recorded sizes"},
    {"per-machine", "8", "how many GPUs in one machine"},
    {"link", "", "bandwidth between GPUs of a machine, one direction: 200GB; by default the GPU's"},
    {"network", "100Gbit", "bandwidth between machines, for each GPU"}};

// Where a layer's attention is: the last kernel of it.
std::vector<TaskId> Attentions(const Plan& plan) {
  std::vector<TaskId> ops;
  for (const AttentionGroup& group : FindAttention(plan)) ops.push_back(group.kernels.back());
  for (const TaskId op : plan.Select(Selector::Class(KernelClass::kAttention))) ops.push_back(op);
  return ops;
}

class Split {
 public:
  Split(Plan& plan, const WhatIfValues& values) : plan_(plan), values_(values) {}

  Applied Apply() {
    links_ = LinksAsked(plan_, values_, "tensor-parallel");
    if (links_.gpus < 2) return Applied::No("one GPU shares nothing");
    if (!CollectivesOf(plan_).empty()) {
      return Applied::No("it starts from a trace of one GPU, and this one exchanges data already");
    }
    const std::vector<TaskId> attentions = Attentions(plan_);
    if (attentions.empty()) return Applied::No("no attention: it is for transformer layers");
    const auto bytes = ActivationBytes();
    if (!bytes) {
      return Applied::No("nothing tells how large activations are: give tokens= and hidden=");
    }
    divided_ = plan_.AddChange("matrices in " + std::to_string(links_.gpus) + " parts",
                               "class=gemm|attention|softmax|optimizer");
    reduced_ = plan_.AddChange("all-reduces of activations", "inserted");
    for (const TaskId op : plan_.KernelsInOrder()) Divide(op);
    // On the stream of the kernels: nothing runs beside them.
    for (const TaskId op : attentions) {
      for (int i = 0; i < 2; ++i) Reduce(op, *bytes);
    }
    Say();
    return Applied::Yes();
  }

 private:
  // Rows times columns of what goes into the first linear layer with recorded sizes, else what the
  // user says.
  std::optional<double> ActivationBytes() {
    if (values_.IsGiven("tokens") && values_.IsGiven("hidden")) {
      source_ = "tokens= and hidden=";
      return values_.Number("tokens") * values_.Number("hidden") * ElementBytes();
    }
    for (const TaskId op : plan_.KernelsInOrder()) {
      if (plan_.facts()[op].kind.kernel_class != KernelClass::kGemm) continue;
      const std::string_view operation = plan_.facts().Operation(op);
      const bool is_linear = HoldsAny(operation, {"::mm", "::addmm", "::linear", "::matmul"});
      const OperandSizes sizes = RecordedOperands(plan_.graph(), plan_.facts(), op);
      if (!is_linear || sizes.size() < 2) continue;
      // addmm has its bias first.
      const auto& input = HoldsAny(operation, {"addmm"}) ? sizes[1] : sizes[0];
      if (input.size() < 2) continue;
      source_ = "recorded sizes of a linear layer";
      return ElementCount(input) * ElementBytes();
    }
    return std::nullopt;
  }

  double ElementBytes() const {
    for (const TaskId op : plan_.Select(Selector::Class(KernelClass::kGemm))) {
      return BytesPerElement(plan_.facts()[op].kind.precision);
    }
    return 2;
  }

  void Divide(TaskId op) {
    const WorkFact& fact = plan_.facts()[op];
    const KernelClass of = fact.kind.kernel_class;
    const bool is_matrix =
        of == KernelClass::kGemm || of == KernelClass::kAttention || of == KernelClass::kSoftmax;
    const bool is_update = of == KernelClass::kOptimizer || fact.phase == Phase::kOptimizer;
    const bool may = of == KernelClass::kElementwise || of == KernelClass::kRandom;
    if (!is_matrix && !is_update && !may) return;
    const double ns = static_cast<double>(plan_.Own(op));
    const double fixed = std::min(ns, plan_.machine().memory.fixed_ns);
    const double all = fixed + (ns - fixed) / links_.gpus;
    // Smaller products use the GPU less well.
    constexpr double kEfficiency = 0.9;
    const double part = is_matrix ? fixed + (ns - fixed) / links_.gpus / kEfficiency : all;
    // Elementwise work inside of the divided blocks is divided, around them it is not.
    const double likely = may && !is_update ? (ns + all) / 2 : part;
    plan_.SetDuration(op, {std::min(ns, likely), all, may ? ns : std::min(ns, part * 1.3)},
                      divided_);
  }

  void Reduce(TaskId op, double bytes) {
    const double ns = CollectiveNs(Collective::kAllReduce, bytes, links_);
    NewKernel kernel;
    kernel.name = "ncclDevKernel_AllReduce";
    kernel.kind.kernel_class = KernelClass::kCollective;
    kernel.ns = {ns, ns * 0.8, ns * 1.3};
    kernel.stream = plan_.graph().lane[op];
    plan_.InsertKernelAfter(plan_.CallOf(op), kernel, reduced_);
  }

  void Say() {
    plan_.RestsOn(kScaling | kInserted);
    plan_.Assume("two all-reduces for each attention, forward and backward; " + source_ +
                 " tell how large");
    plan_.Assume(
        "parts of products reach 0.9 of what whole ones do; half of elementwise work is "
        "divided, norms are not");
    plan_.Assume("links by " + links_.source);
    if (plan_.machine().parameters > 0) {
      constexpr double kBytes = 16;  // Weight, gradient and two moments in fp32.
      plan_.AddMemory(-kBytes * plan_.machine().parameters * (1 - 1.0 / links_.gpus));
      plan_.Assume("memory: 16 bytes for each parameter; activations do not count");
    }
    plan_.MakesSurer("--tensor-parallel=tokens=...,hidden=...,link=...");
  }

  Plan& plan_;
  const WhatIfValues& values_;
  Links links_;
  std::string source_;
  ChangeId divided_ = 0, reduced_ = 0;
};

Applied ApplyTensorParallel(Plan& plan, const WhatIfValues& values) {
  return Split(plan, values).Apply();
}

}  // namespace

const WhatIf kTensorParallel = {"tensor-parallel",
                                "Tensor parallelism",
                                "the same step with each layer's matrices over several GPUs",
                                kScaling | kInserted,
                                "attention; recorded sizes, or tokens and hidden",
                                Effort::kMachines,
                                {},
                                kTensorParallelOptions,
                                ApplyTensorParallel,
                                /*is_advice=*/false};

}  // namespace xsp
