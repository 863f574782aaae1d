#pragma once

#include <string>

#include "model/progress.h"
#include "model/trace.h"
#include "report/screens/import_report.h"

namespace xsp {

// The trace with layers and operations for the kernels that CUDA graphs replay, from `file`:
// another recording of the same model (hierarchy/names/graph_names.h), or PyTorch's annotations by
// node of the graph. Throws Error where the two do not fit.
Trace NameReplayedKernels(Trace trace, const std::string& file, Progress& progress, bool quiet,
                          NamedReplays& found);

}  // namespace xsp
