#include "sim/whatifs/kernels/fuse_chains.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "model/names/kernel_names.h"
#include "sim/models/autocast.h"
#include "sim/whatifs/kernels/rewrite.h"

namespace xsp {
namespace {

constexpr std::size_t kMostKernels = 64;  // That PyTorch's compiler takes into one.
constexpr double kRowShare = 16;  // What is left of rows has at least so many times fewer elements.

// Of PyTorch's sums: one result per thread group goes along rows, several go across them; a sum
// that several blocks work on together is one across all.
bool SumsRows(const TaskGraph& graph, const WorkFacts& facts, TaskId op) {
  const std::string name = ReadKernelName(facts.Name(op)).name;
  constexpr std::string_view kTemplate = "reduce_kernel<";
  const std::size_t at = name.find(kTemplate);
  if (at == name.npos || !graph.event[op].valid()) return false;
  const std::size_t comma = name.find(", ", at);
  if (comma == name.npos || name.compare(comma, 4, ", 1,") != 0) return false;
  const Kernels& kernels = graph.trace->kernels();
  const std::size_t row = graph.trace->Row(graph.event[op], EventKind::kKernel);
  constexpr std::uint32_t kFewRows = 8;
  const bool is_known = kernels.grid_x[row] != kMissing<std::uint32_t>;
  return is_known && kernels.grid_y[row] <= 1 && kernels.grid_x[row] >= kFewRows;
}

bool IsBackward(std::string_view name) { return HoldsAny(name, {"ackward", "grad", "bwd"}); }

struct Traffic {
  double reads = 0, writes = 0;
};

class ChainFinder {
 public:
  explicit ChainFinder(const Plan& plan)
      : plan_(plan), graph_(plan.graph()), facts_(plan.facts()), memory_(plan.machine().memory) {
    longest_gap_ = std::max<DurationNs>(200'000, 10 * plan.machine().operation_host);
  }

  std::vector<FusionChain> Find(std::size_t least) {
    least_ = std::max<std::size_t>(2, least);
    for (const TaskId op : plan_.KernelsInOrder()) Visit(op);
    Close();
    return std::move(chains_);
  }

 private:
  void Visit(TaskId op) {
    const FusionRole role = FusionRoleOf(plan_, op);
    if (role == FusionRole::kNone) return Close();
    if (!open_.kernels.empty() && !Joins(op, role)) Close();
    if (open_.kernels.empty() && role == FusionRole::kColumn) return;
    Take(op, role);
    if (role == FusionRole::kColumn || open_.kernels.size() == kMostKernels) Close();
  }

  void Close() {
    if (open_.kernels.size() >= least_) chains_.push_back(std::move(open_));
    open_ = {};
    is_exact_ = ends_written_ = makes_tensor_ = is_softmax_ = false;
  }

  bool Joins(TaskId op, FusionRole role) const {
    const TaskId last = open_.kernels.back();
    const WorkFact& a = facts_[last];
    const WorkFact& b = facts_[op];
    if (graph_.lane[last] != graph_.lane[op] || a.step != b.step || a.phase != b.phase ||
        !IsIssuedBehind(plan_.CallOf(last), plan_.CallOf(op))) {
      return false;
    }
    if (IsBeside(op, role)) return true;
    return IsSameSize(op);
  }

  // Behind a sum of rows: work on what is left of them. Anywhere: a constant, such as the scalar
  // that a mask puts in, which a compiler writes into the code.
  bool IsBeside(TaskId op, FusionRole role) const {
    if (role != FusionRole::kPointwise || open_.elements == 0) return false;
    constexpr double kConstant = 64;
    const Size size = SizeOf(op);
    if (open_.has_rows) return size.elements * kRowShare <= open_.elements;
    return facts_[op].kind.kernel_class == KernelClass::kFill &&
           size.elements * kConstant <= open_.elements;
  }

  bool IsSameSize(TaskId op) const {
    const Size size = SizeOf(op);
    if (size.is_exact && is_exact_) return size.elements == open_.elements;
    if (size.elements == 0 || open_.elements == 0) return size.elements == open_.elements;
    // By what they take: kernels are not equally good at the same work.
    constexpr double kAlike = 2.5;
    return size.elements < kAlike * open_.elements && open_.elements < kAlike * size.elements;
  }

  // By the same thread, which neither waits for the device in between nor does something else for
  // long: what it looks at or computes there no compiler takes into a kernel.
  bool IsIssuedBehind(TaskId a, TaskId b) const {
    if (graph_.lane[a] != graph_.lane[b]) return false;
    for (TaskId host : TaskRange{Next(a), Next(b)}) {
      if (IsWait(graph_.question[host].ask) || graph_.gap[host] > longest_gap_) return false;
    }
    return true;
  }

  struct Size {
    double elements = 0;  // 0: nothing tells.
    bool is_exact = false;
  };

  // By recorded sizes or the grid; else by its time and the memory's bandwidth.
  Size SizeOf(TaskId op) const {
    const double known = ElementsOf(graph_, facts_, plan_.machine(), op);
    if (known > 0) return {known, true};
    const Traffic traffic = TrafficOf(op);
    const double tensors = std::max(1.0, traffic.reads + traffic.writes);
    const double ns = static_cast<double>(plan_.Own(op)) - memory_.fixed_ns;
    const double bytes = std::max(0.0, ns) * 1e-9 * memory_.bytes_per_s;
    return {bytes / tensors / BytesPerElement(facts_[op].kind.precision), false};
  }

  Traffic TrafficOf(TaskId op) const {
    const KernelClass of = facts_[op].kind.kernel_class;
    const std::string_view name = facts_.Name(op);
    switch (of) {
      case KernelClass::kReduction:
        return {1, 0};
      case KernelClass::kNorm:
      case KernelClass::kSoftmax:
        return {IsBackward(name) ? 2.0 : 1.0, 1};
      case KernelClass::kFill:
        return {0, 1};
      default:
        break;
    }
    const auto kind = plan_.machine().elementwise.find(facts_[op].name);
    if (kind != plan_.machine().elementwise.end() && kind->second.operands > 0) {
      return {kind->second.operands - 1.0, 1};
    }
    const bool reads_two =
        of == KernelClass::kElementwise && OperandsRead(name, facts_.Operation(op)) == 2;
    return {reads_two ? 2.0 : 1.0, 1};
  }

  void Take(TaskId op, FusionRole role) {
    const bool is_beside = !open_.kernels.empty() && IsBeside(op, role);
    open_.kernels.push_back(op);
    if (is_beside) return;
    const Size size = SizeOf(op);
    if (open_.elements == 0 || (size.is_exact && !is_exact_)) {
      open_.elements = size.elements;
      is_exact_ = size.is_exact;
    }
    const bool is_first = open_.moved == 0;
    if (is_first) open_.element_bytes = BytesPerElement(facts_[op].kind.precision);
    CountMemory(op, role, is_first);
    open_.has_rows |= role == FusionRole::kRow;
  }

  // Between two kernels a tensor is written and read again: that goes. What a norm takes goes on to
  // the next layer, too, and must be written all the same; squares of it need not.
  void CountMemory(TaskId op, FusionRole role, bool is_first) {
    const Traffic traffic = TrafficOf(op);
    const double passed_on = is_first ? 0 : (ends_written_ ? 1 : 0) + std::min(1.0, traffic.reads);
    is_softmax_ |= facts_[op].kind.kernel_class == KernelClass::kSoftmax ||
                   HoldsAny(facts_.Name(op), {"exp_kernel"});
    const bool is_norm = role == FusionRole::kRow && !open_.has_rows && !is_softmax_;
    open_.moved += traffic.reads + traffic.writes;
    open_.left += traffic.reads + traffic.writes - passed_on;
    if (is_norm && makes_tensor_ && facts_[op].phase != Phase::kBackward) ++open_.left;
    ends_written_ = traffic.writes > 0;
    makes_tensor_ |= ends_written_ && !HoldsAny(facts_.Name(op), {"pow_tensor", "square"});
  }

  const Plan& plan_;
  const TaskGraph& graph_;
  const WorkFacts& facts_;
  const MemoryMachine& memory_;
  std::size_t least_ = 2;
  DurationNs longest_gap_ = 0;
  std::vector<FusionChain> chains_;
  FusionChain open_;
  bool is_exact_ = false;      // The chain's number of elements is known.
  bool ends_written_ = false;  // The last kernel of the chain writes all elements.
  bool makes_tensor_ = false;  // It computes something that others may need, too.
  bool is_softmax_ = false;
};

}  // namespace

FusionRole FusionRoleOf(const Plan& plan, TaskId op) {
  const WorkFacts& facts = plan.facts();
  const WorkFact& fact = facts[op];
  if (fact.phase == Phase::kOptimizer) return FusionRole::kNone;
  switch (fact.kind.kernel_class) {
    case KernelClass::kRandom:
      // A library's generators stay what they are.
      return HoldsAny(facts.Name(op), {"gen_sequenced", "curand", "generate_seed"})
                 ? FusionRole::kNone
                 : FusionRole::kPointwise;
    case KernelClass::kElementwise:
    case KernelClass::kCast:
    case KernelClass::kCopy:
    case KernelClass::kFill:
      return FusionRole::kPointwise;
    case KernelClass::kSoftmax:
      return FusionRole::kRow;
    case KernelClass::kNorm:
      return HoldsAny(facts.Name(op), {"GammaBeta", "gamma_beta"}) ? FusionRole::kColumn
                                                                   : FusionRole::kRow;
    case KernelClass::kReduction:
      return SumsRows(plan.graph(), facts, op) ? FusionRole::kRow : FusionRole::kColumn;
    default:
      return FusionRole::kNone;
  }
}

std::vector<FusionChain> FindFusionChains(const Plan& plan, std::size_t least) {
  return ChainFinder(plan).Find(least);
}

}  // namespace xsp
