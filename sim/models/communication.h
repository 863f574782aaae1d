#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hierarchy/hardware/gpu_specs.h"
#include "model/names/collective.h"

namespace xsp {

// How a number of GPUs is connected: so many in a machine, machines by a network. Bandwidths are
// what one GPU gets in one direction, bytes per second, as NCCL reaches them.
struct Links {
  std::uint32_t gpus = 1;         // In all.
  std::uint32_t per_machine = 1;  // In one machine.
  double inside = 0;              // Between GPUs of a machine.
  double between = 0;             // Between machines; where there is but one, not used.
  double inside_latency_ns = 3'000;
  double between_latency_ns = 10'000;
  std::string source;  // Where the bandwidths come from, in words.

  std::uint32_t machines() const { return (gpus + per_machine - 1) / per_machine; }
};

// The share of the bytes that each GPU sends: 2 (n-1)/n for an all-reduce, (n-1)/n for its halves.
double RingFactor(Collective collective, std::uint32_t gpus);

// A ring over all GPUs, on the slowest of its links: bytes times factor over bandwidth, and a
// latency for each of its steps. `bytes`: the whole of what is reduced or gathered.
double RingNs(Collective collective, double bytes, const Links& links);

// The same through the hierarchy, as NCCL and BlueConnect do it: in each machine, between machines
// on a share of the data per GPU, in each machine again. For one machine it is the ring.
double HierarchicalNs(Collective collective, double bytes, const Links& links);

// NCCL takes what is faster.
double CollectiveNs(Collective collective, double bytes, const Links& links);

// What is usual where nothing is measured: NVLink or PCIe inside, by the GPU's table row, at the
// share that NCCL reaches; `between` in bytes per second, 0: 100 Gbit/s.
Links UsualLinks(const GpuPeaks& gpu, std::uint32_t gpus, std::uint32_t per_machine,
                 double between = 0);

// Gradients in the order in which the backward pass makes them, gathered into buckets as
// DistributedDataParallel does: the first of at most `first`, the others of at most `size` bytes,
// each closed as soon as it is full.
struct Bucket {
  double bytes = 0;
  std::size_t last = 0;  // The index of the last gradient in it: with it the bucket is ready.
};
std::vector<Bucket> GradientBuckets(const std::vector<double>& gradient_bytes, double size,
                                    double first);

// By how much kernels and collectives hold each other up while they share a GPU: factors on their
// durations.
struct Interference {
  double compute_matrix = 1;
  double compute_other = 1;
  double collective = 1;
};
// Measured by others: matrix kernels 1.13-1.39 x, others 1.1-1.6 x beside a 25 MB all-reduce
// (A100, A800, RTX 3090), the all-reduce itself 1.3-1.5 x.
Interference UsualInterference();

}  // namespace xsp
