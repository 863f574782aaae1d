#pragma once

#include <vector>

#include "report/tables/table.h"
#include "sim/diagnosis/step_kinds.h"

namespace xsp {

// A row for each kind of steps.
Table StepKindsTable(const std::vector<StepKindRow>& rows);
// The same of a trace with a single step: "10.74 ms a step = 2,979 tokens/s; ...".
std::string OneStepWords(const StepKindRow& row);
// What the host does around such steps, as a sentence; `row.host` has something.
std::string HostWords(const StepKindRow& row);

}  // namespace xsp
