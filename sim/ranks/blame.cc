#include "sim/ranks/blame.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/enum_names.h"
#include "base/quantile.h"

namespace xsp {
namespace {

constexpr EnumNames<Culprit::kUnknown> kCulprits({"nobody", "rank", "ranks", "host", "stage",
                                                  "communication", "rotates", "unknown"});

// A worker explains as much as the worst one, nearly.
constexpr double kAsBadAsTheWorst = 0.5;
// Of a host's workers so many must be slow for the host to be.
constexpr double kMostOfAHost = 0.75;
// Transfers that take so much longer than the middle one are slow.
constexpr double kFarLonger = 1.25;
// Forward and backward passes of a micro-batch go so far together where its length decides.
constexpr double kLinkedBatches = 0.9;
// More ranks than that are no list of culprits.
constexpr std::size_t kMostNamed = 8;

// What the operations of workers took by type, against that of all others who do equal work.
class TypeSums {
 public:
  TypeSums(const JobOperations& job, const OpTimes& measured)
      : job_(job), types_(job.types.size() + 1), sums_(job.workers.size() * types_, 0) {
    for (OpRow op = 0; op < job.size(); ++op) {
      double* of = &sums_[job.worker[op] * types_];
      of[job.type[op]] += static_cast<double>(measured.own[op]);
      if (!measured.lag.empty()) of[types_ - 1] += static_cast<double>(measured.lag[op]);
    }
  }

  // Means per worker.
  struct Pair {
    double theirs = 0;
    double peers = 0;
    double Excess() const { return theirs - peers; }
  };
  template <class Has>
  Pair Compare(const std::set<WorkerRow>& workers, const Has& has_type) const {
    std::set<std::uint32_t> groups;
    for (const WorkerRow w : workers) groups.insert(job_.workers[w].group);
    double theirs = 0, others = 0, count = 0;
    for (WorkerRow w = 0; w < job_.workers.size(); ++w) {
      if (!groups.contains(job_.workers[w].group)) continue;
      const bool is_theirs = workers.contains(w);
      count += is_theirs ? 0 : 1;
      for (std::size_t type = 0; type < types_; ++type) {
        if (has_type(type)) (is_theirs ? theirs : others) += sums_[w * types_ + type];
      }
    }
    return {theirs / static_cast<double>(workers.size()), count > 0 ? others / count : 0};
  }

  // All that a worker's operations of a type took.
  double Of(WorkerRow worker, const std::string& shown) const {
    double sum = 0;
    for (std::size_t type = 0; type < types_; ++type) {
      if (NameOfType(type) == shown) sum += sums_[worker * types_ + type];
    }
    return sum;
  }

  std::string NameOfType(std::size_t type) const {
    return type + 1 == types_ ? kHostType : job_.types[type].shown;
  }
  bool IsCompute(std::size_t type) const {
    return type + 1 < types_ && !job_.types[type].is_communication;
  }
  std::size_t types() const { return types_; }

 private:
  const JobOperations& job_;
  std::size_t types_;  // The host's lag behind them.
  std::vector<double> sums_;
};

// How much longer each worker's own work took than that of its peers, step by step.
class StepExcess {
 public:
  StepExcess(const JobOperations& job, const OpTimes& measured)
      : steps_(job.steps.size()),
        excess_(job.workers.size() * steps_, 0),
        deviation_(job.workers.size(), 0) {
    for (OpRow op = 0; op < job.size(); ++op) {
      double& of = excess_[job.worker[op] * steps_ + job.step[op]];
      of += static_cast<double>(measured.own[op]);
      if (!measured.lag.empty()) of += static_cast<double>(measured.lag[op]);
    }
    std::map<std::uint32_t, std::vector<WorkerRow>> groups;
    for (WorkerRow w = 0; w < job.workers.size(); ++w) groups[job.workers[w].group].push_back(w);
    for (const auto& [group, members] : groups) {
      for (std::size_t step = 0; step < steps_; ++step) {
        double mean = 0;
        for (const WorkerRow w : members) mean += excess_[w * steps_ + step];
        mean /= static_cast<double>(members.size());
        for (const WorkerRow w : members) excess_[w * steps_ + step] -= mean;
      }
      double variance = 0;
      for (const WorkerRow w : members) variance += VarianceOf(w);
      const double deviation = std::sqrt(variance / static_cast<double>(members.size()));
      for (const WorkerRow w : members) deviation_[w] = deviation;
    }
  }

