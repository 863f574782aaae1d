#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "graph/task_graph.h"
#include "hierarchy/hierarchy.h"
#include "hierarchy/host_ranges.h"

namespace xsp {

// Where the tasks of a graph belong: the layer of the model and the range of the host. Device
// operations belong where their launch was made, what an edit put in where the call that it follows
// does. Texts stay valid as long as this does.
class TaskPlaces {
 public:
  // `rules` tell the classes of kernels.
  explicit TaskPlaces(const TaskGraph& graph, const KernelRules& rules = KernelRules::BuiltIn());

  // "block 3/attention": all layers around it; empty where there is none.
  std::string_view Layer(std::uint32_t task) const;
  // The innermost range, without sequence numbers and ids: "aten::addmm"; empty where there is
  // none.
  std::string_view Range(std::uint32_t task) const;
  // "gemm", "optimizer", ...; of device operations.
  std::string_view Class(std::uint32_t op) const;

  const Hierarchy& hierarchy() const { return hierarchy_; }

 private:
  void FindNeighbours(const KernelRules& rules);
  // The host task that says where a task belongs.
  std::uint32_t HostOf(std::uint32_t task) const;
  KernelClass ClassOfNew(std::uint32_t op) const;

  const TaskGraph& graph_;
  const Hierarchy hierarchy_;
  const HostRanges ranges_;
  std::vector<std::uint32_t> layer_of_node_;  // By node: a row of layers_.
  std::vector<std::string> layers_;           // Row 0: none.
  // Where an edit put something in: per host task the one whose place it shares, and per label the
  // class of a kernel of that name.
  std::vector<std::uint32_t> neighbour_;
  std::vector<KernelClass> label_classes_;
};

}  // namespace xsp
