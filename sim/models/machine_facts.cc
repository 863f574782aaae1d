#include "sim/models/machine_facts.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_set>
#include <vector>

#include "base/quantile.h"
#include "hierarchy/analyses/shapes.h"

namespace xsp {
namespace {

bool Contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

// Rows of the kernel's own details; only for kernels of the trace.
struct LaunchShape {
  std::uint64_t blocks = 0;
  std::uint32_t block_threads = 0;
  std::uint32_t grid[3] = {0, 0, 0};

  double threads() const { return static_cast<double>(blocks) * block_threads; }
};

std::optional<LaunchShape> ShapeOfLaunch(const TaskGraph& graph, TaskId op) {
  const EventId event = graph.event[op];
  if (graph.kind[op] != TaskKind::kKernel || !event.valid()) return std::nullopt;
  const Kernels& kernels = graph.trace->kernels();
  const std::size_t row = graph.trace->Row(event, EventKind::kKernel);
  LaunchShape shape;
  const std::uint32_t sizes[] = {kernels.grid_x[row],  kernels.grid_y[row],  kernels.grid_z[row],
                                 kernels.block_x[row], kernels.block_y[row], kernels.block_z[row]};
  for (const std::uint32_t size : sizes) {
    if (size == kMissing<std::uint32_t>) return std::nullopt;
  }
  std::copy(sizes, sizes + 3, shape.grid);
  shape.blocks = std::uint64_t{sizes[0]} * std::max(1u, sizes[1]) * std::max(1u, sizes[2]);
  shape.block_threads = sizes[3] * std::max(1u, sizes[4]) * std::max(1u, sizes[5]);
  return shape;
}

// What a call costs where many of them are added up: that of real launches is 4 to 25 % above the
// median. 0 where there are none.
DurationNs MeanCost(std::vector<DurationNs> costs) {
  if (costs.empty()) return 0;
  std::sort(costs.begin(), costs.end());
  return RobustMean(costs);
}

void Override(const PeakOverrides& overrides, GpuPeaks& peaks) {
  auto set = [](std::optional<double>& peak, const std::optional<double>& stated) {
    if (stated) peak = stated;
  };
  set(peaks.fp32, overrides.fp32);
  set(peaks.tf32, overrides.tf32);
  set(peaks.fp16, overrides.fp16);
  set(peaks.bf16, overrides.bf16);
  set(peaks.fp8, overrides.fp8);
  set(peaks.bytes_per_s, overrides.bytes_per_s);
  const double plain = peaks.fp32.value_or(0);
  const bool stated_tensor = overrides.tf32 || overrides.fp16 || overrides.bf16 || overrides.fp8;
  if (stated_tensor && std::max(peaks.fp16.value_or(0), peaks.bf16.value_or(0)) > plain) {
    peaks.has_tensor_cores = true;
  }
}

class Finder {
 public:
  Finder(const TaskGraph& graph, const WorkFacts& facts, std::uint32_t step_count)
      : graph_(graph), facts_(facts), steps_(std::max(1u, step_count)) {}

  MachineFacts Find(const PeakOverrides& overrides) {
    FindGpu(overrides);
    FindMemory();
    FindMatrixRates();
    FindHostCosts();
    FindWeights();
    FindParameters();
    return std::move(machine_);
  }

 private:
  template <class F>
  void ForEachOp(F f) const {
    for (TaskId op : graph_.ops()) f(op);
  }
  double Ns(TaskId op) const { return static_cast<double>(graph_.own[op]); }

  // Of the first device that works. Some traces number devices otherwise than their GPUs: where all
  // of these are of one name, it is one of them.
  GpuId WorkingGpu() const {
    if (graph_.op_count() == 0) return {};
    const GpuId id = graph_.devices[graph_.DeviceOf(graph_.ops().front())].gpu;
    const auto& gpus = graph_.trace->gpus();
    if (id.valid() || gpus.empty()) return id;
    const bool are_alike = std::all_of(
        gpus.begin(), gpus.end(), [&](const Gpu& gpu) { return gpu.name == gpus.front().name; });
    return are_alike ? GpuId(0) : GpuId();
  }

  void FindGpu(const PeakOverrides& overrides) {
    if (const GpuId id = WorkingGpu(); id.valid()) {
      const Gpu& gpu = graph_.trace->gpus()[id.value];
      const bool named = gpu.name.valid();
      machine_.gpu = PeaksOf(gpu, named ? graph_.trace->strings()[gpu.name] : std::string_view());
      if (gpu.l2_bytes != kMissing<std::uint64_t>) l2_ = static_cast<double>(gpu.l2_bytes);
    }
    Override(overrides, machine_.gpu);
  }

