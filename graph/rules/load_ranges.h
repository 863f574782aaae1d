#pragma once

#include <vector>

#include "hierarchy/hierarchy.h"
#include "model/trace.h"

namespace xsp {

// Ranges that load data, on one thread: disjoint, in order of time.
using LoadRanges = std::vector<EventId>;

// The outermost ranges whose names speak of loading data, by track.
std::vector<LoadRanges> FindLoadRanges(const Hierarchy& hierarchy);

}  // namespace xsp
