#pragma once

#include <string>

#include "base/byte_sink.h"
#include "hierarchy/hierarchy.h"
#include "hierarchy/steps/step_set.h"
#include "model/names/kernel_names.h"

namespace xsp {

// A trace with its hierarchy as a document in Chrome's trace event format, which Perfetto and
// chrome://tracing show. Three groups of tracks per process: steps, phases, layers and operations
// at the time at which their work was on the device; ranges and CUDA calls of host threads; and
// all device work by stream. Spans of one track lie beside or within each other: what overlaps
// otherwise has a track of its own. Arrows lead from calls to what they issued. Of `steps` only,
// where they are not the whole trace.
void WriteTreeTimeline(const Hierarchy& hierarchy, NameForm names, const StepSet& steps,
                       const ByteSink& sink);
std::string TreeTimeline(const Hierarchy& hierarchy, NameForm names, const StepSet& steps = {});

}  // namespace xsp
