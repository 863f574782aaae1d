#include <unordered_map>

#include "hierarchy/analyses/groups.h"
#include "report/analyses/analysis_fields.h"
#include "report/analyses/analysis_table_parts.h"

namespace xsp {
namespace {

using TypeOf = const RankRow<LayerType>&;

struct StageRow {
  std::size_t place;
  Stage stage;
  GpuFigures gpu;
};
using StageOf = const RankRow<StageRow>&;

}  // namespace

Table LayerTypeTable(AnalysisId id, const AnalysisData& data) {
  const auto figure = [id](TypeOf r) {
    if (id == AnalysisId::kLayerTypes) return static_cast<double>(r.row.count);
    return id == AnalysisId::kLatencyByType ? r.row.latency_ns : r.row.allocated_bytes.value_or(0);
  };
  std::vector<RankRow<LayerType>> rows;
  std::unordered_map<const RankProfile*, double> totals;
  for (const RankProfile& rank : data.shown.profile.ranks) {
    for (LayerType& type : LayersByType(rank)) rows.push_back({&rank, std::move(type)});
  }
  for (TypeOf row : rows) totals[row.rank] += figure(row);
  std::stable_sort(rows.begin(), rows.end(),
                   [&](TypeOf a, TypeOf b) { return figure(a) > figure(b); });
  Fields<LayerType> fields = {
      {{"layers", "count", ColumnKind::kInt, kAlways}, [](TypeOf r) { return Cell(r.row.count); }}};
  if (id == AnalysisId::kLatencyByType) {
    fields.push_back({{"latency", "latency_ns", ColumnKind::kDuration, kAlways},
                      [](TypeOf r) { return DurationCell(r.row.latency_ns); }});
  }
  if (id == AnalysisId::kMemoryByType) {
    fields.push_back({{"allocated", "allocated_bytes", ColumnKind::kBytes, kAlways},
                      [](TypeOf r) { return BytesCell(r.row.allocated_bytes); }});
  }
  const bool is_known = id != AnalysisId::kMemoryByType || data.shown.profile.has_memory;
  fields.push_back({{"share", "share", ColumnKind::kShare, 8}, [=](TypeOf r) {
                      const double total = totals.at(r.rank);
                      return is_known && total > 0 ? Cell(figure(r) / total) : Cell();
                    }});
  fields.push_back(BarOf<LayerType>(rows, figure));
  fields.push_back(
      {{"type", "type", ColumnKind::kName, kAlways}, [](TypeOf r) { return Cell(r.row.type); }});
  return TableOf(AnalysisTitle(id), fields, rows, HasRanks(data));
}

Table StageTable(const AnalysisData& data) {
  std::vector<RankRow<StageRow>> rows;
  for (const RankProfile& rank : data.shown.profile.ranks) {
    const auto stages = StagesOf(rank);
    for (std::size_t s = 0; s < kStageCount; ++s) {
      if (stages[s].first_layer > 0) rows.push_back({&rank, {s, stages[s], stages[s].gpu}});
    }
  }
  const Fields<StageRow> fields =
      Fields<StageRow>{{{"stage", "stage", ColumnKind::kText, kAlways},
                        [](StageOf r) { return Cell(StageName(r.row.place)); }},
                       {{"from layer", "first_layer", ColumnKind::kInt, 6},
                        [](StageOf r) { return Cell(r.row.stage.first_layer); }},
                       {{"to", "last_layer", ColumnKind::kInt, 6},
                        [](StageOf r) { return Cell(r.row.stage.last_layer); }},
                       {{"latency", "latency_ns", ColumnKind::kDuration, kAlways},
                        [](StageOf r) { return DurationCell(r.row.stage.latency_ns); }},
                       BarOf<StageRow>(rows, [](StageOf r) { return r.row.stage.latency_ns; }),
                       {{"kernel time", "kernel_latency_ns", ColumnKind::kDuration, 8},
                        [](StageOf r) { return DurationCell(r.row.gpu.latency_ns); }},
                       {{"allocated", "allocated_bytes", ColumnKind::kBytes, 7},
                        [](StageOf r) { return BytesCell(r.row.stage.allocated_bytes); }}} +
      MetricFields<StageRow>() + SourceFields<StageRow>();
  return TableOf(AnalysisTitle(AnalysisId::kStages), fields, rows, HasRanks(data));
}

}  // namespace xsp
