#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/forecast.h"

namespace xsp {

// Equal parts of a unit that nobody named: what layers are to a step.
struct EqualBlocks {
  std::uint32_t count = 0;    // In a unit.
  std::uint32_t kernels = 0;  // In each.
  DurationNs ns = 0;          // Device time of one,
  double share = 0;           // and of all of them, as a share of all device time.
  // What they hold, by class, the longest first: its share, and how many in a block.
  struct Part {
    std::string kernel_class;
    std::uint32_t count = 0;
    double share = 0;
  };
  std::vector<Part> parts;
};

// What the sentences of a first look are made from, besides the diagnosis: figures of the unit.
struct UnitFacts {
  bool is_torch = false;  // A program of PyTorch: what to change is said in its words.
  // How long before it begins the kernel in the middle is launched: how far the host is ahead. None
  // without launches.
  std::optional<DurationNs> host_ahead;
  // The share of the unit in fp32 matrix kernels that use no tensor cores, on a GPU that has such;
  // and what they are called: "sgemm".
  double fp32_matrix = 0;
  std::string matrix_name;
  std::optional<EqualBlocks> blocks;
};

UnitFacts FactsOf(const Workbench& workbench, const Hierarchy& hierarchy);

// Whether the program is one of PyTorch, by its operators and kernels.
bool IsOfTorch(const Workbench& workbench);

}  // namespace xsp
