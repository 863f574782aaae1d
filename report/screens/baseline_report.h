#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/tables/report.h"

namespace xsp {

// A baseline, or one run of it, as lists show them.
struct BaselineRow {
  std::string name;
  std::uint64_t runs = 0;
  std::uint64_t damaged = 0;  // Runs that cannot be read, beside those.
  std::string gpu;            // Empty: unknown.
  std::string created;        // Of the newest run: "2026-01-31 12:00:00 UTC".
  std::uint64_t steps = 0;
  std::optional<double> noise;  // Between runs, those included that were replaced; as a share.
};
struct BaselineRunRow {
  std::string id;
  std::string source;
  std::string gpu;
  std::string created;
  std::uint64_t steps = 0;
  std::string folder;
};

// All baselines of a folder.
Report MakeBaselineReport(const std::string& folder, const std::vector<BaselineRow>& baselines);
// One of them with its runs.
Report MakeBaselineReport(const std::string& folder, const BaselineRow& baseline,
                          const std::vector<BaselineRunRow>& runs);

}  // namespace xsp
