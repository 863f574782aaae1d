#pragma once

#include <cstdint>
#include <string_view>

#include "hierarchy/totals/path_totals.h"
#include "model/names/kernel_names.h"
#include "model/names/kernel_rules.h"
#include "report/tables/report.h"

namespace xsp {

// The node that the user means: the one of this path, else the only one whose path ends in it, else
// the topmost one whose path contains it; upper and lower case are the same. Throws Error, with the
// paths that would fit, if it is none or several.
PathId FindTreeNode(const PathTotals& tree, std::string_view path);

// Why a node is where it is: by which facts, and for its first pieces of device work the launch and
// the ranges that were open then. The tree must have kept its places; `rules` are those that the
// hierarchy was made with.
Report MakeTreeExplainReport(const PathTotals& tree, PathId node, const KernelRules& rules,
                             NameForm names, const TraceSource& source, const Window& window);

}  // namespace xsp
