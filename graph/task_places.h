#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "graph/task_graph.h"
#include "hierarchy/hierarchy.h"

namespace xsp {

// Where the tasks of a graph belong: the layer of the model and the range of the host. Device
// operations belong where their launch was made. Reads the graph's hierarchy; texts stay valid as
// long as this does.
class TaskPlaces {
 public:
  explicit TaskPlaces(const TaskGraph& graph);

  // "block 3/attention": all layers around it; empty where there is none.
  std::string_view Layer(std::uint32_t task) const;
  // The innermost range, without sequence numbers and ids: "aten::addmm"; empty where there is
  // none.
  std::string_view Range(std::uint32_t task) const;
  // "gemm", "optimizer", ...; of device operations.
  std::string_view Class(std::uint32_t op) const;

 private:
  const TaskGraph& graph_;
  const Hierarchy& hierarchy_;
  std::vector<std::uint32_t> layer_of_node_;  // By node: a row of layers_.
  std::vector<std::string> layers_;           // Row 0: none.
};

}  // namespace xsp
