#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "report/tables/report.h"

namespace xsp {

// What `xsp export` wrote.
struct ExportOutcome {
  std::string format;
  std::vector<std::string> written;  // Files.
  std::uint64_t bytes = 0;
  std::vector<std::pair<std::string, std::uint64_t>> counts;  // What is in them: "slices".
  std::vector<std::string> notes;                             // What a reader should know.
};

Report MakeExportReport(const ExportOutcome& outcome, const TraceSource& source,
                        const std::string& gpus, const Window& window);

}  // namespace xsp
