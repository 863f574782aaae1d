#pragma once

#include "model/trace.h"

namespace xsp {

// Gives processes, tracks, domains and strings new ids that only the content decides, whatever the
// order was in which readers met them: entities sorted by what they are, strings in the order of
// their first use by events, details and entities. Strings that nothing names are dropped: an
// export holds whole process environments among its strings, and none of that may stay.
void Renumber(TraceTables& tables);

}  // namespace xsp