  // Whether a worker takes longer in the long run, and not by the chance of some steps: its mean
  // lies that many standard errors above that of its peers. How much steps differ by chance is told
  // by all peers: few steps of one worker say little of it.
  bool Stays(WorkerRow worker) const {
    constexpr double kErrors = 4;
    const double mean = MeanOf(worker);
    if (steps_ < 2) return mean > 0;
    return mean > kErrors * deviation_[worker] / std::sqrt(static_cast<double>(steps_));
  }

  double MeanOf(WorkerRow worker) const {
    double sum = 0;
    for (std::size_t step = 0; step < steps_; ++step) sum += excess_[worker * steps_ + step];
    return sum / static_cast<double>(std::max<std::size_t>(steps_, 1));
  }

 private:
  double VarianceOf(WorkerRow worker) const {
    if (steps_ < 2) return 0;
    const double mean = MeanOf(worker);
    double squares = 0;
    for (std::size_t step = 0; step < steps_; ++step) {
      const double off = excess_[worker * steps_ + step] - mean;
      squares += off * off;
    }
    return squares / static_cast<double>(steps_ - 1);
  }

  std::size_t steps_;
  std::vector<double> excess_;     // By worker and step.
  std::vector<double> deviation_;  // By worker: of a step, among its peers.
};

class BlameFinder {
 public:
  BlameFinder(const JobOperations& job, const JobSimulation& simulation, const OpTimes& measured,
              const JobSlowdown& all, const JobSlowdown& peers)
      : job_(job),
        simulation_(simulation),
        all_(all),
        peers_(peers),
        measured_(measured),
        sums_(job, measured),
        excess_(job, measured) {}

  Blame Find() const {
    const double by_peers = peers_.slowdown - 1;
    const double by_all = all_.slowdown - 1;
    // What peers of equal work do not explain is unequal work.
    const bool is_uneven = all_.slowdown >= kBlameFrom && by_all > 2 * by_peers;
    if (is_uneven) {
      if (const auto stage = UnevenStage()) return *stage;
    }
    if (peers_.slowdown < kBlameFrom) return {};
    if (auto workers = SlowWorkers()) return *workers;
    if (auto communication = SlowTransfers()) return *communication;
    return peers_.slowdown < kRotatesFrom ? Blame{} : Rotating();
  }

 private:
  std::optional<Blame> UnevenStage() const {
    if (all_.by_stage.size() < 2) return std::nullopt;
    const auto worst =
        std::max_element(all_.by_stage.begin(), all_.by_stage.end(),
                         [](const auto& a, const auto& b) { return a.slowdown < b.slowdown; });
    if (worst->slowdown < kBlameFrom || worst->slowdown - 1 < kBlameShare * (all_.slowdown - 1)) {
      return std::nullopt;
    }
    Blame blame;
    blame.culprit = Culprit::kStage;
    blame.stage = worst->key;
    blame.slowdown = worst->slowdown;
    blame.without_ns = all_.ideal_step_ns;
    for (WorkerRow w = 0; w < job_.workers.size(); ++w) {
      if (job_.workers[w].stage == worst->key) blame.workers.push_back(w);
    }
    blame.longer = StageShare(worst->key);
    blame.steps_share = 1;
    return blame;
  }

  // What a worker of a stage computes, against the mean of all workers.
  double StageShare(std::int64_t stage) const {
    double of_stage = 0, of_all = 0, workers = 0;
    for (OpRow op = 0; op < job_.size(); ++op) {
      if (job_.IsCommunication(op)) continue;
      const auto own = static_cast<double>(measured_.own[op]);
      of_all += own;
      if (job_.workers[job_.worker[op]].stage == stage) of_stage += own;
    }
    for (const JobWorker& worker : job_.workers) workers += worker.stage == stage ? 1 : 0;
    const double mean = of_all / static_cast<double>(job_.workers.size());
    return mean > 0 ? of_stage / workers / mean : 1;
  }

