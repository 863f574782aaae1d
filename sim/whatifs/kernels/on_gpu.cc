#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/names/communication.h"
#include "sim/whatifs/all.h"

// Another GPU: each kernel by what bounds it, the host as it is.
namespace xsp {
namespace {

constexpr WhatIfOption kOnGpuOptions[] = {{"name", "", "of the GPU: H100, 'RTX 4090', ..."}};

// Ratios of times, here over there: below 1 the other one is faster.
double Over(double here, double there) { return there > 0 ? here / there : 1; }

bool IsMatrix(KernelClass of) {
  return of == KernelClass::kGemm || of == KernelClass::kConv || of == KernelClass::kAttention;
}

class OtherGpu {
 public:
  OtherGpu(Plan& plan, const GpuPeaks& there)
      : plan_(plan), here_(plan.machine().gpu), there_(there) {}

  Applied Apply() {
    if (!here_.bytes_per_s || !here_.fp32 || here_.sm_count == 0) {
      return Applied::No("the trace does not tell which GPU it ran on: give --peaks");
    }
    const std::vector<TaskId> ops = plan_.Select(Selector::Device());
    if (ops.empty()) return Applied::No("no device work in this part of the trace");
    bandwidth_ = Over(*here_.bytes_per_s, there_.bytes_per_s.value_or(0));
    clock_ = Over(here_.clock_hz.value_or(1), there_.clock_hz.value_or(1));
    kernels_ = plan_.AddChange("kernels on " + there_.name, "kind=kernel");
    copies_ = plan_.AddChange("copies on " + there_.name, "kind=memcpy");
    for (const TaskId op : ops) Move(op);
    Say();
    return Applied::Yes();
  }

 private:
  // A CUDA graph that was traced as one piece says nothing of its kernels, and stays.
  void Move(TaskId op) {
    switch (plan_.graph().kind[op]) {
      case TaskKind::kKernel:
        return MoveKernel(op);
      case TaskKind::kMemcpy:
      case TaskKind::kMemset:
        return MoveCopy(op);
      default:
        return;
    }
  }

