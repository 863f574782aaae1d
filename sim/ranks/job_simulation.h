#pragma once

#include <cstdint>
#include <vector>

#include "sim/ranks/job/job_operations.h"

namespace xsp {

// How long operations of a job take, and how late they come; `lag` is empty where the job's is.
struct OpTimes {
  std::vector<DurationNs> own;
  std::vector<DurationNs> lag;
};

// A job with other durations. An operation begins when all that it waits for have ended; a joint
// one begins to transfer when its last participant has come. Gaps that nothing explains are left
// out. Each simulation is one pass over the operations, in an order that is found once.
class JobSimulation {
 public:
  // `job` must outlive it.
  explicit JobSimulation(const JobOperations& job);

  // The time of each step.
  std::vector<DurationNs> StepTimes(const OpTimes& times) const;
  // Their mean.
  double MeanStep(const OpTimes& times) const;

  // Waits that no order of the operations can keep, and that were left out.
  std::size_t contradictions() const { return contradictions_; }

 private:
  // A place in the order: an operation begins (and ends, if nobody else takes part), or a joint
  // operation ends, marked by the highest bit.
  using Event = std::uint32_t;
  static constexpr Event kJointEnds = Event{1} << 31;

  class Ordering;

  const JobOperations& job_;
  std::vector<Event> order_;
  std::size_t contradictions_ = 0;
};

}  // namespace xsp
