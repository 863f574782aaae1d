#pragma once

#include <cstdint>

#include "sim/ranks/job_simulation.h"

namespace xsp {

// What an operation would take if nothing were wrong.
enum class Ideal : std::uint8_t {
  kAll,    // As in published work: the mean of its kind over all workers, so that unequal stages
           // are a fault.
  kPeers,  // The mean over workers that do equal work: unequal stages are none.
};

// The job as measured.
OpTimes MeasuredTimes(const JobOperations& job);

// Compute takes the mean of its kind, communication the median transfer of its kind, the host's lag
// its mean. Where groups have kinds of their own, kAll gives each worker the mean compute of all,
// type by type, in the proportions of its group.
OpTimes IdealTimes(const JobOperations& job, const OpTimes& measured, Ideal ideal);

// The job as measured, but these workers take what the others of their group take for the same
// kind. Where there are no others, as measured.
OpTimes LikePeers(const JobOperations& job, const OpTimes& measured,
                  const std::vector<WorkerRow>& workers);

}  // namespace xsp
