#pragma once

#include "report/ranks/ranks_report.h"

// The tables of `xsp ranks`, one function each.
namespace xsp {

Table AllRanksTable(const RanksAnalysis& analysis);  // For scripts: every rank, by number.
// For people: the slowest of each group first, those between them and the fastest in one row.
Table FoldedRanksTable(const RanksAnalysis& analysis, std::size_t top);
// For people: hosts, stages or GPUs, with means of their ranks.
Table RanksByTable(const RanksAnalysis& analysis, RanksBy by);

Table SlowdownsTable(const RanksAnalysis& analysis);  // S by both ideals, M_W, M_S.
Table ByTypeTable(const RanksAnalysis& analysis);
Table ByStageTable(const RanksAnalysis& analysis);
Table ByDataParallelTable(const RanksAnalysis& analysis);
Table ByRankTable(const RanksAnalysis& analysis);
Table ByHostTable(const RanksAnalysis& analysis);
Table RankClocksTable(const std::vector<HostClock>& clocks);
Table ForecastsTable(const std::vector<JobForecast>& forecasts);
Table CollectivesTable(const std::vector<CollectiveRow>& rows);

}  // namespace xsp
