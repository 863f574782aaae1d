#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hierarchy/names/framework_use.h"
#include "hierarchy/steps/one_time_costs.h"
#include "hierarchy/steps/steps.h"
#include "model/trace.h"
#include "report/tables/report.h"

namespace xsp {

// The steps of a trace in short.
struct StepsInfo {
  std::uint64_t count = 0;
  std::string source;         // How they were found: "range", "repetition".
  std::uint64_t cold = 0;     // Steps at the beginning that are slower than the rest.
  std::string why_none = {};  // Where there are none: why, as half a sentence.
  OneTimeCosts one_time = {};
  std::vector<std::pair<std::string, std::uint32_t>> kinds = {};  // And how many of each.
  FrameworkUses frameworks = {};
};
StepsInfo StepsInfoOf(const Trace& trace, const Steps& steps);

// Everything about a capture on one screen: where it comes from, what it holds, what it lacks and
// how to record that, and what became of every row of the source. `steps` is none where nobody
// looked for steps.
Report MakeInfoReport(const Trace& trace, const TraceSource& source, const Window& window,
                      const std::optional<StepsInfo>& steps);

}  // namespace xsp
