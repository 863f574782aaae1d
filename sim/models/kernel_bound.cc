#include "sim/models/kernel_bound.h"

#include <algorithm>
#include <cmath>

namespace xsp {
namespace {

// The share of memory, where streaming alone and computing alone would take so long.
double SmoothShare(double memory_ns, double compute_ns) {
  constexpr double kSharp = 4;
  const double memory = std::pow(memory_ns, kSharp), compute = std::pow(compute_ns, kSharp);
  return memory + compute > 0 ? memory / (memory + compute) : 0.5;
}

// What a matrix kernel reaches at most, flop per second.
double ReachableRate(const KernelKind& kind, const GpuPeaks& gpu) {
  const bool is_plain = kind.tensor_cores == TensorCores::kNo;
  Precision format = is_plain ? Precision::kFp32 : kind.precision;
  if (!is_plain && format == Precision::kFp32 && kind.tensor_cores == TensorCores::kYes) {
    format = Precision::kTf32;
  }
  const double peak = gpu.Of(format).value_or(gpu.fp32.value_or(0));
  return peak * ReachedShare(gpu, format, !is_plain && gpu.has_tensor_cores);
}

class MatrixBound {
 public:
  MatrixBound(const MatrixWork& work, const KernelKind& kind, const MachineFacts& machine)
      : work_(work),
        rate_(ReachableRate(kind, machine.gpu)),
        bandwidth_(machine.gpu.bytes_per_s.value_or(0)),
        bytes_(BytesPerElement(kind.precision)),
        sms_(machine.gpu.sm_count) {}

  BoundBy Find() const {
    const bool has_rates = rate_ > 0 && bandwidth_ > 0 && work_.ns > 0;
    if (has_rates && work_.flops && work_.elements) return BySizes();
    if (has_rates && work_.shape && work_.shape->m && work_.shape->n) return ByTile();
    // Too few blocks to keep the multiprocessors busy: products of few rows, which stream weights.
    if (work_.blocks > 0 && work_.blocks < sms_) return {0.7, 0.3};
    return {0.2, 0.2};
  }

 private:
  BoundBy BySizes() const {
    const double memory_ns = *work_.elements * bytes_ / bandwidth_ * 1e9;
    const double compute_ns = *work_.flops / rate_ * 1e9;
    // It would have needed more than the memory gives: what it reads lies in the cache.
    if (memory_ns > work_.ns) return {0.0, 0.15};
    return {SmoothShare(memory_ns, compute_ns), 0.1};
  }

  // The inner dimension is not known: it is at most what fits into the time, by multiplications
  // and by bytes. The one that allows less is the limit.
  BoundBy ByTile() const {
    const auto m = static_cast<double>(*work_.shape->m);
    const auto n = static_cast<double>(*work_.shape->n);
    const double seconds = work_.ns * 1e-9;
    const double by_rate = rate_ * seconds / (2 * m * n);
    const double by_bytes = (bandwidth_ * seconds / bytes_ - m * n) / (m + n);
    if (by_bytes <= 0) return {0.8, 0.2};  // Its result alone takes that long to write.
    return {SmoothShare(1 / by_bytes, 1 / by_rate), 0.15};
  }

  const MatrixWork& work_;
  const double rate_, bandwidth_, bytes_;
  const std::uint32_t sms_;
};

// An elementwise kernel far larger than the caches that reaches little of the bandwidth computes.
BoundBy ElementwiseBound(const TaskGraph& graph, const WorkFacts& facts,
                         const MachineFacts& machine, TaskId op) {
  constexpr double kOutOfCache = 32e6;
  constexpr double kStreams = 0.6, kComputes = 0.3;
  const auto kind = machine.elementwise.find(facts[op].name);
  const bool is_known = kind != machine.elementwise.end() && kind->second.operands > 0;
  const double bytes = is_known ? ElementsOf(graph, facts, machine, op) * kind->second.operands *
                                      BytesPerElement(facts[op].kind.precision)
                                : 0;
  const auto ns = static_cast<double>(graph.own[op]);
  if (bytes < kOutOfCache || ns <= 0 || machine.memory.bytes_per_s <= 0) return {0.95, 0.1};
  const double share = bytes / (ns * 1e-9) / machine.memory.bytes_per_s;
  return {std::clamp((share - kComputes) / (kStreams - kComputes), 0.0, 1.0), 0.1};
}

}  // namespace

bool MultipliesMatrices(KernelClass of) {
  return of == KernelClass::kGemm || of == KernelClass::kConv || of == KernelClass::kAttention;
}

BoundBy BoundOf(const TaskGraph& graph, const WorkFacts& facts, const MachineFacts& machine,
                TaskId op) {
  const KernelKind& kind = facts[op].kind;
  if (MultipliesMatrices(kind.kernel_class)) {
    const MatrixWork work = MatrixWorkOf(graph, facts, op);
    return MatrixBound(work, kind, machine).Find();
  }
  switch (kind.kernel_class) {
    case KernelClass::kRandom:
      // Dropout reads and writes a tensor with the numbers that it makes.
      if (facts.Name(op).find("ropout") != std::string_view::npos) return {0.6, 0.3};
      return {0, 0.15};
    case KernelClass::kElementwise:
      return ElementwiseBound(graph, facts, machine, op);
    case KernelClass::kOther:
    case KernelClass::kSort:
    case KernelClass::kSolver:
    case KernelClass::kRnn:
    case KernelClass::kFft:
    case KernelClass::kSparse:
      return {0.5, 0.3};
    default:
      return {0.95, 0.1};  // Copies, norms, sums, indices, updates: what streams.
  }
}

}  // namespace xsp
