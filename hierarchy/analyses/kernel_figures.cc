#include "hierarchy/analyses/kernel_figures.h"

#include "hierarchy/hardware/gemm_shape.h"
#include "hierarchy/hardware/occupancy.h"
#include "model/building/kernel_operators.h"

namespace xsp {
namespace {

bool IsMatrixProduct(const Trace& trace, EventId range) {
  return MatrixProductCost(trace, range).has_value();
}
bool IsConvolution(const Trace& trace, EventId range) {
  return ConvolutionInnerSize(trace, range).has_value();
}

bool IsProduct(KernelClass kind) {
  return kind == KernelClass::kGemm || kind == KernelClass::kConv;
}

}  // namespace

KernelFigures::KernelFigures(const Hierarchy& hierarchy, std::span<const KernelCounters> counters)
    : h_(hierarchy), counters_(hierarchy.trace(), counters) {
  FindOperations(h_.trace().OfKind(EventKind::kKernel));
}

KernelFigures::KernelFigures(const Hierarchy& hierarchy, std::span<const EventId> kernels)
    : h_(hierarchy), counters_(hierarchy.trace(), {}) {
  FindOperations(kernels);
}

NodeId KernelFigures::OperationOf(EventId kernel, bool (*wanted)(const Trace&, EventId)) const {
  const Nodes& nodes = h_.nodes();
  for (NodeId n = h_.NodeOfWork(kernel); n.valid(); n = nodes.parent[n.value]) {
    if (nodes.level[n.value] < Level::kOp) break;
    const EventId range = nodes.event[n.value];
    if (range.valid() && wanted(h_.trace(), range)) return n;
  }
  return {};
}

// An operation's product may be the work of several kernels (split in parts, then summed up).
template <class Kernels>
void KernelFigures::FindOperations(const Kernels& kernels) {
  const Trace& trace = h_.trace();
  for (EventId kernel : kernels) {
    if (!IsProduct(h_.kinds().Of(trace, kernel).kernel_class)) continue;
    // A replayed kernel may name its operation itself.
    const std::uint32_t own = OperatorOfEvent(trace, kernel);
    if (own != Trace::kNoOperator) {
      if (const auto cost = MatrixProductCost(trace, kernel)) {
        const Replayed key(trace.call_of(kernel), trace.operators().id[own]);
        Operation& operation = replayed_[key];
        operation.cost = *cost;
        operation.product_time += trace.duration(kernel);
        replayed_of_[kernel] = key;
      }
      continue;
    }
    const NodeId node = OperationOf(kernel, IsMatrixProduct);
    if (!node.valid()) continue;
    Operation& operation = operations_[node];
    if (operation.product_time == 0) {
      operation.cost = *MatrixProductCost(trace, h_.nodes().event[node.value]);
    }
    operation.product_time += trace.duration(kernel);
    operation_of_[kernel] = node;
  }
}

std::optional<OperationCost> KernelFigures::ShareOfOperation(EventId kernel) const {
  const auto it = operation_of_.find(kernel);
  const auto replayed = replayed_of_.find(kernel);
  if (it == operation_of_.end() && replayed == replayed_of_.end()) return std::nullopt;
  const Operation& operation =
      it != operation_of_.end() ? operations_.at(it->second) : replayed_.at(replayed->second);
  if (operation.product_time <= 0) return std::nullopt;
  const double share = static_cast<double>(h_.trace().duration(kernel)) /
                       static_cast<double>(operation.product_time);
  return OperationCost{operation.cost.flops * share, operation.cost.read_elements * share,
                       operation.cost.written_elements * share};
}

// A convolution that a matrix-product kernel does: tile and grid give the number of results
// (rounded up to whole tiles), the recorded filter how many products each takes. Several slices may
// be parts of a transformed convolution, whose products are others.
std::optional<double> KernelFigures::TileFlops(EventId kernel) const {
  const Trace& trace = h_.trace();
  if (!IsProduct(h_.kinds().Of(trace, kernel).kernel_class)) return std::nullopt;
  const NodeId node = OperationOf(kernel, IsConvolution);
  if (!node.valid()) return std::nullopt;
  const Kernels& k = trace.kernels();
  const std::uint32_t row = trace.Row(kernel, EventKind::kKernel);
  const auto shape = GemmShapeOf(trace.name(kernel), k.grid_x[row], k.grid_y[row], k.grid_z[row]);
  if (!shape || shape->slices != 1) return std::nullopt;
  const auto inner = ConvolutionInnerSize(trace, h_.nodes().event[node.value]);
  return 2 * static_cast<double>(shape->outputs) * static_cast<double>(*inner);
}

std::optional<std::pair<double, std::uint8_t>> KernelFigures::FlopsOf(
    EventId kernel, const KernelCounters* counters) const {
  const Trace& trace = h_.trace();
  // Instructions of threads do not hold what tensor cores did.
  const bool is_tensor = h_.kinds().Of(trace, kernel).tensor_cores == TensorCores::kYes;
  if (counters != nullptr && counters->flops && (!is_tensor || counters->has_tensor_flops)) {
    return std::pair(*counters->flops, std::uint8_t{kFromCounters});
  }
  if (const auto cost = ShareOfOperation(kernel)) {
    return std::pair(cost->flops, std::uint8_t{kFromShapes});
  }
  if (const auto flops = TileFlops(kernel)) return std::pair(*flops, std::uint8_t{kFromTile});
  return std::nullopt;
}

GpuFigures KernelFigures::Of(EventId kernel) const {
  const Trace& trace = h_.trace();
  const KernelCounters* counters = counters_.Of(kernel);
  CallFigures call;
  call.latency_ns = static_cast<double>(trace.duration(kernel));
  if (const auto flops = FlopsOf(kernel, counters)) {
    call.flops = flops->first;
    call.flops_source = flops->second;
  }
  if (counters != nullptr && counters->dram_read_bytes && counters->dram_write_bytes) {
    call.read_bytes = counters->dram_read_bytes;
    call.write_bytes = counters->dram_write_bytes;
    call.bytes_source = kFromCounters;
  } else if (const auto cost = ShareOfOperation(kernel)) {
    if (const auto size = BytesOf(h_.kinds().Of(trace, kernel).precision)) {
      call.read_bytes = cost->read_elements * *size;
      call.write_bytes = cost->written_elements * *size;
      call.bytes_source = kFromShapes;
    }
  }
  if (counters != nullptr) call.achieved_occupancy = counters->occupancy;
  if (const auto theoretical = TheoreticalOccupancy(trace, kernel)) {
    call.theoretical_occupancy = theoretical->share();
  }
  return GpuFigures::OfCall(call);
}

CounterJoin KernelFigures::Join(std::span<const EventId> kernels) const {
  CounterJoin join;
  for (EventId kernel : kernels) {
    ++join.calls;
    join.time += h_.trace().duration(kernel);
    if (counters_.Of(kernel) == nullptr) continue;
    ++join.joined_calls;
    join.joined_time += h_.trace().duration(kernel);
  }
  return join;
}

}  // namespace xsp
