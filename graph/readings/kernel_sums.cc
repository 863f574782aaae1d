#include "graph/readings/kernel_sums.h"

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <tuple>

#include "hierarchy/analyses/kernel_figures.h"
#include "hierarchy/hardware/gpu_specs.h"
#include "hierarchy/names/device_number.h"

namespace xsp {
namespace {

std::optional<double> PeakOf(const Trace& trace, const Track& track, Precision precision) {
  if (!track.gpu.valid()) return std::nullopt;
  const Gpu& gpu = trace.gpus()[track.gpu.value];
  const std::string_view name =
      gpu.name.valid() ? trace.strings().Get(gpu.name) : std::string_view();
  return PeaksOf(gpu, name).Of(precision);
}

std::vector<EventId> KernelsAmong(const Trace& trace, const std::vector<WorkPiece>& pieces) {
  std::vector<EventId> kernels;
  for (const WorkPiece& piece : pieces) {
    const bool is_kernel = trace.OfKind(EventKind::kKernel).Contains(piece.event);
    if (is_kernel && !piece.elsewhere) kernels.push_back(piece.event);
  }
  return kernels;
}

// The devices that did something, by number, then by GPU: in the order of DeviceMap.
class DevicePlaces {
 public:
  explicit DevicePlaces(const Trace& trace) : trace_(trace) {
    std::vector<std::uint8_t> has_work(trace.tracks().size());
    for (EventId e : trace.DeviceWork()) has_work[trace.track_of(e).value] = 1;
    for (std::size_t i = 0; i < has_work.size(); ++i) {
      if (has_work[i] != 0) places_[KeyOf(TrackId(i))] = 0;
    }
    std::uint32_t next = 0;
    for (auto& [key, place] : places_) place = next++;
    of_track_.resize(has_work.size());
    for (std::size_t i = 0; i < has_work.size(); ++i) {
      if (has_work[i] != 0) of_track_[i] = places_[KeyOf(TrackId(i))];
    }
  }

  std::uint32_t Of(EventId work) const { return of_track_[trace_.track_of(work).value]; }
  std::uint32_t NumberOf(EventId work) const { return KeyOf(trace_.track_of(work)).first; }

 private:
  std::pair<std::uint32_t, GpuId> KeyOf(TrackId id) const {
    const Track& track = trace_.track(id);
    return {DeviceNumber(trace_, track).value_or(0), track.gpu};
  }