  // Over PCIe to and from the host, else at the memory's bandwidth. What a copy costs besides its
  // bytes stays.
  void MoveCopy(TaskId op) {
    const OpClass of = plan_.graph().op_class[plan_.graph().RowOf(op)];
    const bool crosses = of == OpClass::kHtoD || of == OpClass::kDtoH;
    const bool is_known = here_.host_bytes_per_s && there_.host_bytes_per_s;
    const double factor =
        !crosses ? bandwidth_
                 : (is_known ? Over(*here_.host_bytes_per_s, *there_.host_bytes_per_s) : 1);
    const double ns = static_cast<double>(plan_.Own(op));
    const double fixed = std::min(ns, 1'300.0);
    const double then = fixed + (ns - fixed) * factor;
    // Copies of pageable memory are the host's work, and take what they took.
    plan_.SetDuration(op, {then, std::min(ns, then), std::max(ns, then)}, copies_);
  }

  // Rates of a format on both, as far as kernels reach them. What the other one cannot do in that
  // format it does in fp32.
  double ComputeFactor(const KernelKind& kind) {
    const bool tensor = kind.tensor_cores == TensorCores::kYes;
    Precision precision = kind.precision;
    if (!tensor && precision != Precision::kFp16) precision = Precision::kFp32;
    if (tensor && precision == Precision::kFp32) precision = Precision::kTf32;
    // Formats without a rate of their own (fp64, integers) are taken to go as fp32 does.
    const auto known = here_.Of(precision);
    const double here = known.value_or(*here_.fp32);
    auto there = known ? there_.Of(precision) : there_.fp32;
    if (!there) {
      lacks_ = true;
      there = there_.fp32;
    }
    return Over(here * ReachedShare(here_, precision, tensor),
                there.value_or(0) * ReachedShare(there_, precision, tensor));
  }

  // Blocks run in waves, as many at once as there are multiprocessors (with several each, both
  // count alike). For grids far larger than that it is the ratio of multiprocessors.
  double WaveFactor(std::uint64_t blocks) const {
    const double n = static_cast<double>(blocks);
    return std::ceil(n / there_.sm_count) / std::ceil(n / here_.sm_count);
  }

  // How much memory decides, by where the kernel lies below or above the ridge of the other GPU's
  // roofline (wave scaling's gamma). Without recorded sizes a matrix kernel lies at it.
  double MemoryShare(TaskId op, const KernelKind& kind) const {
    if (!IsMatrix(kind.kernel_class)) return 1;
    constexpr double kAtRidge = 0.5;
    const MatrixWork work = MatrixWorkOf(plan_.graph(), plan_.facts(), op);
    const auto peak = there_.Of(kind.precision);
    if (!work.flops || !work.elements || !peak || !there_.bytes_per_s) return kAtRidge;
    const double intensity = *work.flops / (*work.elements * BytesPerElement(kind.precision));
    const double ridge = *peak / *there_.bytes_per_s;
    return intensity < ridge ? 1 - kAtRidge * intensity / ridge : kAtRidge * ridge / intensity;
  }

  void MoveKernel(TaskId op) {
    const KernelKind& kind = plan_.facts()[op].kind;
    const double ns = static_cast<double>(plan_.Own(op));
    const double fixed = std::min(ns, plan_.machine().memory.fixed_ns);
    const std::uint64_t blocks = MatrixWorkOf(plan_.graph(), plan_.facts(), op).blocks;
    if (IsCommunication(kind.kernel_class)) return MoveCollective(op, ns);
    double compute = ComputeFactor(kind);
    double memory = bandwidth_;
    constexpr std::uint64_t kManyWaves = 8;
    const bool is_small = blocks > 0 && blocks < here_.sm_count;
    if (blocks > 0 && blocks < kManyWaves * here_.sm_count && there_.sm_count > 0) {
      // The rate of one multiprocessor, by whole waves.
      compute *= WaveFactor(blocks) * there_.sm_count / here_.sm_count;
    }
    // Too few blocks to use the memory's bandwidth: they wait, and waiting goes by the clock.
    if (is_small) memory = std::max(memory, std::min(1.0, clock_));
    const double gamma = MemoryShare(op, kind);
    const double likely = std::pow(memory, gamma) * std::pow(compute, 1 - gamma);
    auto at = [&](double factor) { return fixed + (ns - fixed) * factor; };
    plan_.SetDuration(op,
                      {at(likely), std::min(at(likely), at(std::min(compute, memory))),
                       std::max(at(likely), at(std::max(compute, memory)))},
                      kernels_);
  }

  void MoveCollective(TaskId op, double ns) {
    const bool is_known = here_.link_bytes_per_s && there_.link_bytes_per_s;
    const double then =
        ns * (is_known ? Over(*here_.link_bytes_per_s, *there_.link_bytes_per_s) : 1);
    plan_.SetDuration(op, {then, std::min(ns, then), std::max(ns, then)}, kernels_);
    if (!is_known) plan_.Caution("links between GPUs are taken to be as fast as they are here");
  }

  void Say() {
    plan_.RestsOn(kScaling);
    plan_.Assume(
        "wave scaling: matrix kernels by peaks of their format, waves and bandwidth, "
        "others by bandwidth: " +
        here_.name + " → " + there_.name);
    plan_.Assume("host, launches and what a kernel costs at least stay as they are");
    plan_.Caution(
        "libraries choose other kernels on another GPU; such forecasts are off by 10 to "
        "15 % on average");
    if (lacks_) plan_.Caution(there_.name + " lacks a format of this program: fp32 stands for it");
  }

  Plan& plan_;
  const GpuPeaks here_;
  const GpuPeaks there_;
  double bandwidth_ = 1, clock_ = 1;
  bool lacks_ = false;
  ChangeId kernels_ = 0, copies_ = 0;
};

Applied ApplyOnGpu(Plan& plan, const WhatIfValues& values) {
  const std::string& name = values.Text("name");
  if (name.empty()) throw Error("--on-gpu does not say which GPU", "for instance --on-gpu=H100");
  const auto there = PeaksOfNamed(name);
  if (!there) throw Error("--on-gpu=" + name + ": no such GPU is known", "for instance H100, A100");
  return OtherGpu(plan, *there).Apply();
}

}  // namespace

const WhatIf kOnGpu = {"on-gpu",
                       "Another GPU",
                       "the same program on another GPU, each kernel by what bounds it",
                       kScaling,
                       "the name of the GPU",
                       Effort::kMachines,
                       kOnGpuOptions,
                       ApplyOnGpu,
                       /*is_advice=*/false};

}  // namespace xsp
