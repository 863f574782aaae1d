#pragma once

#include <string_view>

#include "sim/plan/plan.h"

namespace xsp {

// How the change begins that is about copies of a few values, which no loader brings.
inline constexpr std::string_view kSmallCopies = "small copies: ";

// What copies cost besides their bytes.
inline constexpr double kCopyFixedNs = 1'300;

// Bytes per second of copies in this direction (kHtoD, kDtoH) from and to pinned memory: of the
// trace's own large ones, else those of the other direction, else a usual share of PCIe.
double PinnedBandwidth(const Plan& plan, OpClass direction);

// The copy between host and device right before a call that waits for its stream or for all: what
// the host waits for there. None where other work, or none, comes before it.
TaskId CopyBefore(const TaskGraph& graph, TaskId sync);

}  // namespace xsp
