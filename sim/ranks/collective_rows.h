#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/rank_tables.h"
#include "sim/ranks/job/job_operations.h"
#include "sim/ranks/job/tables_job.h"

namespace xsp {

// Communication of one sort, over all ranks and steps.
struct CollectiveRow {
  std::string communicator;  // Empty: several, or unknown.
  std::string operation;
  std::optional<std::int64_t> bytes;         // Of one message.
  std::optional<std::int64_t> participants;  // Ranks that take part.
  std::string link;         // "one host", "across hosts"; empty: it is not known who runs where.
  std::uint64_t count = 0;  // How often it took place.
  double ns = 0;            // What one took on a rank, waiting included: the mean.
  double waiting_ns = 0;    // Of that, until the last had come.
  double transfer_ns = 0;   // The rest.
  std::optional<double> bus_bandwidth;  // Bytes per second, by the median transfer.
  std::optional<double> link_share;     // Of what the link can carry.
  std::optional<double> imbalance;      // All-to-all: most bytes of a rank over their mean.
  std::uint64_t unmatched = 0;          // On a rank whose partners were not recorded, or not found.
};

// By kind of communication; of what a table of operations tells.
std::vector<CollectiveRow> CollectivesByType(const JobOperations& job);

// By operation, size and who takes part: one row for each communicator, or for all of a sort.
// `job` is that of the tables.
std::vector<CollectiveRow> CollectivesOfRanks(std::span<const RankTables> ranks,
                                              const TablesJob& tables, const JobOperations& job,
                                              bool by_communicator);

}  // namespace xsp
