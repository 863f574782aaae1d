#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "hierarchy/tree.h"
#include "hierarchy/tree_index.h"

namespace xsp {

// Sums up a hierarchy, rank by rank: each rank is one process on one device, so that no node's busy
// time mixes devices.
class TreeBuilder {
 public:
  TreeBuilder(const Hierarchy& hierarchy, const TreeOptions& options, Tree& tree);
  void Build();

 private:
  struct Rank {
    ProcessId process;
    std::uint32_t device;
    bool speaks_for_process;  // The first of its process: gets what has no device work.
    std::uint32_t node = 0;
    std::vector<EventId> work;  // By begin.
  };

  bool IsChosen(std::uint32_t step) const;
  void FindRanks();
  std::uint32_t Child(std::uint32_t parent, Level level, NameId name, Source source);
  std::uint32_t NodeFor(const Rank& rank, NodeId node);
  std::uint32_t PlaceFor(const Rank& rank, NodeId node);
  std::uint32_t PlaceForWork(const Rank& rank, EventId work);
  void AddWork(Rank& rank);
  void AddToChain(std::uint32_t leaf, EventId work, bool is_launch);
  void CloseStep();
  void AddHostTime(std::uint32_t at, DurationNs host, DurationNs wall);
  void AddRanges(const Rank& rank);
  void AddCallsWithoutWork(const Rank& rank);
  void CountBelow();
  void Finish();

  const Hierarchy& h_;
  const Trace& trace_;
  const TreeOptions& options_;
  Tree& tree_;
  std::vector<TreeNode>& nodes_;
  NameId unattributed_;
  NameId step_;
  TreeIndex index_;
  std::vector<Rank> ranks_;
  std::vector<std::uint8_t> chosen_;           // By step.
  std::vector<std::uint8_t> call_is_counted_;  // By call: seen as the launch of some work.
  std::vector<TimeNs> device_end_;             // By hierarchy node: end of its last device work.
  std::vector<std::uint32_t> tree_node_of_;    // By hierarchy node, for the rank at hand.
  std::vector<NodeId> chain_;                  // Scratch of NodeFor.
  // By tree node:
  std::vector<TimeNs> busy_until_;
  std::vector<TimeNs> wall_until_;
  std::vector<DurationNs> sum_in_step_;    // -1: no work in the step at hand.
  std::vector<std::uint32_t> steps_seen_;  // Steps with work.
  std::vector<std::uint32_t> last_child_;
  std::vector<std::optional<DurationNs>> host_of_children_;
  std::vector<std::uint32_t> touched_;  // Tree nodes with work in the step at hand.
};

}  // namespace xsp
