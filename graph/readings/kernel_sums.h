#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph/readings/device_work.h"
#include "graph/unit/unit.h"
#include "hierarchy/hierarchy.h"
#include "model/names/kernel_class.h"
#include "model/names/kernel_names.h"

namespace xsp {

// All kernels of one name on one device. Where the unit is a step, times and counts are means.
struct SummaryKernel {
  std::uint32_t device = 0;  // As people know it; several ranks may have one of the same number.
  std::uint32_t place = 0;   // Among the devices of SumWork.
  std::string name;
  std::uint64_t count = 0;
  DurationNs total_ns = 0;
  DurationNs mean_ns = 0;  // Of one kernel, by all of them: a count per step is rounded.
  DurationNs longest_ns = 0;
  std::string full_name;     // As in the trace; of the first one where several share a name.
  std::uint64_t blocks = 0;  // Of the largest grid.
  KernelClass kernel_class = KernelClass::kOther;
  // What they computed, where the recorded sizes of all of them tell.
  std::optional<double> flops = {};
  std::optional<double> peak_flop_rate = {};  // Of the device, in their format, per second.
  Precision precision = Precision::kUnknown;

  std::optional<double> FlopRate() const;   // Per second.
  std::optional<double> PeakShare() const;  // None where it is more than all: the sizes mislead.
};

// The kernels among these pieces of work, by device and name.
std::vector<SummaryKernel> GroupKernels(const Hierarchy& hierarchy,
                                        const std::vector<WorkPiece>& pieces, NameForm form,
                                        const Unit& unit);

}  // namespace xsp
