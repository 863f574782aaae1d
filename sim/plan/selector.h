#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/task_graph.h"
#include "hierarchy/level.h"
#include "model/names/kernel_class.h"
#include "model/time.h"
#include "sim/models/work_facts.h"

namespace xsp {

class FittingRanges;

// What a selector looks at: a graph, what is known of its tasks, and which of
// them lie on the critical path (empty: nobody asked for it).
struct SelectorInput {
  const TaskGraph& graph;
  const WorkFacts& facts;
  const PerTask<std::uint8_t>& on_path;
  // Which ranges fit the patterns of a selector; made by Selector::Chosen, null: each task looks
  // for itself.
  const FittingRanges* ranges = nullptr;
};

// A choice of tasks: a condition, or several joined by all, any, none. Made
// once, asked often.
//
//   Selector::Class(KernelClass::kGemm) &&
//   Selector::OfPrecision(Precision::kFp32)
//
// Names are patterns: "*" stands for any text, "?" for a character, and a pattern must fit the
// whole name unless it begins and ends with "*". Case counts.
class Selector {
 public:
  // Everything.
  Selector();

  static Selector Device();  // Device operations;
  static Selector Host();    // calls and data loads.
  static Selector Kind(TaskKind kind);
  static Selector Class(KernelClass kernel_class);
  static Selector OfPrecision(Precision precision);
  static Selector OnTensorCores();
  static Selector InPhase(Phase phase);
  static Selector InStep(std::uint32_t step);  // From 0.
  static Selector Name(std::string pattern);   // Of the kernel, copy or call.
  static Selector Layer(std::string pattern);
  static Selector Operation(std::string pattern);
  static Selector Stream(std::uint32_t number);  // CUDA's stream id.
  static Selector Thread(std::uint32_t number);  // The system's thread id.
  static Selector OnCriticalPath();
  // Of copies, memsets and migrations: from `least` to `most` bytes, both included.
  static Selector Bytes(std::uint64_t least, std::uint64_t most);
  static Selector Direction(OpClass direction);  // Copies: kHtoD, kDtoH, kDtoD.
  static Selector Range(std::string pattern);    // Any range around the call that issued it.
  static Selector OnDevice(std::uint32_t ordinal);
  static Selector OfProcess(std::uint32_t pid);
  static Selector InTime(TimeRange time);  // It was measured to begin in it.

  // All of several, or any; there must be one. However many there are, they are asked one after the
  // other, and the text names the first of them.
  static Selector All(const std::vector<Selector>& parts);
  static Selector Any(const std::vector<Selector>& parts);

  friend Selector operator&&(const Selector& a, const Selector& b);
  friend Selector operator||(const Selector& a, const Selector& b);
  friend Selector operator!(const Selector& a);

  bool Fits(const SelectorInput& input, TaskId task) const;
  // All tasks that fit, in their order. Those that no condition can tell apart are asked once: a
  // selector may have ten thousands of patterns.
  std::vector<TaskId> Chosen(const SelectorInput& input) const;
  // Whether Fits needs to know the critical path.
  bool NeedsPath() const;
  // "class=gemm, precision=fp32": for tables and JSON.
  const std::string& text() const;

 private:
  struct Node;
  explicit Selector(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
  static Selector Make(Node node);
  static Selector Join(const std::vector<Selector>& parts, bool all);
  FittingRanges FindRanges(const TaskGraph& graph) const;
  std::shared_ptr<const Node> node_;
};

// "call", "load", "kernel", "memcpy", "memset", "graph".
std::optional<TaskKind> TaskKindFromName(std::string_view name);

}  // namespace xsp
