#include "hierarchy/analyses/kernel_figures.h"
#include "model/names/kernel_names.h"

namespace xsp {
namespace {

std::string CanonicalOf(std::string_view name) { return ReadKernelName(name).name; }

// Means over the launches that have a value.
class MeanCounters {
 public:
  void Add(const KernelCounters& launch) {
    flops_.Add(launch.flops);
    read_.Add(launch.dram_read_bytes);
    write_.Add(launch.dram_write_bytes);
    occupancy_.Add(launch.occupancy);
    has_tensor_flops_ |= launch.has_tensor_flops;
  }

  KernelCounters Mean() const {
    KernelCounters mean;
    mean.flops = flops_.Mean();
    mean.dram_read_bytes = read_.Mean();
    mean.dram_write_bytes = write_.Mean();
    mean.occupancy = occupancy_.Mean();
    mean.has_tensor_flops = has_tensor_flops_;
    return mean;
  }

 private:
  struct Sum {
    double sum = 0;
    double count = 0;

    void Add(const std::optional<double>& value) {
      if (!value) return;
      sum += *value;
      ++count;
    }
    std::optional<double> Mean() const {
      return count > 0 ? std::optional(sum / count) : std::nullopt;
    }
  };

  Sum flops_, read_, write_, occupancy_;
  bool has_tensor_flops_ = false;
};

}  // namespace

CounterTable::CounterTable(const Trace& trace, std::span<const KernelCounters> counters)
    : trace_(&trace) {
  if (counters.empty()) return;
  std::map<Key, MeanCounters> sums;
  for (const KernelCounters& launch : counters) {
    const Shape shape = {launch.grid[0],  launch.grid[1],  launch.grid[2],
                         launch.block[0], launch.block[1], launch.block[2]};
    sums[{CanonicalOf(launch.kernel), shape}].Add(launch);
  }
  for (const auto& [key, sum] : sums) table_.emplace(key, sum.Mean());
  for (EventId e : trace.OfKind(EventKind::kKernel)) {
    const StringId name = trace.name_of(e);
    if (!name.valid() || canonical_.contains(name)) continue;
    canonical_[name] = CanonicalOf(trace.name(e));
    bare_[name] = BaseKernelName(trace.name(e));
  }
  IndexBareNames();
}

void CounterTable::IndexBareNames() {
  for (EventId e : trace_->OfKind(EventKind::kKernel)) {
    const StringId name = trace_->name_of(e);
    if (!name.valid()) continue;
    const auto [it, is_new] = bare_owner_.try_emplace({bare_.at(name), ShapeOf(e)}, name);
    if (!is_new && it->second != name) it->second = StringId();
  }
}

CounterTable::Shape CounterTable::ShapeOf(EventId kernel) const {
  const Kernels& k = trace_->kernels();
  const std::uint32_t row = trace_->Row(kernel, EventKind::kKernel);
  return {k.grid_x[row],  k.grid_y[row],  k.grid_z[row],
          k.block_x[row], k.block_y[row], k.block_z[row]};
}

const KernelCounters* CounterTable::Of(EventId kernel) const {
  const StringId name = trace_->name_of(kernel);
  if (table_.empty() || !name.valid()) return nullptr;
  const Shape shape = ShapeOf(kernel);
  if (const auto it = table_.find({canonical_.at(name), shape}); it != table_.end()) {
    return &it->second;
  }
  const Key bare = {bare_.at(name), shape};
  if (bare_owner_.at(bare) != name) return nullptr;
  const auto it = table_.find(bare);
  return it == table_.end() ? nullptr : &it->second;
}

}  // namespace xsp
