#pragma once

#include <span>

#include "stats/report.h"

namespace xsp {

// All that `stats` can print: NVIDIA's reports, what stats/ adds to them, and `overlap`, which asks
// what kernels are and so stands above both stats/ and hierarchy/.
std::span<const StatsReport> PrintableStatsReports();

}  // namespace xsp
