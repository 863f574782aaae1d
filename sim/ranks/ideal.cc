#include "sim/ranks/ideal.h"

#include <cmath>

#include "base/quantile.h"

namespace xsp {
namespace {

std::uint32_t GroupsOf(const JobOperations& job) {
  std::uint32_t groups = 0;
  for (const JobWorker& worker : job.workers) groups = std::max(groups, worker.group + 1);
  return groups;
}

// Which operations share an ideal: those of a kind, of one group where groups are told apart.
class Pools {
 public:
  Pools(const JobOperations& job, bool by_group)
      : job_(job), groups_(by_group ? GroupsOf(job) : 1) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    pairs.reserve(job.size());
    for (OpRow op = 0; op < job.size(); ++op) pairs.emplace_back(Of(op), op);
    members_ = RowLists::Of(std::size_t{job.kinds} * groups_, pairs);
  }

  std::uint32_t Of(OpRow op) const {
    const std::uint32_t group = groups_ == 1 ? 0 : job_.workers[job_.worker[op]].group;
    return job_.kind[op] * groups_ + group;
  }
  const RowLists& members() const { return members_; }

 private:
  const JobOperations& job_;
  std::uint32_t groups_;
  RowLists members_;
};

DurationNs MeanOf(const std::vector<DurationNs>& values, std::span<const OpRow> ops) {
  double sum = 0;
  for (const OpRow op : ops) sum += static_cast<double>(values[op]);
  return std::llround(sum / static_cast<double>(ops.size()));
}

DurationNs MedianOfOps(const std::vector<DurationNs>& values, std::span<const OpRow> ops) {
  std::vector<DurationNs> some;
  some.reserve(ops.size());
  for (const OpRow op : ops) some.push_back(values[op]);
  return MedianOf<DurationNs>(some);
}

// By type and group: the mean compute of a worker of all groups over that of one of the group.
std::vector<double> Evenings(const JobOperations& job, const OpTimes& ideal) {
  const std::uint32_t groups = GroupsOf(job);
  std::vector<double> sums(job.types.size() * groups, 0), workers(groups, 0);
  for (const JobWorker& worker : job.workers) ++workers[worker.group];
  for (OpRow op = 0; op < job.size(); ++op) {
    sums[job.type[op] * groups + job.workers[job.worker[op]].group] +=
        static_cast<double>(ideal.own[op]);
  }
  for (std::size_t type = 0; type < job.types.size(); ++type) {
    double all = 0;
    for (std::uint32_t group = 0; group < groups; ++group) all += sums[type * groups + group];
    const double mean = all / static_cast<double>(job.workers.size());
    for (std::uint32_t group = 0; group < groups; ++group) {
      double& sum = sums[type * groups + group];
      const double own = sum / workers[group];
      sum = job.types[type].is_communication || own <= 0 ? 1 : mean / own;
    }
  }
  return sums;
}

}  // namespace

OpTimes MeasuredTimes(const JobOperations& job) { return {OwnTimes(job), job.lag}; }

OpTimes IdealTimes(const JobOperations& job, const OpTimes& measured, Ideal ideal) {
  const bool by_group = ideal == Ideal::kPeers || !job.groups_share_kinds;
  const Pools pools(job, by_group);
  OpTimes times = measured;
  for (std::size_t pool = 0; pool < pools.members().size(); ++pool) {
    const auto ops = pools.members()[pool];
    if (ops.empty()) continue;
    const DurationNs own = job.IsCommunication(ops.front()) ? MedianOfOps(measured.own, ops)
                                                            : MeanOf(measured.own, ops);
    for (const OpRow op : ops) times.own[op] = own;
    if (measured.lag.empty()) continue;
    const DurationNs lag = MeanOf(measured.lag, ops);
    for (const OpRow op : ops) times.lag[op] = lag;
  }
  if (ideal == Ideal::kAll && by_group) {
    const std::uint32_t groups = GroupsOf(job);
    const std::vector<double> evenings = Evenings(job, times);
    for (OpRow op = 0; op < job.size(); ++op) {
      const double factor = evenings[job.type[op] * groups + job.workers[job.worker[op]].group];
      times.own[op] = std::llround(static_cast<double>(times.own[op]) * factor);
    }
  }
  return times;
}

OpTimes LikePeers(const JobOperations& job, const OpTimes& measured,
                  const std::vector<WorkerRow>& workers) {
  std::vector<bool> is_theirs(job.workers.size(), false);
  for (const WorkerRow w : workers) is_theirs[w] = true;
  const Pools pools(job, true);
  OpTimes times = measured;
  std::vector<OpRow> others;
  for (std::size_t pool = 0; pool < pools.members().size(); ++pool) {
    const auto ops = pools.members()[pool];
    others.clear();
    for (const OpRow op : ops) {
      if (!is_theirs[job.worker[op]]) others.push_back(op);
    }
    if (others.empty() || others.size() == ops.size()) continue;
    const DurationNs own = job.IsCommunication(ops.front()) ? MedianOfOps(measured.own, others)
                                                            : MeanOf(measured.own, others);
    const DurationNs lag = measured.lag.empty() ? 0 : MeanOf(measured.lag, others);
    for (const OpRow op : ops) {
      if (!is_theirs[job.worker[op]]) continue;
      times.own[op] = own;
      if (!measured.lag.empty()) times.lag[op] = lag;
    }
  }
  return times;
}

}  // namespace xsp
