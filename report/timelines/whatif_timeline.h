#pragma once

#include <string>

#include "sim/forecast.h"

namespace xsp {

// A program before and after a change, one below the other, as a document in
// Chrome's trace event format. Tasks of the changed program say what they were,
// or that they are new.
std::string WhatIfTimeline(const Workbench::Simulated& before, const Workbench::Simulated& after);

}  // namespace xsp
