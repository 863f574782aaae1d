#include "sim/whatifs/kernels/amp_casts.h"

#include <algorithm>
#include <string>

namespace xsp {
namespace {

bool Contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

}  // namespace

// Products of two activations (attention) have none; split sums are added up by a kernel that
// multiplies nothing.
bool AmpCasts::HasWeight(TaskId product) const {
  const WorkFacts& facts = plan_.facts();
  if (facts[product].kind.kernel_class == KernelClass::kAttention) return false;
  if (Contains(facts.Operation(product), "bmm")) return false;
  const std::string_view name = facts.Name(product);
  return !Contains(name, "splitK") && !Contains(name, "SplitK") && !Contains(name, "atched");
}

bool AmpCasts::HasBias(TaskId product) const {
  const std::string_view operation = plan_.facts().Operation(product);
  return Contains(operation, "addmm") || Contains(operation, "Addmm");
}

void AmpCasts::CountProduct(TaskId product) {
  const bool is_backward = plan_.facts()[product].phase == Phase::kBackward;
  if (MakesWeightGradient(plan_.facts(), product)) {
    ++gradients_;
  } else if (!is_backward && HasWeight(product)) {
    ++forward_;
  }
}

void AmpCasts::ShareWeights() {
  const MachineFacts& machine = plan_.machine();
  const double weights = machine.matrix_weights > 0 ? machine.matrix_weights : machine.parameters;
  const double all = weights * plan_.step_count();
  if (forward_ > 0) weight_share_ = all / forward_;
  if (gradients_ > 0) gradient_share_ = all / gradients_;
}

std::optional<AmpCasts::Product> AmpCasts::SizesOf(TaskId product) const {
  const OperandSizes sizes = RecordedOperands(plan_.graph(), plan_.facts(), product);
  // addmm: what is added comes first.
  const std::size_t first = Contains(plan_.facts().Operation(product), "addmm") ? 1 : 0;
  if (sizes.size() < first + 2) return std::nullopt;
  return Product{ElementCount(sizes[first]), ElementCount(sizes[first + 1])};
}

void AmpCasts::AddWeights(TaskId product) {
  const auto sizes = SizesOf(product);
  if (MakesWeightGradient(plan_.facts(), product)) {
    const MatrixWork work = MatrixWorkOf(plan_.graph(), plan_.facts(), product);
    const double elements = work.shape ? static_cast<double>(work.shape->outputs) : gradient_share_;
    Add(product, {"gradient", elements, false, false, work.shape.has_value()});
    if (HasBias(product)) Add(product, {"gradient_of_bias", 0, false, false});
  } else if (plan_.facts()[product].phase != Phase::kBackward && HasWeight(product)) {
    Add(product, {"weight", sizes ? sizes->weight : weight_share_, true, true, sizes.has_value()});
    if (HasBias(product)) Add(product, {"bias"});
  }
}

void AmpCasts::AddInput(TaskId product, double elements) {
  const auto sizes = SizesOf(product);
  Add(product, {"input", sizes ? sizes->input : elements});
}

void AmpCasts::AddActivation(TaskId op, double elements) {
  Add(op, {"activation", elements, /*to_lower=*/false});
}

void AmpCasts::Add(TaskId op, const Cast& cast) {
  // PyTorch's cast back to fp32 is not vectorized: it reaches some 0.6 of the bandwidth.
  constexpr double kBackShare = 0.6;
  constexpr double kBytes = 6;  // Four read and two written, or the other way round.
  const MemoryMachine& memory = plan_.machine().memory;
  const double bytes = cast.elements * kBytes;
  const double ns = memory.StreamNs(bytes / (cast.to_lower ? 1 : kBackShare));
  NewKernel kernel;
  kernel.name = "cast_" + std::string(cast.what) + (cast.to_lower ? "_to_" : "_from_") +
                std::string(NameOf(format_));
  kernel.kind.kernel_class = KernelClass::kCast;
  kernel.kind.precision = Precision::kMixed;
  kernel.kind.tensor_cores = TensorCores::kNo;
  // Vectorized at best; at half the bandwidth at worst. Of weights whose sizes were not recorded
  // only the sum is known, and that by time: from half to twice as much.
  const double fastest = memory.StreamNs(bytes * (cast.is_sized ? 1 : 0.5));
  const double slowest = memory.StreamNs(bytes * 2 * (cast.is_sized ? 1 : 1.5));
  kernel.ns = {ns, std::min(ns, fastest * 0.9), std::max(ns, slowest)};
  kernel.stream = plan_.graph().lane[op];
  const TaskId call = plan_.CallOf(op);
  if (cast.is_before) {
    plan_.InsertKernelBefore(call, kernel, change_);
  } else {
    plan_.InsertKernelAfter(call, kernel, change_);
  }
}

void AmpCasts::AddScaler(const std::vector<TaskId>& kernels) {
  const ChangeId scaler = plan_.AddChange("loss scaling: scale, check, update", "inserted");
  const ChangeId wait = plan_.AddChange("wait: were all gradients finite?", "inserted");
  std::uint32_t step = Steps::kOutside;
  bool done = false;
  for (const TaskId op : kernels) {
    const WorkFact& fact = plan_.facts()[op];
    if (fact.step != step) done = false;
    step = fact.step;
    const bool is_update =
        fact.phase == Phase::kOptimizer || fact.kind.kernel_class == KernelClass::kOptimizer;
    if (done || !is_update) continue;
    done = true;
    AddCheck(op, scaler, wait);
  }
}

void AmpCasts::AddCheck(TaskId update, ChangeId scaler, ChangeId wait) {
  constexpr int kScalarKernels = 6;  // Loss up, gradient of it, 1/scale, copies, growth.
  constexpr double kBytes = 8;       // A gradient is read and written.
  const MachineFacts& machine = plan_.machine();
  const TaskId call = plan_.CallOf(update);
  const double fixed = machine.memory.fixed_ns;
  NewKernel kernel;
  kernel.kind.kernel_class = KernelClass::kOptimizer;
  kernel.kind.precision = Precision::kFp32;
  kernel.stream = plan_.graph().lane[update];
  kernel.name = "scale_scalar";
  kernel.ns = {fixed, fixed, fixed};
  for (int i = 0; i < kScalarKernels; ++i) plan_.InsertKernelBefore(call, kernel, scaler);
  kernel.name = "non_finite_check_and_unscale";
  const double ns = machine.memory.StreamNs(machine.parameters * kBytes);
  kernel.ns = {ns, ns * 0.85, ns * 1.3};
  plan_.InsertKernelBefore(call, kernel, scaler);

  NewCall copy;
  copy.label = "cudaMemcpyAsync";
  copy.own = machine.copy_own;
  copy.gap = std::max<DurationNs>(0, machine.OperationHost(Phase::kOptimizer) - machine.launch_own);
  const TaskId read = plan_.InsertCallBefore(call, copy, wait);
  NewOp to_host;
  to_host.label = "[CUDA memcpy DtoH]";
  to_host.duration = static_cast<DurationNs>(fixed);
  to_host.stream = kernel.stream;
  to_host.op_class = OpClass::kDtoH;
  plan_.IssueOp(read, to_host, {}, wait);
  NewCall sync;
  sync.label = "cudaStreamSynchronize";
  sync.own = machine.launch_own;
  sync.question = plan_.edit().WaitForStream(kernel.stream);
  plan_.InsertCallBefore(call, sync, wait);
}

}  // namespace xsp
