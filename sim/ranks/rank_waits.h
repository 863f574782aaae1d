#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/ranks/job/job_operations.h"

namespace xsp {

// What one worker's time went to; means per step, but for counts. The step is compute + transfer +
// waiting + idle: what it does at the same time counts once, for the first of these.
struct WorkerTimes {
  double step_ns = 0;      // From its first begin to its last end.
  double compute_ns = 0;   // It computed,
  double transfer_ns = 0;  // took part in communication once all had come,
  double waiting_ns = 0;   // waited for somebody to come,
  double idle_ns = 0;      // or did nothing of that.
  // Where all that take part do equal work: how often it came last, of how many times,
  std::uint64_t last_count = 0;
  std::uint64_t joined = 0;
  // how long the others waited for it, added up, less what it had itself waited for before;
  double inflicted_ns = 0;
  double suffered_ns = 0;  // and how long it waited for others.
  // Of communication: what no other work covers, and what held compute back; none: not told.
  std::optional<double> exposed_ns;
  std::optional<double> blocking_ns;
  std::uint64_t steps_slowest = 0;  // In how many steps most waiting was its doing.
};

// What one step of one worker went to: the parts add up to the step, as in WorkerTimes.
struct WorkerStep {
  WorkerRow worker = 0;
  std::uint32_t step = 0;  // A place in JobOperations::steps.
  DurationNs step_ns = 0;
  DurationNs compute_ns = 0;
  DurationNs transfer_ns = 0;
  DurationNs waiting_ns = 0;

  DurationNs IdleNs() const { return step_ns - compute_ns - transfer_ns - waiting_ns; }
};

// By step, then by worker; none for a step of which a worker recorded nothing.
std::vector<WorkerStep> SplitSteps(const JobOperations& job);

struct RankWaits {
  std::vector<WorkerTimes> workers;
  std::uint64_t steps_with_waiting = 0;  // In which somebody kept peers waiting.
};

// `noise`: clocks agree no better; who comes later by less is not late.
RankWaits FindWaits(const JobOperations& job, DurationNs noise);

}  // namespace xsp
