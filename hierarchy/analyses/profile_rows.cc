#include <algorithm>
#include <optional>

#include "hierarchy/analyses/moment_places.h"
#include "hierarchy/analyses/profile_builder.h"
#include "model/spans.h"

// The rows of a profile: layers, kernels, memory. Sums over steps first, means at the end.
namespace xsp {
namespace {

bool IsDeviceMemory(MemoryKind kind) {
  return kind != MemoryKind::kPageable && kind != MemoryKind::kPinned;
}

std::uint64_t CallKey(ProcessId process, std::uint32_t correlation) {
  return (std::uint64_t{process.value} << 32) | correlation;
}

}  // namespace

void ProfileBuilder::MeasureRank(Rank& rank, RankProfile& result) {
  result.name = h_.names().Text(h_.NameOfRank(rank.process, rank.device));
  result.peaks = PeaksOfRank(rank);
  result.latency_ns = static_cast<double>(unit_ns_);
  row_of_node_.clear();
  for (const auto& [key, step] : rank.steps) MeasureStep(rank, step, result);
  if (!trace_.OfKind(EventKind::kMemory).empty()) AddMemory(rank, result);
  Finish(result);
}

void ProfileBuilder::MeasureStep(Rank& rank, const DeviceStep& step, RankProfile& result) {
  const EventSpan graphs = trace_.OfKind(EventKind::kGraphSpan);
  std::map<std::uint32_t, std::uint32_t> seen;  // By path: how often in this step.
  std::vector<TimeRange> busy;
  for (const LayerTimes& times : MeasureLayers(h_, layers_, step)) {
    const std::size_t row = LayerRowOf(rank, times, seen, result);
    LayerRow& layer = result.layers[row];
    layer.latency_ns += static_cast<double>(times.latency);
    layer.host_ns += static_cast<double>(times.host);
    layer.gpu_ns += static_cast<double>(times.gpu);
    layer.copies_ns += static_cast<double>(times.copies);
    AddKernels(rank, times, row, result);
    for (EventId e : times.work) {
      const bool is_kernel = trace_.OfKind(EventKind::kKernel).Contains(e);
      if (is_kernel || graphs.Contains(e)) busy.push_back({trace_.begin(e), trace_.end(e)});
    }
  }
  result.kernel_busy_ns += static_cast<double>(UnionLength(std::move(busy)));
}

std::size_t ProfileBuilder::LayerRowOf(Rank& rank, const LayerTimes& times,
                                       std::map<std::uint32_t, std::uint32_t>& seen,
                                       RankProfile& result) {
  const std::uint32_t path = layers_.NumberOf(times.place);
  const std::uint32_t occurrence = seen[path]++;
  const auto [it, is_new] = rank.layer_rows.try_emplace({path, occurrence}, result.layers.size());
  row_of_node_[times.place.node] = it->second;
  if (is_new) {
    LayerRow& row = result.layers.emplace_back();
    row.path = layers_.PathOf(times.place);
    row.occurrence = occurrence;
    row.is_layer = times.place.is_layer;
    row.type = layers_.TypeOf(times.place);
    row.shape = ShapeOf(times);
  }
  return it->second;
}

// The sizes of the first operation in the layer that has them written down.
std::string ProfileBuilder::ShapeOf(const LayerTimes& times) const {
  if (!times.place.is_layer || times.work.empty()) return {};
  const Nodes& nodes = h_.nodes();
  std::string shape;
  for (NodeId n = h_.NodeOfWork(times.work.front());; n = nodes.parent[n.value]) {
    const EventId range = nodes.event[n.value];
    if (range.valid()) {
      std::string sizes = SizesText(trace_, range);
      if (!sizes.empty()) shape = std::move(sizes);
    }
    if (n == times.place.node) return shape;
  }
}

void ProfileBuilder::AddKernels(Rank& rank, const LayerTimes& times, std::size_t row,
                                RankProfile& result) {
  const Kernels& k = trace_.kernels();
  std::map<std::pair<StringId, std::array<std::uint32_t, 6>>, std::uint32_t> seen;
  for (EventId e : times.work) {
    if (!trace_.OfKind(EventKind::kKernel).Contains(e)) continue;
    const std::uint32_t i = trace_.Row(e, EventKind::kKernel);
    const std::array<std::uint32_t, 6> shape = {k.grid_x[i],  k.grid_y[i],  k.grid_z[i],
                                                k.block_x[i], k.block_y[i], k.block_z[i]};
    const StringId name = trace_.name_of(e);
    const std::uint32_t occurrence = seen[{name, shape}]++;
    const auto [it, is_new] =
        rank.kernel_rows.try_emplace({row, name, shape, occurrence}, result.kernels.size());
    if (is_new) {
      KernelRow& kernel = result.kernels.emplace_back();
      kernel.name = trace_.name(e);
      kernel.mangled = trace_.strings().Get(k.mangled_name[i]);
      kernel.grid = {shape[0], shape[1], shape[2]};
      kernel.block = {shape[3], shape[4], shape[5]};
      kernel.occurrence = occurrence;
      kernel.layer = row;
    }
    const GpuFigures figures = figures_.Of(e);
    result.kernels[it->second].gpu.Add(figures);
    result.layers[row].gpu.Add(figures);
    result.gpu.Add(figures);
    kernels_.push_back(e);
  }
}

// The call that allocated; memory operations are not linked with their calls.
EventId ProfileBuilder::CallOfMemory(EventId memory) const {
  const auto it = call_by_id_.find(
      CallKey(trace_.process_of(memory), trace_.events().correlation[memory.value]));
  return it == call_by_id_.end() ? EventId() : it->second;
}

void ProfileBuilder::AddMemory(const Rank& rank, RankProfile& result) {
  if (call_by_id_.empty()) {
    for (EventId call : trace_.OfKind(EventKind::kApi)) {
      const std::uint32_t id = trace_.events().correlation[call.value];
      if (id != 0) call_by_id_[CallKey(trace_.process_of(call), id)] = call;
    }
  }
  for (LayerRow& row : result.layers) row.allocated_bytes = 0;
  result.allocated_bytes = 0;
  const MemoryOperations& memory = trace_.memory();
  std::optional<MomentPlaces> moments;  // Made where allocations are moments without a call.
  for (EventId e : rank.memory) {
    const std::uint32_t i = trace_.Row(e, EventKind::kMemory);
    const bool counts = memory.operation[i] == MemoryOperation::kAllocate &&
                        IsDeviceMemory(memory.memory_kind[i]) &&
                        memory.bytes[i] != kMissing<std::uint64_t>;
    if (!counts) continue;
    const EventId call = CallOfMemory(e);
    const std::uint32_t step =
        call.valid() ? h_.StepOfCall(call) : h_.steps().StepAt(rank.process, trace_.begin(e));
    if (!IsChosen(step)) continue;
    const auto bytes = static_cast<double>(memory.bytes[i]);
    *result.allocated_bytes += bytes;
    if (!call.valid() && !moments) moments.emplace(h_);
    const NodeId node =
        call.valid() ? h_.NodeOfCall(call) : moments->At(rank.process, trace_.begin(e));
    const auto row = row_of_node_.find(layers_.PlaceOf(node).node);
    if (row != row_of_node_.end()) *result.layers[row->second].allocated_bytes += bytes;
  }
}

// Means; layers numbered, kernels put in the order of their layers.
void ProfileBuilder::Finish(RankProfile& result) const {
  const double steps = options_.steps.divisor();
  std::uint32_t index = 0;
  for (LayerRow& row : result.layers) {
    if (row.is_layer) row.index = ++index;
    for (double* value : {&row.latency_ns, &row.host_ns, &row.gpu_ns, &row.copies_ns}) {
      *value /= steps;
    }
    if (row.allocated_bytes) *row.allocated_bytes /= steps;
    row.gpu.DivideBy(steps);
  }
  for (KernelRow& row : result.kernels) row.gpu.DivideBy(steps);
  std::stable_sort(result.kernels.begin(), result.kernels.end(),
                   [](const KernelRow& a, const KernelRow& b) { return a.layer < b.layer; });
  result.gpu.DivideBy(steps);
  result.latency_ns /= steps;
  result.kernel_busy_ns /= steps;
  if (result.allocated_bytes) *result.allocated_bytes /= steps;
}

}  // namespace xsp
