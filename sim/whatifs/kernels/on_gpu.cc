#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/names/communication.h"
#include "sim/models/communication.h"
#include "sim/models/kernel_bound.h"
#include "sim/whatifs/all.h"
#include "sim/whatifs/host/copies.h"
#include "sim/whatifs/host/reads.h"

// Another GPU: each kernel by what bounds it, the host as it is.
namespace xsp {
namespace {

// By how much a copy may be off: links are not all as wide as a GPU would like.
constexpr double kCopyRange = 1.15;

constexpr WhatIfOption kOnGpuOptions[] = {{"name", "", "of the GPU: H100, 'RTX 4090', ..."}};

// Ratios of times, here over there: below 1 the other one is faster.
double Over(double here, double there) { return there > 0 ? here / there : 1; }

class OtherGpu {
 public:
  OtherGpu(Plan& plan, const GpuPeaks& there)
      : plan_(plan), here_(plan.machine().gpu), there_(there) {}

  Applied Apply() {
    if (!here_.bytes_per_s || !here_.fp32) {
      return Applied::No(
          "the trace does not tell which GPU it ran on: give --peaks fp32=...,bandwidth=...");
    }
    const std::vector<TaskId> ops = plan_.Select(Selector::Device());
    if (ops.empty()) return Applied::No("no device work in this part of the trace");
    bandwidth_ = Over(*here_.bytes_per_s, there_.bytes_per_s.value_or(0));
    const bool has_clocks = here_.clock_hz && there_.clock_hz;
    clock_ = has_clocks ? Over(*here_.clock_hz, *there_.clock_hz) : 1;
    const bool has_both = has_clocks && here_.sm_count > 0 && there_.sm_count > 0;
    // Without them: as fp32 does.
    instructions_ = has_both ? clock_ * Over(here_.sm_count, there_.sm_count)
                             : Over(*here_.fp32, there_.fp32.value_or(0));
    constexpr double kAlike = 0.01;
    if (std::abs(bandwidth_ - 1) < kAlike && std::abs(instructions_ - 1) < kAlike &&
        here_.capability == there_.capability) {
      return Applied::No("it ran on such a GPU: " + here_.name);
    }
    kernels_ = plan_.AddChange("kernels on " + there_.name, "kind=kernel");
    copies_ = plan_.AddChange("copies on " + there_.name, "kind=memcpy");
    collectives_ = plan_.AddChange("collectives between " + there_.name, "class=collective");
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
    const double ns = static_cast<double>(plan_.Own(op));
    const double fixed = std::min(ns, kCopyFixedNs);
    const auto at = [&](double factor) { return fixed + (ns - fixed) * factor; };
    TimeEstimate then{at(bandwidth_), at(bandwidth_) / kCopyRange, at(bandwidth_) * kCopyRange};
    if (of == OpClass::kHtoD || of == OpClass::kDtoH) then = CrossPcie(op, ns, fixed);
    plan_.SetDuration(op, then, copies_);
  }

  // From and to pinned memory by the link alone. Pageable memory is staged by the host, which stays
  // as it is: a copy far below the link's rate takes what it took if staging and transfer overlap,
  // and a little less if they take turns.
  TimeEstimate CrossPcie(TaskId op, double ns, double fixed) const {
    if (!here_.host_bytes_per_s || !there_.host_bytes_per_s) return {ns, ns, ns};
    const double links = Over(*here_.host_bytes_per_s, *there_.host_bytes_per_s);
    const TaskGraph& graph = plan_.graph();
    const bool is_pageable =
        graph.event[op].valid() && HostMemoryOf(graph, op) == MemoryKind::kPageable;
    if (!is_pageable) {
      const double then = fixed + (ns - fixed) * links;
      return {then, then / kCopyRange, then * kCopyRange};
    }
    constexpr double kReached = 0.85, kStaged = 0.6;  // Of what PCIe can do.
    const double bytes = static_cast<double>(CopyBytes(graph, op));
    const double on_link = std::min(ns - fixed, bytes / (kReached * *here_.host_bytes_per_s) * 1e9);
    const double in_turns = ns + on_link * (links - 1);
    const bool is_staged = on_link < kStaged * (ns - fixed);
    const double likely = is_staged ? std::max(ns, fixed + on_link * links) : in_turns;
    return {likely, std::min(likely, in_turns / kCopyRange), std::max({likely, ns, in_turns})};
  }