  const Trace& trace_;
  std::map<std::pair<std::uint32_t, GpuId>, std::uint32_t> places_;
  std::vector<std::uint32_t> of_track_;
};

void Add(SummaryKernel& row, const SummaryKernel& more) {
  row.count += more.count;
  row.total_ns += more.total_ns;
  row.longest_ns = std::max(row.longest_ns, more.longest_ns);
  row.blocks = std::max(row.blocks, more.blocks);
}

std::uint64_t BlocksOf(const Trace& trace, EventId kernel) {
  const Kernels& k = trace.kernels();
  const std::uint32_t row = trace.Row(kernel, EventKind::kKernel);
  return std::uint64_t{k.grid_x[row]} * k.grid_y[row] * k.grid_z[row];
}

// By device and name. Kernels are first put together by the ids of their names: making a name for
// each of millions would take longer than all the rest.
std::vector<SummaryKernel> ByName(const Hierarchy& hierarchy, const DevicePlaces& places,
                                  const std::vector<WorkPiece>& pieces, NameForm form) {
  const Trace& trace = hierarchy.trace();
  struct Same {
    EventId first;
    SummaryKernel row;
  };
  const EventSpan kernels = trace.OfKind(EventKind::kKernel);
  std::map<std::tuple<std::uint32_t, StringId, StringId>, Same> by_ids;  // Place first.
  for (const WorkPiece& piece : pieces) {
    const EventId e = piece.event;
    if (!kernels.Contains(e) || piece.elsewhere) continue;
    const std::uint32_t place = places.Of(e);
    const StringId mangled = trace.kernels().mangled_name[trace.Row(e, EventKind::kKernel)];
    Same& same = by_ids.try_emplace({place, trace.name_of(e), mangled}, Same{e, {}}).first->second;
    Add(same.row, {.name = "",
                   .count = piece.begins ? 1u : 0u,
                   .total_ns = piece.ns,
                   .longest_ns = trace.duration(e),
                   .full_name = "",
                   .blocks = BlocksOf(trace, e)});
  }
  const KernelLabels labels(trace, form);
  std::map<std::pair<std::uint32_t, std::string>, SummaryKernel> by_name;
  for (const auto& [ids, same] : by_ids) {
    const std::uint32_t place = std::get<0>(ids);
    SummaryKernel& row = by_name[{place, std::string(labels.Of(same.first))}];
    row.device = places.NumberOf(same.first);
    if (row.full_name.empty()) row.full_name = trace.name(same.first);
    row.kernel_class = hierarchy.kinds().Of(trace, same.first).kernel_class;
    Add(row, same.row);
  }
  std::vector<SummaryKernel> rows;
  for (auto& [key, row] : by_name) {
    std::tie(row.place, row.name) = key;
    rows.push_back(std::move(row));
  }
  return rows;
}

// Adds to the rows, which are sums over these pieces, what their kernels computed, where the
// recorded sizes of their operations tell. Nothing else in a trace does: the name and the grid of a
// matrix product never tell how long its sums are.
void AddFlops(const Hierarchy& hierarchy, const DevicePlaces& places,
              const std::vector<WorkPiece>& pieces, NameForm form,
              std::vector<SummaryKernel>& rows) {
  const Trace& trace = hierarchy.trace();
  if (trace.operands().signature.empty()) return;
  std::map<std::pair<std::uint32_t, std::string_view>, std::size_t> row_of;
  for (std::size_t i = 0; i < rows.size(); ++i) row_of[{rows[i].place, rows[i].name}] = i;
  const std::vector<EventId> kernels = KernelsAmong(trace, pieces);
  const KernelFigures figures(hierarchy, std::span<const EventId>(kernels));
  const KernelLabels labels(trace, form);
  std::vector<double> known_ns(rows.size(), 0);
  for (EventId e : kernels) {
    const std::optional<double> flops = figures.Of(e).Flops();
    if (!flops) continue;
    const Track& track = trace.track(trace.track_of(e));
    const std::size_t at = row_of.at({places.Of(e), labels.Of(e)});
    SummaryKernel& row = rows[at];
    if (!row.flops) {
      row.precision = hierarchy.kinds().Of(trace, e).precision;
      row.peak_flop_rate = PeakOf(trace, track, row.precision);
    }
    row.flops = row.flops.value_or(0) + *flops;
    known_ns[at] += static_cast<double>(trace.duration(e));
  }
  // A kernel whose work is known in part only would seem slow.
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (known_ns[i] < 0.99 * static_cast<double>(rows[i].total_ns)) rows[i].flops.reset();
  }
}

}  // namespace

std::vector<SummaryKernel> GroupKernels(const Hierarchy& hierarchy,
                                        const std::vector<WorkPiece>& pieces, NameForm form,
                                        const Unit& unit) {
  const DevicePlaces places(hierarchy.trace());
  std::vector<SummaryKernel> rows = ByName(hierarchy, places, pieces, form);
  AddFlops(hierarchy, places, pieces, form, rows);
  UnitMeans means = UnitMeans::OfCounted(unit);
  for (SummaryKernel& row : rows) {
    row.mean_ns = row.total_ns / static_cast<DurationNs>(std::max<std::uint64_t>(1, row.count));
    row.total_ns = means.Next(row.total_ns);
    row.count = means.Count(static_cast<std::uint32_t>(row.count));
    if (row.flops && unit.is_step) *row.flops /= static_cast<double>(unit.counted_size());
  }
  return rows;
}

std::optional<double> SummaryKernel::FlopRate() const {
  if (!flops || total_ns <= 0) return std::nullopt;
  return *flops / static_cast<double>(total_ns) * 1e9;
}

std::optional<double> SummaryKernel::PeakShare() const {
  const std::optional<double> rate = FlopRate();
  if (!rate || !peak_flop_rate || *rate > *peak_flop_rate) return std::nullopt;
  return *rate / *peak_flop_rate;
}

}  // namespace xsp
