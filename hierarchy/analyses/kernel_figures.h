#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "hierarchy/analyses/roofline.h"
#include "hierarchy/analyses/shapes.h"
#include "hierarchy/hierarchy.h"
#include "model/kernel_counters.h"

namespace xsp {

// How many of a trace's kernels found their counters.
struct CounterJoin {
  std::uint64_t calls = 0;
  std::uint64_t joined_calls = 0;
  DurationNs time = 0;
  DurationNs joined_time = 0;
};

// Counters of Nsight Compute by kernel and launch shape, means over the launches that were
// profiled. Names are compared in canonical form; a bare function name serves where only one kernel
// of the trace has it with that launch shape.
class CounterTable {
 public:
  CounterTable(const Trace& trace, std::span<const KernelCounters> counters);

  // Nothing where no launch of this kernel and shape was profiled.
  const KernelCounters* Of(EventId kernel) const;
  bool empty() const { return table_.empty(); }

 private:
  using Shape = std::array<std::uint32_t, 6>;
  using Key = std::pair<std::string, Shape>;

  Shape ShapeOf(EventId kernel) const;
  void IndexBareNames();

  const Trace* trace_;
  std::map<Key, KernelCounters> table_;
  std::unordered_map<StringId, std::string> canonical_;
  std::unordered_map<StringId, std::string> bare_;
  std::map<Key, StringId>
      bare_owner_;  // Points nowhere where several kernels share name and shape.
};

// What each kernel of a trace computed and moved, from the best source there is: counters, else the
// recorded sizes of the operation around it, else its tile and grid. Achieved occupancy from
// counters, else the theoretical one. The hierarchy must outlive it.
class KernelFigures {
 public:
  KernelFigures(const Hierarchy& hierarchy, std::span<const KernelCounters> counters);
  // Of these kernels only, which are all that the operations around them launched.
  KernelFigures(const Hierarchy& hierarchy, std::span<const EventId> kernels);

  GpuFigures Of(EventId kernel) const;

  // Of these kernels.
  CounterJoin Join(std::span<const EventId> kernels) const;

 private:
  // An operation with recorded sizes: what it computes, and the time of the kernels that share it.
  struct Operation {
    OperationCost cost;
    DurationNs product_time = 0;
  };

  // The innermost operation around the kernel whose range fulfils `wanted`.
  NodeId OperationOf(EventId kernel, bool (*wanted)(const Trace&, EventId range)) const;
  template <class Kernels>
  void FindOperations(const Kernels& kernels);
  std::optional<std::pair<double, std::uint8_t>> FlopsOf(EventId kernel,
                                                         const KernelCounters* counters) const;
  std::optional<double> TileFlops(EventId kernel) const;
  std::optional<OperationCost> ShareOfOperation(EventId kernel) const;

  const Hierarchy& h_;
  CounterTable counters_;
  std::unordered_map<NodeId, Operation> operations_;
  std::unordered_map<EventId, NodeId> operation_of_;
  // Operations that replayed kernels name themselves (model/building/kernel_operators.h): by launch
  // of the graph and number.
  using Replayed = std::pair<EventId, std::uint64_t>;
  std::map<Replayed, Operation> replayed_;
  std::unordered_map<EventId, Replayed> replayed_of_;
};

}  // namespace xsp
