#pragma once

#include <vector>

#include "sim/plan/plan.h"

namespace xsp {

// What a compiler can do with a kernel that it takes into another one.
enum class FusionRole : std::uint8_t {
  kNone,       // Products, indexing, sorts, communication: a chain ends before them.
  kPointwise,  // One result per element: arithmetic, casts, copies, fills, random numbers.
  kRow,        // A row at a time: softmax, norms, and sums along rows. What comes behind may go on
               // with the row, or with what is left of it.
  kColumn,     // Sums across rows, or to one value: they take in what comes before and end a chain.
};

// Kernels that a compiler makes one of, in the order of their launches, and what that saves. Memory
// is counted in tensors of as many elements as the chain works on.
struct FusionChain {
  std::vector<TaskId> kernels;
  double elements = 0;       // 0: unknown.
  double element_bytes = 4;  // Of one of them.
  double moved = 0;          // Tensors read and written by the kernels as they are,
  double left = 0;           // and by the one that takes their place.
  bool has_rows = false;     // A softmax, norm or sum is among them.
};

FusionRole FusionRoleOf(const Plan& plan, TaskId op);

// All chains of at least `least` kernels: of one stream, step and phase, on as many elements each,
// issued one right behind the other by a thread that waits for nothing in between.
std::vector<FusionChain> FindFusionChains(const Plan& plan, std::size_t least);

}  // namespace xsp