  std::optional<Blame> SlowWorkers() const {
    const double top = peers_.by_worker.empty() ? 1 : peers_.by_worker.front().slowdown;
    if (top < kBlameFrom || top - 1 < kBlameShare * (peers_.slowdown - 1)) return std::nullopt;
    Blame blame;
    for (const auto& row : peers_.by_worker) {
      const bool is_bad =
          row.slowdown >= kBlameFrom && row.slowdown - 1 >= kAsBadAsTheWorst * (top - 1);
      if (is_bad && excess_.Stays(row.key)) blame.workers.push_back(row.key);
    }
    if (blame.workers.empty()) return std::nullopt;
    blame.culprit = blame.workers.size() == 1 ? Culprit::kWorker : Culprit::kWorkers;
    BlameHost(blame);
    // All of the worst that were simulated are as bad as each other: there may be more.
    if (blame.culprit == Culprit::kWorkers && blame.workers.size() >= kMostNamed) {
      blame.workers = AllThatStay();
      if (blame.workers.empty()) return std::nullopt;
    }
    std::sort(blame.workers.begin(), blame.workers.end());
    Describe(blame);
    if (blame.culprit == Culprit::kWorkers && IsCommunicationType(blame.type)) {
      blame.culprit = Culprit::kCommunication;
    }
    Simulate(blame);
    if (blame.slowdown < kBlameFrom) return std::nullopt;
    return blame;
  }

  void Simulate(Blame& blame) const {
    blame.without_ns = simulation_.MeanStep(LikePeers(job_, measured_, blame.workers));
    blame.slowdown = peers_.step_ns / std::max(1.0, blame.without_ns);
  }

  // Those that take longer than their peers in the long run, and about as much as the worst; none
  // where these are no minority.
  std::vector<WorkerRow> AllThatStay() const {
    std::vector<WorkerRow> staying;
    double most = 0;
    for (WorkerRow w = 0; w < job_.workers.size(); ++w) most = std::max(most, excess_.MeanOf(w));
    for (WorkerRow w = 0; w < job_.workers.size(); ++w) {
      if (excess_.MeanOf(w) >= kAsBadAsTheWorst * most && excess_.Stays(w)) staying.push_back(w);
    }
    if (2 * staying.size() > job_.workers.size()) staying.clear();
    return staying;
  }

  // Several slow ranks on one host are that host.
  void BlameHost(Blame& blame) const {
    const std::string& host = job_.workers[blame.workers.front()].host;
    if (host.empty()) return;
    std::vector<WorkerRow> of_host;
    for (WorkerRow w = 0; w < job_.workers.size(); ++w) {
      if (job_.workers[w].host == host) of_host.push_back(w);
    }
    std::size_t on_it = 0;
    for (const WorkerRow w : blame.workers) on_it += job_.workers[w].host == host ? 1 : 0;
    const std::size_t all = std::min(of_host.size(), kWorstWorkers);
    // Where all ranks are on one, there is no other host to be slower than.
    const bool has_others = of_host.size() < job_.workers.size();
    const bool is_host = has_others && of_host.size() > 1 && on_it == blame.workers.size() &&
                         static_cast<double>(on_it) >= kMostOfAHost * static_cast<double>(all);
    if (!is_host) return;
    blame.culprit = Culprit::kHost;
    blame.host = host;
    blame.workers = of_host;
  }

