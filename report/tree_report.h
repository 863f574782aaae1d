#pragma once

#include "hierarchy/kernel_names.h"
#include "hierarchy/path_totals.h"
#include "report/report.h"
#include "report/tree_view.h"

namespace xsp {

// The across-stack tree, for people and for scripts. `source` and `window` say what it is about.
Report MakeTreeReport(const PathTotals& tree, const TreeViewOptions& view, NameForm names,
                      const TraceSource& source, const Window& window);

}  // namespace xsp
