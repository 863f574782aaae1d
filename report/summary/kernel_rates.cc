#include "report/summary/kernel_rates.h"

#include <map>
#include <span>
#include <string_view>

#include "hierarchy/analyses/kernel_figures.h"
#include "hierarchy/hardware/gpu_specs.h"
#include "hierarchy/names/device_number.h"
#include "report/tables/units.h"

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

}  // namespace

void AddFlops(const Hierarchy& hierarchy, const std::vector<WorkPiece>& pieces, NameForm form,
              std::vector<SummaryKernel>& rows) {
  const Trace& trace = hierarchy.trace();
  if (trace.operands().signature.empty()) return;
  std::map<std::pair<std::uint32_t, std::string_view>, std::size_t> row_of;
  for (std::size_t i = 0; i < rows.size(); ++i) row_of[{rows[i].device, rows[i].name}] = i;
  const std::vector<EventId> kernels = KernelsAmong(trace, pieces);
  const KernelFigures figures(hierarchy, std::span<const EventId>(kernels));
  const KernelLabels labels(trace, form);
  std::vector<double> known_ns(rows.size(), 0);
  for (EventId e : kernels) {
    const std::optional<double> flops = figures.Of(e).Flops();
    if (!flops) continue;
    const Track& track = trace.track(trace.track_of(e));
    const std::size_t at = row_of.at({DeviceNumber(trace, track).value_or(0), labels.Of(e)});
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

std::string RateWords(const SummaryKernel& row) {
  const std::optional<double> rate = row.FlopRate();
  if (!rate) return "";
  const bool is_large = *rate >= 1e12;
  std::string words =
      FormatNumber(*rate / (is_large ? 1e12 : 1e9), 1) + (is_large ? " TFLOP/s" : " GFLOP/s");
  if (const auto share = row.PeakShare()) {
    words +=
        " (" + FormatNumber(100 * *share, 0) + " % " + std::string(NameOf(row.precision)) + ")";
  }
  return words;
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
