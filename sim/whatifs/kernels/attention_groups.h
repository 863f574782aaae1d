#pragma once

#include <vector>

#include "sim/plan/plan.h"

namespace xsp {

// The kernels of one attention, as far as one that is not fused shows it: products of scores, the
// softmax between them with what masks and scales, products with the values. In the order of their
// launches.
struct AttentionGroup {
  std::vector<TaskId> kernels;   // All of them,
  std::vector<TaskId> products;  // and those that are matrix products: 2 forward, 4 backward.
  TaskId softmax;                // Where it was written out: the kernel of its exponential.
  bool is_backward = false;
};

// All of them, forward and backward. A softmax that was written out (maximum, exponential, sum) is
// found forward only: its gradient looks like any other arithmetic.
std::vector<AttentionGroup> FindAttention(const Plan& plan);

}  // namespace xsp
