#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/time.h"

namespace xsp {

// What in-house tracers write of a training job: one row is one operation of one worker (a pass of
// a micro-batch, a message, a collective). docs/ranks.md describes the columns of the file.
struct OperationsTable {
  std::vector<std::string> types;   // Names of the kinds of operations that occur.
  std::vector<std::uint32_t> type;  // Of a row: its place in `types`.
  std::vector<std::int64_t> rank;   // The worker, as the job numbers them.
  std::vector<std::int64_t> step;
  std::vector<TimeNs> begin;  // In many files from the beginning of the step.
  std::vector<DurationNs> duration;

  // Each is empty where the file has no such column.
  std::vector<std::int64_t> stage;          // Of the pipeline.
  std::vector<std::int64_t> data_parallel;  // The replica of the model.
  std::vector<std::int64_t> sequence;       // Among operations of its type, step and worker.
  std::vector<std::int64_t> chunk;          // Of the whole model, from 0; below 0: none.
  std::vector<std::int64_t> micro_batch;
  std::vector<std::string> hosts;   // Names that occur,
  std::vector<std::uint32_t> host;  // and the row's place in them.

  std::size_t size() const { return type.size(); }
};

}  // namespace xsp
