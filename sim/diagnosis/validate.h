#pragma once

#include <string>
#include <vector>

#include "sim/forecast.h"

namespace xsp {

// One class of device work in a validation.
struct ClassError {
  KernelClass kernel_class = KernelClass::kOther;
  DurationNs before = 0;    // Measured before,
  DurationNs forecast = 0;  // as the forecast has it after,
  DurationNs after = 0;     // and measured after.

  DurationNs Off() const { return forecast - after; }
};

// A forecast from one run, held against another run in which the change was
// really made.
struct Validation {
  Forecast forecast;
  bool is_step = false;             // The unit on both sides.
  DurationNs after = 0;             // Measured.
  DurationNs device_after = 0;      // Sum of device work, measured.
  std::vector<ClassError> classes;  // Those that are most off first.

  double Error() const;        // Of the forecast: 0.05 is 5 % too long.
  double NaiveError() const;   // Of durations only.
  double DeviceError() const;  // Of the sum of device work.
};

// How long a unit of a run takes, and its device work by class.
struct MeasuredRun {
  bool is_step = false;
  DurationNs unit = 0;
  std::vector<ClassTime> classes;  // `before` is the measured time.
};
MeasuredRun Measure(const Workbench& workbench);

// `before` and `after` speak of the same kind of unit.
Validation Validate(const Workbench& before, std::span<const ChosenWhatIf> whatifs,
                    const MeasuredRun& after);

}  // namespace xsp
