#include "report/analyses/analysis_fields.h"
#include "report/analyses/analysis_table_parts.h"

namespace xsp {
namespace {

using LayerOf = const RankRow<LayerRow>&;

Fields<LayerRow> LayerHead() {
  return {{{"layer", "index", ColumnKind::kInt, kAlways},
           [](LayerOf r) { return r.row.is_layer ? Cell(r.row.index) : Cell(); }}};
}

Fields<LayerRow> LayerName() {
  return {
      {{"name", "layer", ColumnKind::kName, kAlways}, [](LayerOf r) { return Cell(r.row.path); }}};
}

Fields<LayerRow> LayerLatency() {
  return {{{"latency", "latency_ns", ColumnKind::kDuration, kAlways},
           [](LayerOf r) { return DurationCell(r.row.latency_ns); }}};
}

Fields<LayerRow> LayerHost() {
  return {{{"host", "host_ns", ColumnKind::kDuration, 5},
           [](LayerOf r) { return DurationCell(r.row.host_ns); }}};
}

Fields<LayerRow> LayerShare() {
  return {{{"share", "share", ColumnKind::kShare, 8}, [](LayerOf r) {
             return r.rank->latency_ns > 0 ? Cell(r.row.latency_ns / r.rank->latency_ns) : Cell();
           }}};
}

Fields<LayerRow> LayerMemory() {
  return {{{"allocated", "allocated_bytes", ColumnKind::kBytes, 7},
           [](LayerOf r) { return BytesCell(r.row.allocated_bytes); }}};
}

Fields<LayerRow> LayerKernels() {
  return {{{"kernels", "kernels", ColumnKind::kFloat, 6, 0},
           [](LayerOf r) { return Cell(r.row.gpu.count); }},
          {{"kernel time", "kernel_latency_ns", ColumnKind::kDuration, 8},
           [](LayerOf r) { return DurationCell(r.row.gpu.latency_ns); }}};
}

Fields<LayerRow> LayerSplit() {
  return {{{"GPU", "gpu_ns", ColumnKind::kDuration, 9},
           [](LayerOf r) { return DurationCell(r.row.gpu_ns); }},
          {{"non-GPU", "non_gpu_ns", ColumnKind::kDuration, 9},
           [](LayerOf r) { return DurationCell(r.row.NonGpuNs()); }},
          {{"of it copies", "copies_ns", ColumnKind::kDuration, 4},
           [](LayerOf r) { return DurationCell(r.row.copies_ns); }},
          {{"GPU", "gpu_share", ColumnKind::kShare, 8},
           [](LayerOf r) {
             return r.row.latency_ns > 0 ? Cell(r.row.gpu_ns / r.row.latency_ns) : Cell();
           }},
          {{"", "bar", ColumnKind::kBar, 3}, [](LayerOf r) {
             return r.row.latency_ns > 0 ? Cell(r.row.gpu_ns / r.row.latency_ns) : Cell();
           }}};
}

Fields<LayerRow> LayerKind() {
  return {
      {{"type", "type", ColumnKind::kText, 4}, [](LayerOf r) { return Cell(r.row.type); }},
      {{"shape", "shape", ColumnKind::kText, 3}, [](LayerOf r) { return TextCell(r.row.shape); }}};
}

std::vector<RankRow<LayerRow>> LayerRows(const AnalysisData& data, bool largest_first) {
  std::vector<RankRow<LayerRow>> rows;
  for (const RankProfile& rank : data.shown.profile.ranks) {
    for (const LayerRow& layer : rank.layers) rows.push_back({&rank, layer});
  }
  if (data.shown.profile.layer_level == Level::kTrace) rows.clear();
  if (largest_first) {
    std::stable_sort(rows.begin(), rows.end(),
                     [](LayerOf a, LayerOf b) { return a.row.latency_ns > b.row.latency_ns; });
  }
  return rows;
}

Fields<LayerRow> LayerFields(AnalysisId id, const std::vector<RankRow<LayerRow>>& rows) {
  const auto latency = [](LayerOf r) { return r.row.latency_ns; };
  const auto memory = [](LayerOf r) { return r.row.allocated_bytes.value_or(0); };
  switch (id) {
    case AnalysisId::kLayers:
      return LayerHead() + LayerLatency() + LayerShare() + LayerHost() + LayerMemory() +
             LayerKind() + LayerName();
    case AnalysisId::kLayerLatency:
      return LayerHead() + LayerLatency() + Fields<LayerRow>{BarOf<LayerRow>(rows, latency)} +
             LayerHost() + LayerName();
    case AnalysisId::kLayerMemory:
      return LayerHead() + LayerMemory() + Fields<LayerRow>{BarOf<LayerRow>(rows, memory)} +
             LayerName();
    case AnalysisId::kLayerKernels:
      return LayerHead() + LayerLatency() + LayerKernels() + FigureFields<LayerRow>() + LayerName();
    case AnalysisId::kLayerMetrics:
      return LayerHead() + MetricFields<LayerRow>() + SourceFields<LayerRow>() + LayerName();
    case AnalysisId::kGpuVsHost:
      return LayerHead() + LayerLatency() + LayerSplit() + LayerHost() + LayerName();
    default:
      return LayerHead() + LayerLatency() + RooflineFields<LayerRow>() + SourceFields<LayerRow>() +
             LayerName();
  }
}

}  // namespace

Table LayerTable(AnalysisId id, const AnalysisData& data, AnalysisRowOrder order) {
  const bool is_ranking = id == AnalysisId::kLayers || id == AnalysisId::kLayerKernels;
  const auto rows = LayerRows(data, is_ranking || order == AnalysisRowOrder::kLargest);
  return TableOf(AnalysisTitle(id), LayerFields(id, rows), rows, HasRanks(data));
}

}  // namespace xsp
