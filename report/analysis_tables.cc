#include "report/analysis_tables.h"

#include <unordered_map>

#include "hierarchy/analyses/groups.h"
#include "report/analysis_fields.h"

namespace xsp {
namespace {

std::string TitleOf(AnalysisId id) {
  const AnalysisInfo& info = InfoOf(id);
  std::string number(info.number);
  if (number.front() == 'a') number.front() = 'A';
  return (id == AnalysisId::kStages ? "" : number + " ") + std::string(info.title);
}

bool HasRanks(const AnalysisData& data) { return data.shown.profile.ranks.size() > 1; }

// --- Layers ---

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

Table LayerTable(AnalysisId id, const AnalysisData& data, RowOrder order) {
  const bool is_ranking = id == AnalysisId::kLayers || id == AnalysisId::kLayerKernels;
  const auto rows = LayerRows(data, is_ranking || order == RowOrder::kLargest);
  return TableOf(TitleOf(id), LayerFields(id, rows), rows, HasRanks(data));
}

// --- Layer types ---

using TypeOf = const RankRow<LayerType>&;

Table TypeTable(AnalysisId id, const AnalysisData& data) {
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
  return TableOf(TitleOf(id), fields, rows, HasRanks(data));
}

// --- Kernels ---

// Names of kernels as the user wants them. Short ones stay apart where several share a form.
class ShownKernels {
 public:
  ShownKernels(const Profile& profile, NameForm form) : form_(form) {
    std::vector<StringId> ids;
    for (const RankProfile& rank : profile.ranks) {
      for (const KernelRow& kernel : rank.kernels) ids.push_back(pool_.Intern(kernel.name));
    }
    short_.emplace(pool_, ids);
  }

  std::string Of(const std::string& name, const std::string& mangled) const {
    if (form_ == NameForm::kFull) return name;
    if (form_ == NameForm::kMangled) return mangled.empty() ? name : mangled;
    if (form_ == NameForm::kBase) return BaseKernelName(name);
    return std::string(short_->Of(pool_.Find(name)));
  }

 private:
  NameForm form_;
  StringPool pool_;
  std::optional<ShortNames> short_;
};

std::string ShapeWords(const std::array<std::uint32_t, 3>& shape) {
  return std::to_string(shape[0]) + "x" + std::to_string(shape[1]) + "x" + std::to_string(shape[2]);
}

using KernelOf = const RankRow<KernelRow>&;

Table KernelTable(AnalysisId id, const AnalysisData& data) {
  std::vector<RankRow<KernelRow>> rows;
  for (const RankProfile& rank : data.shown.profile.ranks) {
    for (const KernelRow& kernel : rank.kernels) rows.push_back({&rank, kernel});
  }
  std::stable_sort(rows.begin(), rows.end(), [](KernelOf a, KernelOf b) {
    return a.row.gpu.latency_ns > b.row.gpu.latency_ns;
  });
  const ShownKernels names(data.shown.profile, data.names);
  Fields<KernelRow> fields = {{{"latency", "latency_ns", ColumnKind::kDuration, kAlways},
                               [](KernelOf r) { return DurationCell(r.row.gpu.latency_ns); }},
                              {{"layer", "layer_index", ColumnKind::kInt, 8},
                               [](KernelOf r) {
                                 const LayerRow& layer = r.rank->layers[r.row.layer];
                                 return layer.is_layer ? Cell(layer.index) : Cell();
                               }},
                              {{"calls", "calls", ColumnKind::kFloat, 4, 1},
                               [](KernelOf r) { return Cell(r.row.gpu.count); }}};
  const bool is_roofline = id == AnalysisId::kRoofline;
  fields = fields + (is_roofline ? RooflineFields<KernelRow>() + SourceFields<KernelRow>()
                                 : FigureFields<KernelRow>());
  fields.push_back({{"grid", "grid", ColumnKind::kText, 3},
                    [](KernelOf r) { return Cell(ShapeWords(r.row.grid)); }});
  fields.push_back({{"block", "block", ColumnKind::kText, 3},
                    [](KernelOf r) { return Cell(ShapeWords(r.row.block)); }});
  fields.push_back({{"kernel", "kernel", ColumnKind::kName, kAlways},
                    [&](KernelOf r) { return Cell(names.Of(r.row.name, r.row.mangled)); }});
  return TableOf(TitleOf(id), fields, rows, HasRanks(data));
}

using GroupOf = const RankRow<KernelGroup>&;

Table KernelNameTable(const AnalysisData& data) {
  std::vector<RankRow<KernelGroup>> rows;
  for (const RankProfile& rank : data.shown.profile.ranks) {
    for (KernelGroup& group : KernelsByName(rank)) rows.push_back({&rank, std::move(group)});
  }
  const ShownKernels names(data.shown.profile, data.names);
  Fields<KernelGroup> fields = {{{"latency", "latency_ns", ColumnKind::kDuration, kAlways},
                                 [](GroupOf r) { return DurationCell(r.row.gpu.latency_ns); }},
                                {{"of model", "share", ColumnKind::kShare, 9},
                                 [](GroupOf r) {
                                   const double whole = r.rank->latency_ns;
                                   return whole > 0 ? Cell(r.row.gpu.latency_ns / whole) : Cell();
                                 }},
                                {{"calls", "calls", ColumnKind::kFloat, 8, 0},
                                 [](GroupOf r) { return Cell(r.row.gpu.count); }}};
  fields = fields + FigureFields<KernelGroup>();
  fields.push_back({{"kernel", "kernel", ColumnKind::kName, kAlways},
                    [&](GroupOf r) { return Cell(names.Of(r.row.name, r.row.mangled)); }});
  return TableOf(TitleOf(AnalysisId::kKernelsByName), fields, rows, HasRanks(data));
}

// --- The model ---

// A batch size on one rank; for latency and throughput the whole model.
struct ModelRow {
  const BatchProfile* batch;
  GpuFigures gpu;
  bool is_optimal = false;
};
using ModelOf = const RankRow<ModelRow>&;

std::vector<RankRow<ModelRow>> ModelRows(const AnalysisData& data) {
  std::vector<RankRow<ModelRow>> rows;
  for (std::size_t i = 0; i < data.batches.size(); ++i) {
    const bool is_optimal = data.optimal && data.optimal->place == i && data.batches.size() > 1;
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
                                        return r.row.is_optimal ? Cell("optimal") : Cell();
                                      }}};
  return TableOf(TitleOf(AnalysisId::kModel), fields, rows, HasRanks(data));
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
  return TableOf(TitleOf(AnalysisId::kModelKernels), fields, rows, HasRanks(data));
}

// --- Stages ---

struct StageRow {
  std::size_t place;
  Stage stage;
  GpuFigures gpu;
};
using StageOf = const RankRow<StageRow>&;

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
  return TableOf(TitleOf(AnalysisId::kStages), fields, rows, HasRanks(data));
}

}  // namespace

Table AnalysisTable(AnalysisId id, const AnalysisData& data, RowOrder order) {
  switch (id) {
    case AnalysisId::kModel:
      return ModelTable(data);
    case AnalysisId::kModelKernels:
      return ModelKernelTable(data);
    case AnalysisId::kLayerTypes:
    case AnalysisId::kLatencyByType:
    case AnalysisId::kMemoryByType:
      return TypeTable(id, data);
    case AnalysisId::kKernels:
    case AnalysisId::kRoofline:
      return KernelTable(id, data);
    case AnalysisId::kKernelsByName:
      return KernelNameTable(data);
    case AnalysisId::kStages:
      return StageTable(data);
    default:
      return LayerTable(id, data, order);
  }
}

}  // namespace xsp
