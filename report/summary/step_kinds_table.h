#pragma once

#include <vector>

#include "report/tables/table.h"
#include "sim/diagnosis/step_kinds.h"

namespace xsp {

// A row for each kind of steps.
Table StepKindsTable(const std::vector<StepKindRow>& rows);

// What the host does in such steps, and how much of it no device's work hides; nothing to show
// where no range tells.
Table HostTable(const StepKindRow& row);

}  // namespace xsp
