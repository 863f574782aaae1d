#include "sim/ranks/collective_rows.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "base/quantile.h"
#include "hierarchy/hardware/gpu_specs.h"
#include "sim/models/communication.h"

namespace xsp {
namespace {

// What is known of one sort while it is summed up.
struct Sums {
  CollectiveRow row;
  double parts = 0;  // On ranks.
  std::vector<double> transfers;
  std::string gpu;
  std::int64_t members = 0;  // Ranks that take part, as far as recorded.
  double bytes = 0, imbalance = 0, uneven = 0;
};

std::string LinkOf(const JobOperations& job, std::span<const OpRow> members) {
  bool is_one = true;
  const std::string& host = job.workers[job.worker[members.front()]].host;
  for (const OpRow op : members) {
    const std::string& other = job.workers[job.worker[op]].host;
    if (other.empty()) return "";
    is_one &= other == host;
  }
  return is_one ? "one host" : "across hosts";
}

// Bytes per second over the slowest link, as NCCL's tests count them; and its share of what GPUs of
// a host have between them.
void AddSpeed(Sums& sums) {
  CollectiveRow& row = sums.row;
  if (!row.bytes || *row.bytes <= 0 || sums.transfers.empty()) return;
  const auto ranks = static_cast<std::uint32_t>(row.participants.value_or(sums.members));
  const auto collective = CollectiveOf(row.operation);
  const double factor = collective && ranks > 1 ? RingFactor(*collective, ranks) : 1;
  const double ns = MedianOf<double>(sums.transfers);
  if (ns <= 0) return;
  row.bus_bandwidth = static_cast<double>(*row.bytes) * factor / ns * 1e9;
  if (row.link != "one host" || sums.gpu.empty()) return;
  const auto peaks = PeaksOfNamed(sums.gpu);
  if (!peaks) return;
  const auto link = peaks->link_bytes_per_s ? peaks->link_bytes_per_s : peaks->host_bytes_per_s;
  if (link && *link > 0) row.link_share = *row.bus_bandwidth / *link;
}

}  // namespace

std::vector<CollectiveRow> CollectivesOfRanks(std::span<const RankTables> ranks,
                                              const TablesJob& tables, const JobOperations& job,
                                              bool by_communicator) {
  const std::vector<DurationNs> own = OwnTimes(job);
  using Key = std::tuple<std::string, std::string, std::int64_t, std::int64_t, std::string>;
  std::map<Key, Sums> all;
  // Of each joint operation: bytes of its participants, for those that move unequal ones.
  std::vector<std::array<double, 3>> bytes_of(job.members.size(), {0, 0, 0});  // Sum, most, count.
  std::vector<bool> is_counted(job.members.size(), false);
  const auto for_each = [&](auto f) {
    for (std::size_t w = 0; w < tables.rank_of.size(); ++w) {
      for (std::size_t i = 0; i < tables.collectives_of[w].size(); ++i) {
        f(ranks[tables.rank_of[w]], tables.collectives_of[w][i], tables.op_of_collective[w][i]);
      }
    }
  };
  for_each([&](const RankTables& rank, std::uint32_t row, OpRow op) {
    const std::int64_t bytes = rank.collectives[row].bytes;
    if (job.joint[op] == kNoJoint || bytes == kMissing<std::int64_t>) return;
    auto& [sum, most, count] = bytes_of[job.joint[op]];
    sum += static_cast<double>(bytes);
    most = std::max(most, static_cast<double>(bytes));
    ++count;
  });
  for_each([&](const RankTables& rank, std::uint32_t row_number, OpRow op) {
    const CollectiveInstance& instance = rank.collectives[row_number];
    const JointRow joint = job.joint[op];
    const bool is_joint = joint != kNoJoint;
    std::int64_t bytes = instance.bytes;
    if (is_joint && bytes_of[joint][2] > 0) {
      bytes = static_cast<std::int64_t>(bytes_of[joint][0] / bytes_of[joint][2]);
    }
    const bool is_uneven = instance.operation == "all_to_all";
    const std::string link = is_joint ? LinkOf(job, job.members[joint]) : "";
    Sums& sums = all[{by_communicator ? instance.communicator : "", instance.operation,
                      instance.participants, is_uneven ? kMissing<std::int64_t> : bytes, link}];
    CollectiveRow& row = sums.row;
    row.communicator = by_communicator ? instance.communicator : "";
    row.operation = instance.operation.empty() ? "unknown" : instance.operation;
    if (instance.participants != kMissing<std::int64_t>) row.participants = instance.participants;
    row.link = link;
    sums.gpu = rank.facts.gpu;
    ++sums.parts;
    row.ns += static_cast<double>(job.duration[op]);
    row.transfer_ns += static_cast<double>(own[op]);
    if (bytes != kMissing<std::int64_t>) sums.bytes += static_cast<double>(bytes);
    if (!is_joint) {
      ++row.unmatched;
      ++row.count;
      return;
    }
    sums.transfers.push_back(static_cast<double>(own[op]));
    sums.members = static_cast<std::int64_t>(job.members[joint].size());
    if (is_counted[joint]) return;
    is_counted[joint] = true;
    ++row.count;
    const auto& [sum, most, count] = bytes_of[joint];
    if (!is_uneven || sum <= 0) return;
    sums.imbalance += most / (sum / count);
    ++sums.uneven;
  });
  std::vector<std::pair<double, CollectiveRow>> sorted;
  for (auto& [key, sums] : all) {
    const double total = sums.row.ns;
    sums.row.ns /= sums.parts;
    sums.row.transfer_ns /= sums.parts;
    sums.row.waiting_ns = sums.row.ns - sums.row.transfer_ns;
    if (sums.bytes > 0) sums.row.bytes = static_cast<std::int64_t>(sums.bytes / sums.parts);
    if (sums.uneven > 0) sums.row.imbalance = sums.imbalance / sums.uneven;
    AddSpeed(sums);
    sorted.emplace_back(total, sums.row);
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<CollectiveRow> rows;
  for (auto& [total, row] : sorted) rows.push_back(std::move(row));
  return rows;
}

std::vector<CollectiveRow> CollectivesByType(const JobOperations& job) {
  const std::vector<DurationNs> own = OwnTimes(job);
  std::map<std::string, CollectiveRow> rows;
  std::map<std::string, std::uint64_t> parts;
  std::vector<bool> is_counted(job.members.size(), false);
  for (OpRow op = 0; op < job.size(); ++op) {
    if (!job.IsCommunication(op)) continue;
    const std::string& name = job.types[job.type[op]].shown;
    CollectiveRow& row = rows[name];
    row.operation = name;
    ++parts[name];
    row.ns += static_cast<double>(job.duration[op]);
    row.transfer_ns += static_cast<double>(own[op]);
    const JointRow joint = job.joint[op];
    if (joint == kNoJoint) {
      ++row.unmatched;
      ++row.count;
    } else if (!is_counted[joint]) {
      is_counted[joint] = true;
      ++row.count;
    }
  }
  std::vector<CollectiveRow> sorted;
  for (auto& [name, row] : rows) {
    const auto n = static_cast<double>(parts[name]);
    row.ns /= n;
    row.transfer_ns /= n;
    row.waiting_ns = row.ns - row.transfer_ns;
    sorted.push_back(row);
  }
  std::stable_sort(sorted.begin(), sorted.end(), [&](const auto& a, const auto& b) {
    return a.ns * static_cast<double>(parts[a.operation]) >
           b.ns * static_cast<double>(parts[b.operation]);
  });
  return sorted;
}

}  // namespace xsp
