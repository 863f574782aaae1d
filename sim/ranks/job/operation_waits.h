#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sim/ranks/job/job_operations.h"
#include "sim/ranks/job/operation_types.h"

namespace xsp {

// What a table says of its operations beside what a job holds: a value for each operation of the
// job, -1 where there is none.
struct OperationColumns {
  std::vector<OperationType> types;       // By type of the job.
  std::vector<std::int64_t> sequence;     // Among operations of its type, step and worker.
  std::vector<std::int64_t> chunk;        // Of the model; no values: it has none.
  std::vector<std::int64_t> micro_batch;  // No values: it has none.
  std::int64_t last_chunk = -1;
  bool beside = false;  // Gradients are reduced beside the backward passes.
};

struct OperationWaits {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;  // Who waits, and for whom.
  std::vector<std::int64_t> sequence;                          // Known for every operation.
  std::vector<bool> is_idle_message;                           // Noted, but of no pass.
};

// Which operations of a worker wait for which, by what they do (docs/ranks.md).
OperationWaits FindOperationWaits(const JobOperations& job, const OperationColumns& columns);

}  // namespace xsp
