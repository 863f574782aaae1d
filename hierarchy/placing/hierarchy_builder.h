#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hierarchy/hierarchy.h"
#include "hierarchy/names/name_patterns.h"
#include "hierarchy/placing/host_ranges.h"
#include "hierarchy/steps/step_candidates.h"

namespace xsp {

// What the rules share while a hierarchy is built. Each rule is a function in a file of its own
// that reads the trace and moves nodes, calls or work to better places.
class HierarchyBuilder {
 public:
  explicit HierarchyBuilder(Hierarchy& result);

  // The rules, in the order in which they apply.
  void InternNames();      // work_names.cc: names that are not in the trace.
  void AddRanges();        // Nodes for ranges, by nesting.
  void PlaceSteps();       // place_steps.cc: steps above what they hold; calls and work by launch.
  void AssignLevels();     // Levels of ranges from names and nesting.
  void LinkBackward();     // autograd.cc: backward operations below their forward layer.
  void PlaceGraphWork();   // graph_work.cc: replayed graph nodes by their capture, or by name.
  void SettleSources();    // autograd.cc: by which fact everything has its place.
  void LayersFromHooks();  // module_hooks.cc: layers between marks of begin and end.
  void SettleBySerialized(const Hierarchy& serialized);  // serialized.cc: by a re-run.
  void InferPhases();                                    // phases.cc: phases that nobody named.
  void FindRepeatedLayers();  // repeated_layers.cc: layers where there are no ranges.
  void SettleLooseWork();     // repeated_layers.cc: what is left, by what it does.

 private:
  NodeId NodeOfRange(std::uint32_t range) const { return NodeId(first_range_ + range); }
  bool IsRange(NodeId node) const {
    return node.value >= first_range_ && node.value < first_range_ + ranges_.size();
  }
  Level LevelByName(std::uint32_t range) const;

  // Widens the host's part of a node that no range stands behind.
  void ExtendHost(NodeId node, TimeNs begin, TimeNs end);

  void AddStepNodes();
  bool HoldsStep(ProcessId process, EventId range) const;
  void PlaceRanges();
  void PlaceCalls();
  void PlaceWork();
  void DecideOnRanges();
  void PlaceNamedKernels();
  void MoveToForwardLayer(std::uint32_t range, std::uint32_t origin);

  struct StepShape;
  bool OnBackwardThread(EventId call) const {
    return is_backward_thread_[trace_.track_of(call).value] != 0;
  }
  NodeId PhaseBelow(NodeId parent, Phase phase);
  bool IsBackward(std::uint32_t range) const;
  std::vector<std::vector<TimeNs>> EndsOfForward() const;
  Phase PhaseOfOperation(std::uint32_t range, TimeNs end_of_forward) const;
  void InferPhasesOfOperations();
  std::vector<std::vector<StepShape>> ShapesOfSteps() const;
  std::pair<Phase, Source> PhaseOfLooseWork(EventId work, const StepShape& shape,
                                            bool has_named_phases) const;
  void InferPhasesOfWork();

  std::string NameByContent(std::span<const EventId> work) const;
  std::string NameOfBlock(std::span<const EventId> work);
  static bool HasLayers(Phase phase);
  void AddRepeatedLayers(NodeId parent, std::span<const EventId> work);

  // A node that repeats `original` (a layer, say) below another parent; made once per pair.
  NodeId MirrorOf(NodeId original, NodeId parent, Source source);
  // Repeats all layers (or operations, too) above and including `original` below `parent`.
  NodeId MirrorChain(NodeId original, NodeId parent, Source source, Level deepest);

  const Trace& trace_;
  Hierarchy& h_;
  Nodes& nodes_;
  const HostRanges& ranges_;
  std::uint32_t first_range_ = 0;
  std::vector<DomainKind> kind_of_domain_;        // By NVTX domain.
  std::vector<std::uint8_t> is_backward_thread_;  // By track.
  std::vector<std::uint32_t> step_of_range_;
  std::vector<std::uint8_t> holds_steps_;  // By range.
  std::unordered_map<std::uint64_t, NodeId> mirrors_;
  std::map<std::string, std::string> content_of_blocks_;  // By size: of the first such block.
};

}  // namespace xsp
