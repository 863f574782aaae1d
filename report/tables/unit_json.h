#pragma once

#include "graph/unit/unit.h"
#include "report/tables/json.h"

namespace xsp {

// The fields that say what a document's figures speak of: `unit` ("step" or "span") and
// `unit_steps` (which steps the means are of; null for a span).
void AddUnitFields(const Unit& unit, Json& fields);

}  // namespace xsp
