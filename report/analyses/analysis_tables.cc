#include "report/analyses/analysis_tables.h"

#include "report/analyses/analysis_table_parts.h"

namespace xsp {

std::string AnalysisTitle(AnalysisId id) {
  const AnalysisInfo& info = InfoOf(id);
  if (id == AnalysisId::kStages) return std::string(info.title);
  return std::string(info.title) + " (A" + std::string(info.number.substr(1)) + ")";
}

Table AnalysisTable(AnalysisId id, const AnalysisData& data, AnalysisRowOrder order) {
  switch (id) {
    case AnalysisId::kModel:
      return ModelTable(data);
    case AnalysisId::kModelKernels:
      return ModelKernelTable(data);
    case AnalysisId::kLayerTypes:
    case AnalysisId::kLatencyByType:
    case AnalysisId::kMemoryByType:
      return LayerTypeTable(id, data);
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
