#pragma once

#include "sim/ranks/job/job_operations.h"
#include "sim/ranks/job/operation_waits.h"

namespace xsp {

// How far forward and backward passes of a micro-batch are long together on a worker, against the
// means of that worker: the correlation; 0 where batches are not told.
double MicroBatchLink(const JobOperations& job, const OperationColumns& columns);

}  // namespace xsp
