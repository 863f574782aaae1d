#include "report/analyses/analysis_fields.h"
#include "report/analyses/analysis_table_parts.h"

namespace xsp {
namespace {

// A batch size on one rank; for latency and throughput the whole model.
struct ModelRow {
  const BatchProfile* batch;
  GpuFigures gpu;
  std::optional<bool> is_optimal;  // None: there is only one batch size.
};
using ModelOf = const RankRow<ModelRow>&;

std::vector<RankRow<ModelRow>> ModelRows(const AnalysisData& data) {
  std::vector<RankRow<ModelRow>> rows;
  for (std::size_t i = 0; i < data.batches.size(); ++i) {
    std::optional<bool> is_optimal;
    if (data.optimal && data.batches.size() > 1) {
      is_optimal = data.optimal->meets_target && data.optimal->place == i;
    }
    for (const RankProfile& rank : data.batches[i].profile.ranks) {
      rows.push_back({&rank, {&data.batches[i], rank.gpu, is_optimal}});
    }
  }
  return rows;
}

Fields<ModelRow> ModelHead() {
  return {
      {{"batch", "batch", ColumnKind::kInt, kAlways},
       [](ModelOf r) { return Cell(r.row.batch->batch); }},
      {{"runs", "runs", ColumnKind::kInt, 3}, [](ModelOf r) { return Cell(r.row.batch->runs); }},
      {{"latency", "latency_ns", ColumnKind::kDuration, kAlways},
       [](ModelOf r) { return DurationCell(r.rank->latency_ns); }}};
}

}  // namespace

Table ModelTable(const AnalysisData& data) {
  const auto rows = ModelRows(data);
  const Fields<ModelRow> fields =
      ModelHead() + Fields<ModelRow>{{{"inputs/s", "throughput_per_s", ColumnKind::kFloat, 9, 1},
                                      [](ModelOf r) {
                                        if (!r.row.batch->batch || r.rank->latency_ns <= 0)
                                          return Cell();
                                        return Cell(static_cast<double>(*r.row.batch->batch) /
                                                    r.rank->latency_ns * 1e9);
                                      }},
                                     {{"optimal", "optimal", ColumnKind::kText, 8}, [](ModelOf r) {
                                        if (!r.row.is_optimal) return Cell();
                                        return Cell(*r.row.is_optimal ? "yes" : "no");
                                      }}};
  return TableOf(AnalysisTitle(AnalysisId::kModel), fields, rows, HasRanks(data));
}

Table ModelKernelTable(const AnalysisData& data) {
  const auto rows = ModelRows(data);
  const Fields<ModelRow> fields =
      ModelHead() +
      Fields<ModelRow>{{{"kernel time", "kernel_latency_ns", ColumnKind::kDuration, 9},
                        [](ModelOf r) { return DurationCell(r.rank->gpu.latency_ns); }},
                       {{"GPU busy", "gpu_share", ColumnKind::kShare, 9},
                        [](ModelOf r) { return Cell(r.rank->GpuShare()); }},
                       {{"kernels", "kernels", ColumnKind::kFloat, 6, 0},
                        [](ModelOf r) { return Cell(r.rank->gpu.count); }}} +
      FigureFields<ModelRow>();
  return TableOf(AnalysisTitle(AnalysisId::kModelKernels), fields, rows, HasRanks(data));
}

}  // namespace xsp
