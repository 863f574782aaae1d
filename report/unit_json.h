#pragma once

#include "graph/unit.h"
#include "report/json.h"

namespace xsp {

// The fields that say what a document's figures speak of: `unit` ("step" or "span"), `unit_steps`
// (which steps were averaged; null for a span) and `measured_ns`.
void AddUnitFields(const Unit& unit, Json& fields);

}  // namespace xsp
