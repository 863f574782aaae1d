#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "graph/readings/kernel_sums.h"
#include "model/names/kernel_names.h"
#include "report/tables/table.h"

namespace xsp {

// By `key` (total, mean, longest, count: the largest first; name); ties stay as they are.
void SortKernels(std::vector<SummaryKernel>& rows, const std::string& key);

// "13.2 TFLOP/s (68 % fp32)": with the share of the peak in that format. Empty where nothing is
// known.
std::string RateWords(const SummaryKernel& row);

// At most `top` of them; 0: all.
Table KernelTable(const std::vector<SummaryKernel>& rows, std::size_t top, bool several_devices,
                  NameForm form);

}  // namespace xsp
