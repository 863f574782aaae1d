#pragma once

#include "model/operations_table.h"
#include "sim/ranks/job/job_operations.h"

namespace xsp {

// The job that a table of operations tells of, with who waits for whom in it:
//  - Passes, collectives at the end of a step, the optimizer and all that has no rule of its own
//    follow each other on a worker, in the order of their begins.
//  - Messages of a pipeline have a stream of their own for each kind, in order. The i-th receive
//    comes after the pass before the i-th and before the i-th; the i-th send after the i-th pass.
//    The k-th send of a stage pairs with the k-th receive of the next one (backward: of the one
//    before).
//  - Parameters are gathered before the first forward pass; where gradients are reduced beside the
//    backward passes, they are waited for behind the last one.
//  - Collectives of data-parallel replicas join the workers of a stage, those of embeddings the
//    first and the last stage of a replica, clipping joins all.
// Throws Error for a table whose rows contradict each other: a worker with two stages.
JobOperations JobOfOperations(const OperationsTable& table);

}  // namespace xsp
