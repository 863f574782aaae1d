#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "graph/readings/device_work.h"
#include "graph/readings/idle.h"
#include "sim/diagnosis/summary.h"

namespace xsp {

// All kernels of one name, on all devices.
struct TopKernel {
  std::string name;
  DurationNs ns = 0;
  std::uint64_t blocks = 0;  // Of its largest grid; 0: unknown.
  bool is_other = true;      // Of no known class.
};

// What the first look at a trace found, as figures: all that a verdict is drawn from. Times of
// several devices are summed, and only their shares are spoken of.
struct FirstLook {
  bool is_step = false;  // The figures are those of one step, else of a stretch of time.
  std::size_t devices = 1;
  DurationNs program = 0;  // How long the program was recorded.
  DurationNs length = 0;   // Busy and idle.
  DurationNs busy = 0;
  DurationNs idle = 0;
  std::vector<WorkRow> work;                             // The longest first.
  std::vector<std::pair<IdleCause, DurationNs>> causes;  // Of the idle time, the longest first.
  std::vector<TopKernel> kernels;                        // The longest first.
  std::uint64_t operations = 0;
  std::uint32_t multiprocessors = 0;  // Of each device; 0: unknown, or not the same of all.

  DurationNs WorkSum() const;
  DurationNs SumOf(WorkKind kind) const;
  double IdleShare() const;  // Of the length.
  double WorkShare(WorkKind kind) const;
  double CollectiveShare() const;  // All that is communication.
};

FirstLook LookAt(const IdleReport& idle, const std::vector<DeviceWork>& work);
FirstLook LookAt(const Summary& summary);

// There is little to see on the devices: less than a thousandth of the run, and less than a
// millisecond.
bool IsTiny(const FirstLook& look);

// Why all devices together did nothing: (cause, time), the largest first.
std::vector<std::pair<IdleCause, DurationNs>> CausesOf(const IdleReport& idle);

}  // namespace xsp
