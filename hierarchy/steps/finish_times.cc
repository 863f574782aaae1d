#include "hierarchy/steps/finish_times.h"

#include <algorithm>
#include <limits>

namespace xsp {

FinishTimes::FinishTimes(const Trace& trace, const LaunchedWork& launched)
    : launch_(launched.launch) {
  TimeNs finished = std::numeric_limits<TimeNs>::min();
  finished_.reserve(launched.work.size());
  for (EventId work : launched.work) {
    finished = std::max(finished, trace.end(work));
    finished_.push_back(finished);
  }
}

TimeNs FinishTimes::Boundary(TimeNs moment) const {
  const auto after = std::lower_bound(launch_.begin(), launch_.end(), moment);
  if (after == launch_.begin()) return moment;
  return std::max(moment, finished_[static_cast<std::size_t>(after - launch_.begin()) - 1]);
}

}  // namespace xsp
