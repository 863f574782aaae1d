#pragma once

#include <string>
#include <vector>

#include "graph/readings/device_work.h"
#include "hierarchy/hierarchy.h"
#include "report/summary/summary_kernels.h"

namespace xsp {

// Adds to the rows, which are sums over these pieces, what their kernels computed, where the
// recorded sizes of their operations tell. Nothing else in a trace does: the name and the grid of a
// matrix product never tell how long its sums are.
void AddFlops(const Hierarchy& hierarchy, const std::vector<WorkPiece>& pieces, NameForm form,
              std::vector<SummaryKernel>& rows);

// "13.2 TFLOP/s (68 % fp32)": with the share of the peak in that format. Empty where nothing is
// known.
std::string RateWords(const SummaryKernel& row);

}  // namespace xsp
