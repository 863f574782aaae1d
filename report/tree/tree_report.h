#pragma once

#include "hierarchy/steps/counted_steps.h"
#include "hierarchy/totals/path_totals.h"
#include "model/names/kernel_names.h"
#include "report/tables/report.h"
#include "report/tree/tree_view.h"

namespace xsp {

// The across-stack tree, for people and for scripts. `source`, `window` and `steps` say what it is
// about.
Report MakeTreeReport(const PathTotals& tree, const TreeViewOptions& view, NameForm names,
                      const TraceSource& source, const Window& window, const CountedSteps& steps);

}  // namespace xsp
