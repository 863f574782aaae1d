#pragma once

#include "importers/nsys/context.h"

namespace xsp {

// Gives the processes and tracks that the events named what the export knows of them: names, GPUs,
// stream priorities and flags; adds the GPUs and the contexts of these processes. Called once, by
// one thread, after all events and before Build().
void DescribeTracks(NsysContext& context);

}  // namespace xsp
