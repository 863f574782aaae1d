#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hierarchy/level.h"
#include "hierarchy/names/name_table.h"
#include "hierarchy/nodes.h"
#include "hierarchy/placing/host_ranges.h"
#include "hierarchy/placing/serialized.h"
#include "hierarchy/steps/steps.h"
#include "model/names/kernel_class.h"
#include "model/names/kernel_rules.h"
#include "model/trace.h"

namespace xsp {

// Who contains whom: every step, range, operation and library call of a trace as a node, and for
// every CUDA call and piece of device work the innermost node it belongs to.
//
// Device work belongs where its launch was made. Chains of parents lead
//   work -> (its call) -> ranges, innermost first -> phase -> step or [outside steps] -> process
//   -> root.
// Ranges that hold whole steps stand below [outside steps], not above the steps. Refers to the
// trace, which must outlive it. For totals over nodes of the same path see totals/path_totals.h.
class Hierarchy {
 public:
  explicit Hierarchy(const Trace& trace, const KernelRules& rules = KernelRules::BuiltIn());

  // `serialized` is a run of the same program in which nothing happens at the same time
  // (CUDA_LAUNCH_BLOCKING=1). It tells the place of work that is told by time only, or not at all.
  Hierarchy(const Trace& trace, const KernelRules& rules, const Hierarchy* serialized);

  const Trace& trace() const { return *trace_; }
  // What the host had open, and where each call was made: found once, here.
  const HostRanges& ranges() const { return ranges_; }
  const Steps& steps() const { return steps_; }
  const Nodes& nodes() const { return nodes_; }
  const NameTable& names() const { return names_; }
  const KernelKinds& kinds() const { return kinds_; }
  const SettledWork& settled() const { return settled_; }

  NodeId root() const { return NodeId(0u); }
  NodeId NodeOfProcess(ProcessId process) const { return NodeId(1 + process.value); }
  NodeId NodeOfStep(ProcessId process, std::uint32_t step) const;

  // [outside steps] of a process; the process itself where there are no steps.
  NodeId NodeOutside(ProcessId process) const { return outside_[process.value]; }

  // The innermost node of device work or of a CUDA call.
  NodeId NodeOfWork(EventId work) const { return node_of_work_[work.value]; }
  NodeId NodeOfCall(EventId call) const { return node_of_call_[call.value - first_call_]; }
  // By which fact the work has its place.
  Source SourceOfWork(EventId work) const { return source_of_work_[work.value]; }
  // The step that launched the work, or Steps::kOutside.
  std::uint32_t StepOfWork(EventId work) const { return step_of_work_[work.value]; }
  std::uint32_t StepOfCall(EventId call) const { return step_of_call_[call.value - first_call_]; }

  // The step that a node lies in.
  std::uint32_t StepAbove(NodeId node) const;
  // The step that a step's node stands for; Steps::kOutside for [outside steps].
  std::uint32_t StepOfNode(NodeId step_node) const;

  // The name under which device work is counted: a kernel's own, else "[CUDA memcpy HtoD]",
  // "[CUDA migration DtoH]", "[CUDA memset]", "[CUDA graph]".
  NameId NameOfWork(EventId work) const;
  // The name under which a CUDA call is counted: "cudaLaunchKernel" (see CallName).
  NameId NameOfCall(EventId call) const;
  // The name of a class of work: "gemm".
  NameId NameOfClass(KernelClass kind) const {
    return class_names_[static_cast<std::size_t>(kind)];
  }
  // "python [4711] GPU 0".
  NameId NameOfRank(ProcessId process, std::uint32_t device) const;

  // Whether the process did anything on the host that the hierarchy shows.
  bool HasHostEvents(ProcessId process) const { return has_host_events_[process.value] != 0; }
  // Whether a process has ranges of its own besides steps and what holds them. Where it has none,
  // what work does (its class) and repetition stand in for them.
  bool HasRanges(ProcessId process) const { return has_ranges_[process.value] != 0; }

  std::string_view Name(NodeId node) const { return names_.Text(nodes_.name[node.value]); }
  // The names from below the root down to the node, joined by '/'.
  std::string Path(NodeId node) const;

  // All nodes, parents before children.
  std::vector<NodeId> TopDown() const;
  // By node: the end of the last device work in it or below; the smallest time where there is none.
  std::vector<TimeNs> LastDeviceEnds() const;

 private:
  friend class HierarchyBuilder;

  const Trace* trace_;
  HostRanges ranges_;
  NameTable names_;
  KernelKinds kinds_;
  Nodes nodes_;
  Steps steps_;
  SettledWork settled_;
  std::vector<NodeId> node_of_work_;
  std::vector<NodeId> node_of_call_;
  std::vector<Source> source_of_work_;
  std::vector<std::uint32_t> step_of_work_;
  std::vector<std::uint32_t> step_of_call_;
  std::vector<std::vector<NodeId>> step_nodes_;  // By process, then step.
  std::vector<NodeId> outside_;                  // By process.
  std::unordered_map<NodeId, std::uint32_t> step_of_node_;
  std::vector<std::uint8_t> has_host_events_;  // By process.
  std::vector<std::uint8_t> has_ranges_;       // By process.
  std::map<std::pair<ProcessId, std::uint32_t>, NameId> rank_names_;
  std::array<NameId, kKernelClassCount> class_names_{};
  std::array<NameId, 64> work_names_{};              // By kind of copy; see work_names.cc.
  std::unordered_map<StringId, NameId> call_names_;  // By the name that was recorded.
  std::uint32_t first_call_ = 0;
};

}  // namespace xsp
