#pragma once

#include <string>
#include <vector>

#include "cli/inputs/nsys_report.h"
#include "model/progress.h"
#include "model/rank_tables.h"
#include "report/ranks/ranks_report.h"
#include "sim/ranks/ranks_analysis.h"

namespace xsp {

// A job of many ranks, opened and analysed: what `ranks` tells, and what a page of a run is made
// of.
struct OpenedJob {
  std::vector<RankTables> ranks;  // By rank; none of a table of operations.
  RanksAnalysis analysis;
  RanksReportOptions view;  // What it is called, where it came from and what is odd about it.
};

// A run of a dataset, the traces of the ranks of one, or a table of operations (Parquet). Throws
// Error, also where there is but one rank.
OpenedJob OpenJob(const std::vector<std::string>& paths, const JobWhatIfs& whatifs,
                  Progress* progress, const NoteSink& note);

}  // namespace xsp
