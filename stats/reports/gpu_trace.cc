#include <algorithm>
#include <optional>
#include <utility>

#include "stats/reports/reports.h"
#include "stats/rounding.h"

namespace xsp {
namespace {

using Kind = StatsKind;

// In whole operations per second first, as NVIDIA's SQL does: the integer division loses digits.
std::optional<double> Throughput(std::uint64_t bytes, DurationNs duration) {
  if (duration == 0) return std::nullopt;
  // NOLINTNEXTLINE(bugprone-integer-division)
  return Megabytes(static_cast<double>(bytes) * static_cast<double>(1000000000 / duration));
}

// What the device's rows say about a track, made once per track.
class TrackLabels {
 public:
  TrackLabels(const Trace& trace, StatsTable& table) {
    for (const Track& track : trace.tracks()) {
      device_.push_back(table.Keep(DeviceLabel(trace, track)));
    }
  }
  std::string_view device(TrackId track) const { return device_[track.value]; }

 private:
  std::vector<std::string_view> device_;
};

// Migrations belong to no stream: NVIDIA's table has context and stream 0 for them.
std::uint32_t OrZero(std::uint32_t number) {
  return number == kMissing<std::uint32_t> ? 0 : number;
}

std::optional<double> SharedMegabytes(std::uint32_t bytes) {
  if (bytes == kMissing<std::uint32_t>) return std::nullopt;
  return Megabytes(bytes);
}

void AddKernel(const ReportInput& in, EventId e, const TrackLabels& labels, StatsTable& table) {
  const Trace& trace = in.trace;
  const Kernels& k = trace.kernels();
  const std::uint32_t row = trace.Row(e, EventKind::kKernel);
  const Track& track = trace.track(trace.track_of(e));
  table.AddRow(trace.begin(e), trace.duration(e), trace.events().correlation[e.value],
               k.grid_x[row], k.grid_y[row], k.grid_z[row], k.block_x[row], k.block_y[row],
               k.block_z[row], k.registers[row], SharedMegabytes(k.static_shared[row]),
               SharedMegabytes(k.dynamic_shared[row]), std::nullopt, std::nullopt, std::nullopt,
               std::nullopt, labels.device(trace.track_of(e)), OrZero(track.context), std::nullopt,
               OrZero(track.stream), Show(in, TitleOf(in, e), table));
}

void AddMemoryOperation(const ReportInput& in, EventId e, std::uint64_t bytes,
                        std::string_view source, std::optional<std::string_view> target,
                        std::string_view name, const TrackLabels& labels, StatsTable& table) {
  const Trace& trace = in.trace;
  const Track& track = trace.track(trace.track_of(e));
  const auto none = std::nullopt;
  table.AddRow(trace.begin(e), trace.duration(e), trace.events().correlation[e.value], none, none,
               none, none, none, none, none, none, none, Megabytes(static_cast<double>(bytes)),
               Throughput(bytes, trace.duration(e)), source, target,
               labels.device(trace.track_of(e)), OrZero(track.context), none, OrZero(track.stream),
               name);
}

void AddOperation(const ReportInput& in, EventId e, EventKind kind, const TrackLabels& labels,
                  StatsTable& table) {
  if (kind == EventKind::kKernel) return AddKernel(in, e, labels, table);
  const std::uint32_t row = in.trace.Row(e, kind);
  if (kind == EventKind::kMemset) {
    const Memsets& sets = in.trace.memsets();
    AddMemoryOperation(in, e, sets.bytes[row], MemoryKindLabel(sets.memory_kind[row]), std::nullopt,
                       kMemsetLabel, labels, table);
  } else {
    const Copies& copies = in.trace.copies();
    AddMemoryOperation(in, e, copies.bytes[row], MemoryKindLabel(copies.source_kind[row]),
                       MemoryKindLabel(copies.target_kind[row]), CopyLabel(copies.copy_kind[row]),
                       labels, table);
  }
}

std::vector<StatsColumn> Columns() {
  return {{"Start", Kind::kTime},        {"Duration", Kind::kTime},
          {"CorrId", Kind::kId},         {"GrdX", Kind::kInteger},
          {"GrdY", Kind::kInteger},      {"GrdZ", Kind::kInteger},
          {"BlkX", Kind::kInteger},      {"BlkY", Kind::kInteger},
          {"BlkZ", Kind::kInteger},      {"Reg/Trd", Kind::kInteger},
          {"StcSMem", Kind::kMegabytes}, {"DymSMem", Kind::kMegabytes},
          {"Bytes", Kind::kMegabytes},   {"Throughput", Kind::kMegabytesPerS},
          {"SrcMemKd", Kind::kText},     {"DstMemKd", Kind::kText},
          {"Device", Kind::kText},       {"Ctx", Kind::kId},
          {"GreenCtx", Kind::kId},       {"Strm", Kind::kId},
          {"Name", Kind::kText}};
}

}  // namespace

StatsTable CudaGpuTrace(const ReportInput& in) {
  StatsTable table("cuda_gpu_trace", "CUDA GPU Trace", Columns());
  const TrackLabels labels(in.trace, table);
  std::vector<std::pair<EventId, EventKind>> operations;
  for (EventKind kind :
       {EventKind::kKernel, EventKind::kMemcpy, EventKind::kMigration, EventKind::kMemset}) {
    in.events.ForEach(kind, [&](EventId e) { operations.emplace_back(e, kind); });
  }
  std::stable_sort(operations.begin(), operations.end(), [&](const auto& a, const auto& b) {
    return in.trace.begin(a.first) < in.trace.begin(b.first);
  });
  for (const auto& [e, kind] : operations) AddOperation(in, e, kind, labels, table);
  return table;
}

}  // namespace xsp
