#pragma once

#include "report/tables/facts.h"
#include "sim/diagnosis/diagnosis.h"

namespace xsp {

// The field `diagnosis`, the same in all commands: what, share, ns, text, and `resources`: what
// each has of the critical path, and what the unit would gain if it cost nothing.
Json DiagnosisToJson(const Diagnosis& diagnosis);

}  // namespace xsp
