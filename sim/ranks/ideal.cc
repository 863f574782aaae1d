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

// Gives `times` of operations their ideal: that of a pool, as the others in it have it.
class PoolIdeals {
 public:
  PoolIdeals(const JobOperations& job, const OpTimes& measured, bool by_group,
             const std::vector<bool>& counts)
      : job_(job), measured_(measured), pools_(job, by_group), counts_(counts) {}

  void Apply(const std::vector<bool>& to, OpTimes& times) const {
    std::vector<OpRow> others;
    for (std::size_t pool = 0; pool < pools_.members().size(); ++pool) {
      const auto ops = pools_.members()[pool];
      others.clear();
      for (const OpRow op : ops) {
        if (counts_[job_.worker[op]] && !IsUnknown(op)) others.push_back(op);
      }
      if (others.empty()) continue;
      const bool is_communication = job_.IsCommunication(ops.front());
      if (is_communication || !job_.kinds_are_sums) {
        const DurationNs own =
            is_communication ? MedianOfOps(measured_.own, others) : MeanOf(measured_.own, others);
        ForEach(ops, to, [&](OpRow op) {
          if (!IsUnknown(op)) times.own[op] = own;
        });
      } else {
        Share(measured_.own, ops, others, to, times.own);
      }
    }
    if (measured_.lag.empty()) return;
    std::vector<std::vector<OpRow>> groups(GroupsOf(job_));
    for (OpRow op = 0; op < job_.size(); ++op) {
      groups[job_.workers[job_.worker[op]].group].push_back(op);
    }
    for (const std::vector<OpRow>& ops : groups) {
      others.clear();
      for (const OpRow op : ops) {
        if (counts_[job_.worker[op]]) others.push_back(op);
      }
      if (!others.empty()) Share(measured_.lag, ops, others, to, times.lag);
    }
  }

 private:
  template <class F>
  void ForEach(std::span<const OpRow> ops, const std::vector<bool>& to, F f) const {
    for (const OpRow op : ops) {
      if (to[job_.worker[op]]) f(op);
    }
  }

  // In a trace, communication whose partners are not known holds the wait for them: how long it
  // should take cannot be told. In a table of operations it is an operation like others.
  bool IsUnknown(OpRow op) const {
    return job_.kinds_are_sums && job_.joint[op] == kNoJoint && job_.IsCommunication(op);
  }

  std::size_t TurnOf(OpRow op) const { return job_.worker[op] * job_.steps.size() + job_.step[op]; }

  // What a worker does of something in a step becomes the mean of what `others` do in a step, in
  // the proportions in which it did it.
  void Share(const std::vector<DurationNs>& measured, std::span<const OpRow> ops,
             const std::vector<OpRow>& others, const std::vector<bool>& to,
             std::vector<DurationNs>& times) const {
    std::vector<double> sums(job_.workers.size() * job_.steps.size(), 0);
    for (const OpRow op : ops) sums[TurnOf(op)] += static_cast<double>(measured[op]);
    std::vector<bool> is_seen(job_.workers.size(), false);
    double all = 0, workers = 0;
    for (const OpRow op : others) {
      all += static_cast<double>(measured[op]);
      if (!is_seen[job_.worker[op]]) ++workers;
      is_seen[job_.worker[op]] = true;
    }
    const double mean = all / workers / static_cast<double>(job_.steps.size());
    ForEach(ops, to, [&](OpRow op) {
      const double sum = sums[TurnOf(op)];
      if (sum > 0) times[op] = std::llround(static_cast<double>(measured[op]) * mean / sum);
    });
  }

  const JobOperations& job_;
  const OpTimes& measured_;
  const Pools pools_;
  const std::vector<bool>& counts_;  // By worker: whose times are the ideal.
};

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
  const std::vector<bool> all(job.workers.size(), true);
  OpTimes times = measured;
  PoolIdeals(job, measured, by_group, all).Apply(all, times);
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
  std::vector<bool> theirs(job.workers.size(), false), others(job.workers.size(), true);
  for (const WorkerRow w : workers) {
    theirs[w] = true;
    others[w] = false;
  }
  OpTimes times = measured;
  PoolIdeals(job, measured, true, others).Apply(theirs, times);
  return times;
}

}  // namespace xsp
