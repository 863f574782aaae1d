#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "graph/device_work.h"
#include "graph/idle.h"
#include "report/report.h"

namespace xsp {

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
  std::string top_kernel;                                // The kernel that took most time,
  DurationNs top_kernel_ns = 0;                          // and how much.
  std::uint64_t operations = 0;

  DurationNs WorkSum() const;
  DurationNs SumOf(WorkKind kind) const;
};

FirstLook LookAt(const IdleReport& idle, const std::vector<DeviceWork>& work);

// Why all devices together did nothing: (cause, time), the largest first.
std::vector<std::pair<IdleCause, DurationNs>> CausesOf(const IdleReport& idle);

// One or two sentences on what decides how long it takes, by the first rule of a table that
// applies.
std::string VerdictOn(const FirstLook& look);

// A command worth running next, and why.
struct NextStep {
  std::string command;
  std::string why;
};
// At most three that follow from what was found. `trace`: the file as a shell wants it.
std::vector<NextStep> NextSteps(const FirstLook& look, const std::string& trace);

}  // namespace xsp
