#pragma once

#include <vector>

#include "hierarchy/steps/step_candidates.h"
#include "model/time.h"
#include "model/trace.h"

namespace xsp {

// When the device work of a process has finished. Migrations do not count: nobody launched them.
class FinishTimes {
 public:
  FinishTimes(const Trace& trace, const LaunchedWork& launched);

  // The end of all work launched before a moment, or the moment itself where that is later: when
  // something that the host begins (or ends) then begins (or ends) for the device as well.
  TimeNs Boundary(TimeNs moment) const;

 private:
  std::vector<TimeNs> launch_;    // Ascending.
  std::vector<TimeNs> finished_;  // The latest end of the work launched up to here.
};

}  // namespace xsp
