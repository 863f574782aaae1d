#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/inputs/nsys_report.h"
#include "model/progress.h"
#include "report/tables/json.h"

namespace xsp {

// A trace that a page shows, and what it is called there; empty: as its file.
struct TraceToShow {
  std::string path;
  std::string name;
};

// What a page shows of a job of many ranks.
struct JobPage {
  Json document;  // Of `xsp ranks`.
  Json columns;   // report/html/job_columns.h
  // Of a run of a dataset: the rank that others wait for most, and one whose compute is typical.
  std::vector<TraceToShow> ranks;
};

// Whether this is a run of a dataset or a table of operations: a job, and no trace.
bool IsJob(const std::string& path);

// `budget`: bytes, about, for the columns. Throws Error.
JobPage MakeJobPage(const std::string& path, std::size_t budget, Progress* progress,
                    const NoteSink& note);

}  // namespace xsp