  // What it is that takes longer there, how much, and how often.
  void Describe(Blame& blame) const {
    const std::set<WorkerRow> workers(blame.workers.begin(), blame.workers.end());
    std::size_t longest = 0;
    double most = 0, computes = 0;
    for (std::size_t type = 0; type < sums_.types(); ++type) {
      const double excess =
          sums_.Compare(workers, [&](std::size_t t) { return t == type; }).Excess();
      if (sums_.IsCompute(type)) computes += std::max(0.0, excess);
      if (excess > most) {
        most = excess;
        longest = type;
      }
    }
    TypeSums::Pair pair;
    if (computes >= most) {  // Passes of several kinds: compute at large.
      pair = sums_.Compare(workers, [&](std::size_t t) { return sums_.IsCompute(t); });
    } else {
      blame.type = sums_.NameOfType(longest);
      pair =
          sums_.Compare(workers, [&](std::size_t t) { return sums_.NameOfType(t) == blame.type; });
    }
    blame.longer = pair.peers > 0 ? pair.theirs / pair.peers : 1;
    std::size_t steps = 0;
    for (const WorkerRow w : peers_.slowest_of_step) steps += workers.contains(w) ? 1 : 0;
    blame.steps_share = static_cast<double>(steps) /
                        static_cast<double>(std::max<std::size_t>(1, job_.steps.size()));
  }

  bool IsCommunicationType(const std::string& shown) const {
    return std::any_of(job_.types.begin(), job_.types.end(), [&](const JobOpType& type) {
      return type.shown == shown && type.is_communication;
    });
  }

  std::optional<Blame> SlowTransfers() const {
    for (const auto& row : peers_.by_type) {
      if (row.slowdown < kBlameFrom || row.slowdown - 1 < kBlameShare * (peers_.slowdown - 1) ||
          !IsCommunicationType(row.key)) {
        continue;
      }
      Blame blame;
      blame.culprit = Culprit::kCommunication;
      blame.type = row.key;
      blame.workers = SlowIn(row.key);
      if (blame.workers.empty()) {
        blame.without_ns = peers_.step_ns / row.slowdown;
      } else {
        Describe(blame);
        Simulate(blame);
      }
      blame.type = row.key;
      blame.slowdown = peers_.step_ns / std::max(1.0, blame.without_ns);
      if (blame.slowdown >= kBlameFrom) return blame;
    }
    return std::nullopt;
  }

  // Ranks whose transfers of a kind take far longer than those of most others.
  std::vector<WorkerRow> SlowIn(const std::string& type) const {
    std::vector<double> sums, sorted;
    for (WorkerRow w = 0; w < job_.workers.size(); ++w) sums.push_back(sums_.Of(w, type));
    sorted = sums;
    const double middle = UpperMedian(sorted);
    std::vector<WorkerRow> slow;
    for (WorkerRow w = 0; w < sums.size(); ++w) {
      if (sums[w] > kFarLonger * middle) slow.push_back(w);
    }
    return slow;
  }

  Blame Rotating() const {
    Blame blame;
    blame.culprit = Culprit::kRotates;
    blame.slowdown = peers_.slowdown;
    blame.without_ns = peers_.ideal_step_ns;
    std::map<WorkerRow, std::size_t> steps;
    for (const WorkerRow w : peers_.slowest_of_step) ++steps[w];
    std::size_t most = 0;
    for (const auto& [worker, count] : steps) {
      if (count <= most) continue;
      most = count;
      blame.workers = {worker};
    }
    blame.steps_share = static_cast<double>(most) /
                        static_cast<double>(std::max<std::size_t>(1, job_.steps.size()));
    if (!peers_.by_type.empty()) blame.type = peers_.by_type.front().key;
    blame.by_micro_batch = job_.micro_batch_link >= kLinkedBatches;
    return blame;
  }

  const JobOperations& job_;
  const JobSimulation& simulation_;
  const JobSlowdown& all_;
  const JobSlowdown& peers_;
  const OpTimes& measured_;
  const TypeSums sums_;
  const StepExcess excess_;
};

}  // namespace

std::string_view NameOf(Culprit culprit) { return kCulprits[culprit]; }

Blame FindBlame(const JobOperations& job, const JobSimulation& simulation, const OpTimes& measured,
                const JobSlowdown& all, const JobSlowdown& peers) {
  return BlameFinder(job, simulation, measured, all, peers).Find();
}

}  // namespace xsp
