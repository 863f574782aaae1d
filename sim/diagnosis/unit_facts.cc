#include "sim/diagnosis/unit_facts.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

#include "base/quantile.h"
#include "model/duration.h"

namespace xsp {
namespace {

bool SpeaksOfTorch(std::string_view kernel, std::string_view operation) {
  return operation.starts_with("aten::") || kernel.find("at::native") != kernel.npos ||
         kernel.find("at_cuda_detail") != kernel.npos || kernel.starts_with("triton_");
}

bool IsMatrix(KernelClass of) {
  return of == KernelClass::kGemm || of == KernelClass::kConv || of == KernelClass::kAttention;
}

// Kernels that no tensor core is in, by their names.
bool IsPlainFp32(const KernelKind& kind) {
  return kind.precision == Precision::kFp32 && kind.tensor_cores != TensorCores::kYes;
}

// Names that people know such kernels by.
std::string KnownName(std::string_view kernel, KernelClass of) {
  if (kernel.find("sgemm") != kernel.npos) return "sgemm";
  if (kernel.find("scudnn") != kernel.npos) return "scudnn";
  return std::string(NameOf(of)) + " kernels";
}

// Sums over the operations of the unit.
class FactFinder {
 public:
  FactFinder(const Workbench& workbench, const Hierarchy& hierarchy)
      : bench_(workbench), graph_(workbench.graph()), hierarchy_(hierarchy) {
    for (TaskId op : graph_.ops()) {
      if (bench_.IsInUnit(op)) Add(op);
    }
  }

  UnitFacts Facts() {
    UnitFacts facts;
    facts.is_torch = IsOfTorch(bench_);
    if (!ahead_.empty()) facts.host_ahead = UpperMedian(ahead_);
    const DurationNs measured = bench_.unit().run_measured;
    const bool has_better = bench_.machine().gpu.has_tensor_cores;
    if (has_better && !matrix_.empty()) {
      DurationNs sum = 0;
      const auto most =
          std::max_element(matrix_.begin(), matrix_.end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; });
      for (const auto& [name, ns] : matrix_) sum += ns;
      const auto devices = static_cast<DurationNs>(std::max<std::size_t>(1, devices_.size()));
      const double share =
          ShareOf(bench_.unit().MeanOfRun(sum) / devices, std::max<DurationNs>(1, measured));
      facts.fp32_matrix = std::min(1.0, share);  // Streams beside each other may take more.
      facts.matrix_name = most->first;
    }
    facts.blocks = Blocks();
    return facts;
  }

 private:
  void Add(TaskId op) {
    const EventId event = graph_.event[op];
    sum_ += graph_.measured(op);
    devices_.insert(graph_.DeviceOf(op));
    if (!event.valid() || graph_.kind[op] != TaskKind::kKernel) return;
    const Trace& trace = *graph_.trace;
    if (const EventId call = trace.call_of(event); call.valid()) {
      ahead_.push_back(std::max<DurationNs>(0, trace.begin(event) - trace.end(call)));
    }
    const WorkFact& fact = bench_.facts()[op];
    const KernelClass of = fact.kind.kernel_class;
    if (IsMatrix(of) && IsPlainFp32(fact.kind)) {
      matrix_[KnownName(bench_.facts().Name(op), of)] += trace.duration(event);
    }
    AddToBlock(event, of);
  }

  void AddToBlock(EventId event, KernelClass of) {
    const Nodes& nodes = hierarchy_.nodes();
    NodeId node = hierarchy_.NodeOfWork(event);
    while (node.valid() && nodes.level[node.value] > Level::kLayer) node = nodes.parent[node.value];
    if (!node.valid() || nodes.level[node.value] != Level::kLayer) return;
    if (nodes.source[node.value] != Source::kRepetition) return;
    Held& held = blocks_[nodes.name[node.value]];
    held.nodes.insert(node);
    held.ns += hierarchy_.trace().duration(event);
    ++held.kernels;
    auto& [count, ns] = held.by_class[of];
    ++count;
    ns += hierarchy_.trace().duration(event);
  }

  // Those that take most of the time, if that is more than half of it.
  std::optional<EqualBlocks> Blocks() const {
    const auto most =
        std::max_element(blocks_.begin(), blocks_.end(),
                         [](const auto& a, const auto& b) { return a.second.ns < b.second.ns; });
    if (most == blocks_.end() || most->second.ns * 2 < sum_) return std::nullopt;
    const Held& held = most->second;
    const auto in_run = static_cast<std::uint32_t>(held.nodes.size());
    EqualBlocks blocks;
    blocks.count = in_run / static_cast<std::uint32_t>(bench_.unit().run_size());
    if (blocks.count < 2) return std::nullopt;
    blocks.kernels = static_cast<std::uint32_t>(held.kernels / in_run);
    blocks.ns = held.ns / in_run;
    blocks.share = ShareOf(held.ns, std::max<DurationNs>(1, sum_));
    for (const auto& [of, counted] : held.by_class) {
      blocks.parts.push_back({std::string(NameOf(of)), counted.first / in_run,
                              ShareOf(counted.second, std::max<DurationNs>(1, held.ns))});
    }
    std::stable_sort(blocks.parts.begin(), blocks.parts.end(),
                     [](const auto& a, const auto& b) { return a.share > b.share; });
    return blocks;
  }

  struct Held {
    std::set<NodeId> nodes;
    DurationNs ns = 0;
    std::uint64_t kernels = 0;
    std::map<KernelClass, std::pair<std::uint32_t, DurationNs>> by_class;
  };

  const Workbench& bench_;
  const TaskGraph& graph_;
  const Hierarchy& hierarchy_;
  DurationNs sum_ = 0;
  std::set<std::uint32_t> devices_;
  std::vector<DurationNs> ahead_;
  std::map<std::string, DurationNs> matrix_;
  std::map<NameId, Held> blocks_;
};

}  // namespace

bool IsOfTorch(const Workbench& workbench) {
  const TaskGraph& graph = workbench.graph();
  if (graph.trace->info().format.starts_with("kineto")) return true;
  const WorkFacts& facts = workbench.facts();
  std::set<std::uint32_t> seen;
  for (TaskId op : graph.ops()) {
    if (!seen.insert(facts[op].name).second && facts[op].operation == 0) continue;
    if (SpeaksOfTorch(facts.Name(op), facts.Operation(op))) return true;
  }
  return false;
}

UnitFacts FactsOf(const Workbench& workbench, const Hierarchy& hierarchy) {
  return FactFinder(workbench, hierarchy).Facts();
}

}  // namespace xsp
