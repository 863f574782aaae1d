#pragma once

#include <string>

#include "sim/diagnosis/diagnosis.h"
#include "sim/diagnosis/first_look.h"
#include "sim/diagnosis/host_look.h"
#include "sim/diagnosis/unit_facts.h"

namespace xsp {

// The diagnosis, and a sentence on what the devices do where that is more than tables say, by the
// first rule of a table that applies.
std::string VerdictOn(const FirstLook& look, const Diagnosis& diagnosis, const UnitFacts& facts);

// Of a trace in which no device did anything: what is missing, and what there is.
std::string VerdictOnHost(const HostLook& host);

}  // namespace xsp
