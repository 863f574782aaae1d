#include "hierarchy/analyses/groups.h"
#include "report/analyses/analysis_fields.h"
#include "report/analyses/analysis_table_parts.h"

namespace xsp {
namespace {

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

using GroupOf = const RankRow<KernelGroup>&;

}  // namespace

Table KernelTable(AnalysisId id, const AnalysisData& data) {
  std::vector<RankRow<KernelRow>> rows;
  for (const RankProfile& rank : data.shown.profile.ranks) {
    for (const KernelRow& kernel : rank.kernels) rows.push_back({&rank, kernel});
  }
  std::stable_sort(rows.begin(), rows.end(), [](KernelOf a, KernelOf b) {
    return a.row.gpu.latency_ns > b.row.gpu.latency_ns;
  });
  if (id == AnalysisId::kRoofline) {  // What has a place in the roofline comes first.
    std::stable_partition(rows.begin(), rows.end(),
                          [](KernelOf r) { return r.row.gpu.Intensity().has_value(); });
  }
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
  return TableOf(AnalysisTitle(id), fields, rows, HasRanks(data));
}

Table KernelNameTable(const AnalysisData& data) {
  std::vector<RankRow<KernelGroup>> rows;
  for (const RankProfile& rank : data.shown.profile.ranks) {
    for (KernelGroup& group : KernelsByName(rank)) rows.push_back({&rank, std::move(group)});
  }
  std::stable_sort(rows.begin(), rows.end(), [](GroupOf a, GroupOf b) {
    return a.row.gpu.latency_ns > b.row.gpu.latency_ns;
  });
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
  return TableOf(AnalysisTitle(AnalysisId::kKernelsByName), fields, rows, HasRanks(data));
}

}  // namespace xsp
