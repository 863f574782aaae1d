#pragma once

#include <cstdint>
#include <vector>

#include "sim/plan/plan.h"

namespace xsp {

// The kernels of one step on one device, forward and backward, each in the order of their launches.
// Nothing in a trace says which gradient belongs to which result, but the backward pass goes
// through the layers the other way round: a kernel at the share s of the forward time has its
// gradient at about 1 - s of the backward time.
class TrainingPass {
 public:
  std::uint32_t step = 0;
  std::uint32_t device = 0;
  std::vector<TaskId> forward, backward;

  // The share of the forward time that has passed when forward[i] ends, in [0, 1].
  double ForwardEnd(std::size_t i) const { return forward_ns[i] / forward_ns.back(); }
  double BackwardEnd(std::size_t i) const { return backward_ns[i] / backward_ns.back(); }
  // The first backward kernel that may need what the forward pass made at a share of its time: its
  // index.
  std::size_t BackwardOf(double forward_share) const;
  // The first forward kernel that uses the weights whose gradient was made at a share of the
  // backward time: its index.
  std::size_t ForwardOf(double backward_share) const;

  std::vector<double> forward_ns, backward_ns;  // Running sums of their durations.
};

// Of all steps that have both; by device, then by step.
std::vector<TrainingPass> FindPasses(const Plan& plan);

// Forward and backward kernels in pieces of about the same forward time; piece i of the backward
// pass is the gradient of piece i.
struct LayerPiece {
  std::size_t forward_begin = 0, forward_end = 0;  // Indices into TrainingPass::forward.
  std::size_t backward_begin = 0;                  // The first of its gradient.
  double share = 0;                                // Of the forward time.
};
std::vector<LayerPiece> CutPass(const TrainingPass& pass, std::uint32_t pieces);

}  // namespace xsp