  void FindMemory() {
    std::vector<double> times;
    std::vector<ElementwiseSample> samples;
    std::unordered_set<std::uint32_t> seen;
    ForEachOp([&](TaskId op) {
      if (graph_.kind[op] != TaskKind::kKernel) return;
      times.push_back(Ns(op));
      const WorkFact& fact = facts_[op];
      if (seen.insert(fact.name).second) {
        if (const auto kind = ElementwiseOf(facts_.Name(op)))
          machine_.elementwise[fact.name] = *kind;
      }
      const bool is_float = fact.kind.precision == Precision::kFp32;
      if (fact.kind.kernel_class != KernelClass::kElementwise || !is_float) return;
      const auto launch = ShapeOfLaunch(graph_, op);
      const auto kind = machine_.elementwise.find(fact.name);
      if (!launch || kind == machine_.elementwise.end()) return;
      samples.push_back({kind->second, launch->threads(), Ns(op), 4});
    });
    machine_.memory = CalibrateMemory(samples, machine_.gpu, l2_, FixedKernelNs(times));
  }

  void FindMatrixRates() {
    machine_.matrix.peaks = machine_.gpu;
    machine_.matrix.fixed_ns = machine_.memory.fixed_ns;
    if (machine_.memory.bytes_per_s > 0) machine_.matrix.bytes_per_s = machine_.memory.bytes_per_s;
    double best = 0;
    ForEachOp([&](TaskId op) {
      const KernelClass of = facts_[op].kind.kernel_class;
      if (of != KernelClass::kGemm && of != KernelClass::kConv) return;
      const MatrixWork work = MatrixWorkOf(graph_, facts_, op);
      if (!work.flops || work.tensor_cores || work.precision != Precision::kFp32) return;
      if (work.ns > 0) best = std::max(best, *work.flops / work.ns * 1e9);
    });
    if (best > 0) machine_.matrix.best_rate = best;
  }

  // Whether a launch is all that its operation launches; where nothing tells of operations, each
  // launch counts as one.
  bool IsWholeOperation(TaskId host) const {
    const EventId range = facts_[host].operation_range;
    if (!range.valid()) return true;
    auto is_other = [&](TaskId neighbour) {
      return !graph_.IsHost(neighbour) || graph_.lane[neighbour] != graph_.lane[host] ||
             facts_[neighbour].operation_range != range;
    };
    const TaskId previous = graph_.PreviousOf(host);
    return (!previous.valid() || is_other(previous)) && is_other(Next(host));
  }

  void FindHostCosts() {
    std::vector<DurationNs> launches, all, operations, copies;
    std::array<std::vector<DurationNs>, kPhaseCount> by_phase;
    // Longer untraced times than this are no operation: loading, printing,
    // waiting for others.
    constexpr DurationNs kLongestGap = 1'000'000;
    for (TaskId host : graph_.host_tasks()) {
      const TaskRange ops = graph_.OpsOf(host);
      if (ops.empty() || (graph_.flags[host] & kCold) != 0) continue;
      const TaskId first = ops.front();
      // What a launch costs is known, whether it waits then for its kernel or not.
      const Question& question = graph_.question[host];
      const bool waits = IsWait(question.ask) && question.rule != Rule::kBlockingLaunch;
      if (graph_.kind[first] == TaskKind::kMemcpy && !waits) copies.push_back(graph_.own[host]);
      if (graph_.kind[first] != TaskKind::kKernel || waits) continue;
      launches.push_back(graph_.own[host]);
      const DurationNs gap = graph_.gap[host];
      if (gap <= 0 || gap >= kLongestGap) continue;
      all.push_back(gap + graph_.own[host]);
      if (!IsWholeOperation(host)) continue;
      operations.push_back(gap + graph_.own[host]);
      by_phase[static_cast<std::size_t>(facts_[host].phase)].push_back(operations.back());
    }
    machine_.launch_own = MeanCost(launches);
    // A few operations of a cold start tell less than all launches do.
    constexpr std::size_t kEnough = 20;
    machine_.operation_host =
        std::max(machine_.launch_own, MeanCost(operations.size() >= kEnough ? operations : all));
    machine_.copy_own = copies.empty() ? machine_.launch_own : MeanCost(copies);
    for (std::size_t i = 0; i < kPhaseCount; ++i) {
      if (by_phase[i].size() < kEnough) continue;
      machine_.operation_host_in[i] = std::max(machine_.launch_own, MeanCost(by_phase[i]));
    }
  }

  void FindWeights() {
    ForEachOp([&](TaskId op) {
      const WorkFact& fact = facts_[op];
      machine_.has_backward |= fact.phase == Phase::kBackward;
      machine_.has_optimizer |=
          fact.phase == Phase::kOptimizer || fact.kind.kernel_class == KernelClass::kOptimizer;
      if (!MakesWeightGradient(facts_, op)) return;
      const MatrixWork work = MatrixWorkOf(graph_, facts_, op);
      if (work.shape) machine_.matrix_weights += static_cast<double>(work.shape->outputs) / steps_;
    });
  }

