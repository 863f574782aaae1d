#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "model/time.h"

// A job of many ranks in the one form that all of sim/ranks/ works on: operations of workers, which
// of them wait for which on a worker, and which are one joint operation of several workers. It has
// a source of its own: a table of operations (operations_job.h), or the small tables of stored
// traces (tables_job.h).
namespace xsp {

using OpRow = std::uint32_t;      // A row of JobOperations.
using WorkerRow = std::uint32_t;  // A row of JobOperations::workers.
using JointRow = std::uint32_t;   // A joint operation.
inline constexpr JointRow kNoJoint = std::numeric_limits<JointRow>::max();

// Whoever runs one part of the model: a rank, or one that stands for its tensor-parallel peers.
struct JobWorker {
  std::int64_t rank = 0;  // As the job numbers them.
  std::string host;       // Empty: unknown.
  std::string gpu;        // Its name; empty: unknown.
  std::int64_t stage = 0;
  std::int64_t data_parallel = 0;
  std::uint32_t group = 0;  // Workers of one group do equal work: from 0 without gaps.
};

// A kind of operation: what is expected to take the same time again and again.
struct JobOpType {
  std::string name;
  // What people and reports call it; several types may share it (sends and receives do).
  std::string shown;
  bool is_communication = false;
};

// Lists of rows, one list for each of some other rows, in one piece of memory.
struct RowLists {
  std::vector<std::uint32_t> first;  // One more than there are lists.
  std::vector<std::uint32_t> rows;

  std::size_t size() const { return first.empty() ? 0 : first.size() - 1; }
  std::span<const std::uint32_t> operator[](std::size_t list) const {
    return std::span(rows).subspan(first[list], first[list + 1] - first[list]);
  }
  // From pairs (list, row), in any order; rows of a list keep theirs.
  static RowLists Of(std::size_t lists,
                     const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs);
};

struct JobOperations {
  std::vector<JobWorker> workers;  // By rank.
  std::vector<JobOpType> types;
  std::vector<std::int64_t> steps;  // Their numbers in the source, ascending.
  // Each step begins where the one before ended; else all begin at 0, on every worker.
  bool steps_follow = false;
  std::uint32_t kinds = 0;          // How many there are.
  bool groups_share_kinds = false;  // A kind is the same thing in every group.
  bool kinds_are_sums = false;      // Compute is cut where it happened to be cut.

  // One value per operation, sorted by step, worker and begin.
  std::vector<WorkerRow> worker;
  std::vector<std::uint32_t> step;  // A place in `steps`.
  std::vector<std::uint16_t> type;
  std::vector<TimeNs> begin;
  std::vector<DurationNs> duration;
  std::vector<JointRow> joint;      // kNoJoint: nobody else takes part.
  std::vector<std::uint32_t> lane;  // Communication of a worker in one lane is in order.
  // Operations of one kind and group would take the same time if nothing were wrong; where
  // `kinds_are_sums`, compute of one kind would, all of it in a step together.
  std::vector<std::uint32_t> kind;
  // Between the end of all that it waits for and its begin: the host, launches, pauses. Empty where
  // that is left out.
  std::vector<DurationNs> lag;

  RowLists waits_for;  // For each operation: those that must have ended before it begins.
  RowLists members;    // For each joint operation: those that are one.

  // How far forward and backward passes of a micro-batch are long together, beyond what their
  // workers are: the correlation, 0 where it is not known.
  double micro_batch_link = 0;
  std::size_t unpaired = 0;  // Messages and collectives whose partner was not recorded.

  std::size_t size() const { return worker.size(); }
  bool IsCommunication(OpRow op) const { return types[type[op]].is_communication; }
  TimeNs End(OpRow op) const { return begin[op] + duration[op]; }
};

// Moments at which the last participant of each joint operation came.
std::vector<TimeNs> LastArrivals(const JobOperations& job);

// What each operation takes by itself: its duration, and of a joint one what follows the arrival of
// the last participant.
std::vector<DurationNs> OwnTimes(const JobOperations& job);

}  // namespace xsp
