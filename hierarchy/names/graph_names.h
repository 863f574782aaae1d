#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/user_json.h"
#include "hierarchy/hierarchy.h"
#include "model/building/kernel_operators.h"
#include "model/trace.h"

// A CUDA graph that is replayed shows kernels, and nothing of what they are for: the ranges were
// open when it was captured. Where that was not recorded, another file tells.
namespace xsp {

// Whether a launch of a graph issued this work.
bool IsReplayed(const Trace& trace, EventId work);

struct GraphNames {
  std::vector<KernelOperator> names;  // By kernel.
  std::uint64_t replayed = 0;         // Kernels that graph launches issued and nothing names.
  const Trace* source = nullptr;      // Whose signatures these are; none: they have none.

  double Share() const {
    return replayed == 0 ? 0 : static_cast<double>(names.size()) / static_cast<double>(replayed);
  }
};

// From a run of the same model in which kernels are launched one by one, within ranges (eagerly, or
// the warm-up before a capture): joined launch by launch, by kernel name, grid, block and order.
// Kernels that have no counterpart there get no name. `names` must outlive the result.
GraphNames JoinGraphNames(const Trace& replay, const Hierarchy& names);

// From the annotations that PyTorch writes by node of a graph: {"42": {"fqn_map": {"p1":
// "encoder.linear.weight", ...}}}, or with "module_fqn", "name" or "str" instead; of a list the
// first that says one. Throws Error for what is none.
GraphNames NamesOfNodes(const Trace& replay, const UserJson& annotations);

}  // namespace xsp
