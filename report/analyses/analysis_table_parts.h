#pragma once

#include <string>

#include "report/analyses/analysis_tables.h"

// The tables of the analyses, by what their rows are. For analysis_tables.cc.
namespace xsp {

std::string AnalysisTitle(AnalysisId id);  // "A2 Layers".
inline bool HasRanks(const AnalysisData& data) { return data.shown.profile.ranks.size() > 1; }

Table LayerTable(AnalysisId id, const AnalysisData& data,
                 AnalysisRowOrder order);                       // A2-A4, A11-A14.
Table LayerTypeTable(AnalysisId id, const AnalysisData& data);  // A5-A7.
Table StageTable(const AnalysisData& data);
Table KernelTable(AnalysisId id, const AnalysisData& data);  // A8, A9.
Table KernelNameTable(const AnalysisData& data);             // A10.
Table ModelTable(const AnalysisData& data);                  // A1.
Table ModelKernelTable(const AnalysisData& data);            // A15.

}  // namespace xsp