  // The optimizer streams all parameters: its time tells how many there are.
  // Each of its kernels (by name) makes one pass; the middle one counts, as
  // some make two.
  void FindParameters() {
    std::map<std::uint32_t, double> by_name;
    ForEachOp([&](TaskId op) {
      if (facts_[op].kind.kernel_class == KernelClass::kOptimizer)
        by_name[facts_[op].name] += Ns(op);
    });
    std::vector<double> counts;
    for (const auto& [name, ns] : by_name) {
      const double bytes = BytesOfPass(facts_.names[name]);
      if (bytes > 0) counts.push_back(ns * 1e-9 * machine_.memory.bytes_per_s / bytes / steps_);
    }
    machine_.parameters = UpperMedian(counts);
    machine_.parameters_source = "the optimizer's time and the memory's bandwidth";
    if (machine_.parameters <= 0 || machine_.matrix_weights > machine_.parameters) {
      machine_.parameters = machine_.matrix_weights;
      machine_.parameters_source = "the tiles of the products that make gradients";
    }
    if (machine_.parameters <= 0) machine_.parameters_source.clear();
  }

  // Bytes per parameter of one pass of an optimizer's kernel; 0 for what is no
  // pass over them.
  static double BytesOfPass(std::string_view name) {
    if (Contains(name, "amp_update_scale") || Contains(name, "non_finite")) return 0;
    if (Contains(name, "usedAdam") || Contains(name, "FusedAdam") || Contains(name, "adam")) {
      return 28;  // Reads parameter, gradient and two moments; writes three of
                  // them.
    }
    if (Contains(name, "UnaryOp") || Contains(name, "BinaryOpScalar")) return 8;
    if (Contains(name, "multi_tensor_apply")) return 14;  // Between two and three tensors read.
    return 0;
  }

  const TaskGraph& graph_;
  const WorkFacts& facts_;
  double steps_;
  double l2_ = 0;
  MachineFacts machine_;
};

}  // namespace

MachineFacts FindMachine(const TaskGraph& graph, const WorkFacts& facts, std::uint32_t step_count,
                         const PeakOverrides& overrides) {
  return Finder(graph, facts, step_count).Find(overrides);
}

MatrixWork MatrixWorkOf(const TaskGraph& graph, const WorkFacts& facts, TaskId op) {
  const WorkFact& fact = facts[op];
  const std::string_view name = facts.Name(op);
  MatrixWork work;
  work.ns = static_cast<double>(graph.own[op]);
  work.precision = fact.kind.precision;
  work.tensor_cores = fact.kind.tensor_cores == TensorCores::kYes;
  work.winograd = Contains(name, "inograd");
  if (const auto launch = ShapeOfLaunch(graph, op)) {
    work.blocks = launch->blocks;
    work.shape = GemmShapeOf(name, launch->grid[0], launch->grid[1], launch->grid[2]);
  }
  // Split sums are reduced by a kernel of their own, which does none of the
  // multiplications.
  const bool is_product = !Contains(name, "splitK") && !Contains(name, "SplitK");
  const bool is_recorded = is_product && fact.operation_range.valid();
  const auto cost =
      is_recorded ? MatrixProductCost(*graph.trace, fact.operation_range) : std::nullopt;
  if (cost) {
    work.flops = cost->flops;
    work.elements = cost->read_elements + cost->written_elements;
  }
  return work;
}

OperandSizes RecordedOperands(const TaskGraph& graph, const WorkFacts& facts, TaskId op) {
  const EventId range = facts[op].operation_range;
  return range.valid() ? RecordedSizes(*graph.trace, range) : OperandSizes();
}

double ElementCount(const std::vector<std::uint64_t>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), 1.0,
                         [](double a, std::uint64_t b) { return a * static_cast<double>(b); });
}

double ElementsOf(const TaskGraph& graph, const WorkFacts& facts, const MachineFacts& machine,
                  TaskId op) {
  double largest = 0;
  for (const auto& operand : RecordedOperands(graph, facts, op)) {
    if (!operand.empty()) largest = std::max(largest, ElementCount(operand));
  }
  if (largest > 0) return largest;
  const auto launch = ShapeOfLaunch(graph, op);
  const auto kind = machine.elementwise.find(facts[op].name);
  if (!launch || kind == machine.elementwise.end()) return 0;
  return machine.memory.ElementsOf(kind->second, launch->threads());
}

bool MakesWeightGradient(const WorkFacts& facts, TaskId op) {
  const WorkFact& fact = facts[op];
  if (fact.phase != Phase::kBackward && fact.phase != Phase::kNone) return false;
  if (fact.kind.kernel_class == KernelClass::kConv) return Contains(facts.Name(op), "wgrad");
  // PyTorch's linear layers: the product of transposed operands.
  const std::string_view name = facts.Name(op);
  return fact.kind.kernel_class == KernelClass::kGemm &&
         (Contains(name, "_nt_") || name.ends_with("_nt"));
}

}  // namespace xsp
