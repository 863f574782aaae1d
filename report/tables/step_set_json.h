#pragma once

#include "graph/unit/unit.h"
#include "hierarchy/steps/counted_steps.h"
#include "report/tables/facts.h"

namespace xsp {

// Which steps a document's figures are means over, and what became of the others, counted from 1 as
// --steps does; null where no step counts.
Json StepSetToJson(const CountedSteps& steps);

// The fields that say what a document's figures speak of: `unit` ("step" or "span"), `step_set`,
// `one_time_ns` (of a unit's time), and `unit_steps` (which of the counted steps are simulated;
// null for a span).
void AddUnitFields(const Unit& unit, Facts& fields);

}  // namespace xsp
