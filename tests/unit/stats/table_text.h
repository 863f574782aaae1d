#pragma once

#include <string>
#include <string_view>

#include "model/trace.h"
#include "stats/report.h"

namespace xsp::test {

// A cell as a person would write it; "-" for unknown.
std::string CellText(const StatsTable& table, std::size_t row, std::size_t column);

// The tables of a report ("cuda_gpu_kern_sum:base") as lines of cells, joined by " | ", with a line
// of column names before each table. Begins with a line break, so that what is expected can be
// written as R"(
// line
// )".
std::string ReportText(const Trace& trace, std::string_view request,
                       GroupBy by = GroupBy::kNothing);

// The same without the lines of column names.
std::string ReportRows(const Trace& trace, std::string_view request,
                       GroupBy by = GroupBy::kNothing);

}  // namespace xsp::test