  // Rates of a format on both, as far as kernels reach them. What the other one cannot do in that
  // format it does in fp32.
  double MatrixFactor(const KernelKind& kind) {
    const bool tensor = UsesTensorCores(kind);
    Precision precision = tensor ? kind.precision : Precision::kFp32;
    if (tensor && precision == Precision::kFp32) precision = Precision::kTf32;
    // Formats without a rate of their own (integers) are taken to go as fp32 does.
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

  bool UsesTensorCores(const KernelKind& kind) const {
    const bool is_lower = kind.precision == Precision::kFp16 ||
                          kind.precision == Precision::kBf16 || kind.precision == Precision::kFp8;
    return kind.tensor_cores == TensorCores::kYes ||
           (kind.tensor_cores == TensorCores::kUnknown && is_lower && here_.has_tensor_cores);
  }

  // What multiplies goes by the peaks of its format, what computes otherwise (integers, random
  // numbers, functions) by instructions: multiprocessors and their clock.
  double ComputeFactor(const KernelKind& kind) {
    uses_fp64_ |= kind.precision == Precision::kFp64;
    if (MultipliesMatrices(kind.kernel_class)) return MatrixFactor(kind);
    if (kind.kernel_class != KernelClass::kOther) return instructions_;
    return std::sqrt(instructions_ * MatrixFactor(kind));
  }

  // Blocks run in waves, as many at once as there are multiprocessors (with several each, both
  // count alike). For grids far larger than that it is the ratio of multiprocessors.
  double WaveFactor(std::uint64_t blocks) const {
    const double n = static_cast<double>(blocks);
    return std::ceil(n / there_.sm_count) / std::ceil(n / here_.sm_count);
  }

  void MoveKernel(TaskId op) {
    const KernelKind& kind = plan_.facts()[op].kind;
    const double ns = static_cast<double>(plan_.Own(op));
    if (IsCommunication(kind.kernel_class)) return MoveCollective(op, ns);
    const MatrixWork work = MatrixWorkOf(plan_.graph(), plan_.facts(), op);
    const bool has_waves = work.blocks > 0 && here_.sm_count > 0 && there_.sm_count > 0;
    double compute = ComputeFactor(kind);
    double memory = bandwidth_;
    constexpr std::uint64_t kManyWaves = 8;
    if (has_waves && work.blocks < kManyWaves * here_.sm_count) {
      // The rate of one multiprocessor, by whole waves.
      compute *= WaveFactor(work.blocks) * there_.sm_count / here_.sm_count;
    }
    // Too few blocks to use the memory's bandwidth: they wait, and waiting goes by the clock.
    const bool is_small = has_waves && work.blocks < here_.sm_count;
    if (is_small) memory = std::max(memory, std::min(1.0, clock_));
    const BoundBy bound = BoundOf(plan_.graph(), plan_.facts(), plan_.machine(), op);
    const auto factor = [&](double by_memory) {
      return std::pow(memory, by_memory) * std::pow(compute, 1 - by_memory);
    };
    const double fixed = std::min(ns, plan_.machine().memory.fixed_ns);
    const auto at = [&](double of) { return fixed + (ns - fixed) * of; };
    const double likely = factor(bound.memory);
    const double more = factor(std::min(1.0, bound.memory + bound.unsure));
    const double less = factor(std::max(0.0, bound.memory - bound.unsure));
    // Libraries choose other kernels; what streams memory does so everywhere.
    const double choice = bound.memory > 0.9 ? 1.05 : 1.12;
    plan_.SetDuration(op,
                      {at(likely), at(std::min({likely, more, less}) / choice),
                       at(std::max({likely, more, less}) * choice)},
                      kernels_);
  }

  // Only the transfer goes by the links: what a collective takes without any bytes stays.
  void MoveCollective(TaskId op, double ns) {
    constexpr double kLatencyNs = 20'000;
    const bool is_known = here_.link_bytes_per_s || here_.host_bytes_per_s;
    const double links =
        is_known ? Over(UsualLinks(here_, 2, 2).inside, UsualLinks(there_, 2, 2).inside) : 1;
    const double fixed = std::min(ns, kLatencyNs);
    const double then = fixed + (ns - fixed) * links;
    if (!is_known) plan_.Caution("links between GPUs are taken to be as fast as they are here");
    plan_.SetDuration(
        op, {then, std::min((ns + then) / 2, then * 0.9), std::max((ns + then) / 2, then * 1.1)},
        collectives_);
    has_collectives_ = true;
  }

  void Say() {
    plan_.RestsOn(kScaling);
    plan_.Assume(
        "each kernel by what bounds it, as its sizes, its time and the peaks tell: products by "
        "peaks of their format, random numbers by instructions, what streams by bandwidth: " +
        (here_.name.empty() ? "the peaks given" : here_.name) + " → " + there_.name);
    plan_.Assume(
        "host, launches, what a kernel costs at least and the staging of pageable memory stay as "
        "they are; other copies go by the PCIe that the GPU has");
    plan_.Caution(
        "libraries choose other kernels on another GPU; such forecasts are off by 10 to "
        "15 % on average");
    if (has_collectives_) {
      plan_.Assume(
          "collectives stay in a machine: 20 us each do not change, the rest goes by its links");
    }
    if (uses_fp64_) {
      plan_.Caution("fp64 work goes by the rates of fp32 here; GeForce cards do a 32nd to 64th");
    }
    if (lacks_) plan_.Caution(there_.name + " lacks a format of this program: fp32 stands for it");
  }

  Plan& plan_;
  const GpuPeaks here_;
  const GpuPeaks there_;
  double bandwidth_ = 1, clock_ = 1;
  double instructions_ = 1;  // Multiprocessors times clock.
  bool lacks_ = false, uses_fp64_ = false, has_collectives_ = false;
  ChangeId kernels_ = 0, copies_ = 0, collectives_ = 0;
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
                       {},
                       kOnGpuOptions,
                       ApplyOnGpu,
                       /*is_advice=*/false};

}  // namespace xsp
