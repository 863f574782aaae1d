#pragma once

#include "sim/plan/plan.h"

namespace xsp {

// Bytes per second of copies from and to pinned memory: of the trace's own large ones, else a usual
// share of PCIe.
double PinnedBandwidth(const Plan& plan);

}  // namespace xsp
