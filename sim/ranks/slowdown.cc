#include "sim/ranks/slowdown.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "base/workers.h"

namespace xsp {
namespace {

// Simulations of a job in which a part is as measured and the rest ideal, or the reverse.
class PartRuns {
 public:
  PartRuns(const JobOperations& job, const JobSimulation& simulation, const OpTimes& measured,
           const OpTimes& ideal)
      : job_(job), simulation_(simulation), measured_(measured), ideal_(ideal) {}

  // Which operations take part, and whether by their own time, their lag, or both.
  struct Part {
    std::function<bool(OpRow)> has;
    bool own = true;
    bool lag = true;
  };

  // Mean step with the part of `from`, the rest of `base`.
  double Run(const OpTimes& base, const OpTimes& from, const Part& part) const {
    OpTimes times = base;
    for (OpRow op = 0; op < job_.size(); ++op) {
      if (!part.has(op)) continue;
      if (part.own) times.own[op] = from.own[op];
      if (part.lag && !times.lag.empty()) times.lag[op] = from.lag[op];
    }
    return simulation_.MeanStep(times);
  }

  double OnlyMeasured(const Part& part) const { return Run(ideal_, measured_, part); }
  double MadeIdeal(const Part& part) const { return Run(measured_, ideal_, part); }

  // OnlyMeasured for many parts, on all cores.
  std::vector<double> OnlyMeasured(const std::vector<Part>& parts) const {
    std::vector<double> means(parts.size());
    ForEachOnThreads(parts.size(), 0,
                     [&](std::size_t i, unsigned) { means[i] = OnlyMeasured(parts[i]); });
    return means;
  }

 private:
  const JobOperations& job_;
  const JobSimulation& simulation_;
  const OpTimes& measured_;
  const OpTimes& ideal_;
};

// Finds all of a JobSlowdown, part by part.
class SlowdownFinder {
 public:
  SlowdownFinder(const JobOperations& job, const JobSimulation& simulation, const OpTimes& measured,
                 Ideal ideal, const std::vector<WorkerRow>& also)
      : also_(also),
        job_(job),
        simulation_(simulation),
        measured_(measured),
        ideal_(IdealTimes(job, measured, ideal)),
        runs_(job, simulation, measured, ideal_) {
    found_.ideal = ideal;
  }

  JobSlowdown Find() {
    found_.step_ns = simulation_.MeanStep(measured_);
    found_.ideal_step_ns = simulation_.MeanStep(ideal_);
    found_.slowdown = Ratio(found_.step_ns);
    SumExcess();
    FindTypes();
    FindStages();
    FindReplicas();
    FindHosts();
    FindWorkers();
    FindRemedies();
    return std::move(found_);
  }

 private:
  double Ratio(double step_ns) const {
    return found_.ideal_step_ns > 0 ? step_ns / found_.ideal_step_ns : 1;
  }

  // How much longer the operations of each worker took than is ideal: what tells whom to simulate.
  void SumExcess() {
    excess_.assign(job_.workers.size(), 0);
    std::vector<double> of_step(job_.workers.size(), 0);
    for (OpRow op = 0; op < job_.size();) {
      const std::uint32_t step = job_.step[op];
      std::fill(of_step.begin(), of_step.end(), 0);
      for (; op < job_.size() && job_.step[op] == step; ++op) {
        double longer = static_cast<double>(measured_.own[op] - ideal_.own[op]);
        if (!measured_.lag.empty()) {
          longer += static_cast<double>(measured_.lag[op] - ideal_.lag[op]);
        }
        of_step[job_.worker[op]] += longer;
      }
      for (std::size_t w = 0; w < of_step.size(); ++w) excess_[w] += of_step[w];
      found_.slowest_of_step.push_back(static_cast<WorkerRow>(
          std::max_element(of_step.begin(), of_step.end()) - of_step.begin()));
    }
    found_.excess_ns = excess_;
    for (double& ns : found_.excess_ns) ns /= static_cast<double>(job_.steps.size());
  }

  void FindTypes() {
    std::map<std::string, std::vector<bool>> types;
    for (std::size_t type = 0; type < job_.types.size(); ++type) {
      std::vector<bool>& of = types[job_.types[type].shown];
      of.resize(job_.types.size());
      of[type] = true;
    }
    std::vector<PartRuns::Part> parts;
    for (const auto& entry : types) {
      found_.by_type.push_back({entry.first});
      parts.push_back({[&](OpRow op) { return bool(entry.second[job_.type[op]]); }, true, false});
    }
    if (!measured_.lag.empty()) {
      found_.by_type.push_back({kHostType});
      parts.push_back({[](OpRow) { return true; }, false, true});
    }
    Simulate(parts, found_.by_type);
    HighestFirst(found_.by_type);
  }

  template <class Key>
  void Simulate(const std::vector<PartRuns::Part>& parts, std::vector<PartSlowdown<Key>>& rows) {
    const std::vector<double> means = runs_.OnlyMeasured(parts);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].slowdown = Ratio(means[i]);
  }

  template <class Key>
  static void HighestFirst(std::vector<PartSlowdown<Key>>& rows) {
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return a.slowdown > b.slowdown; });
  }

  // Workers with the same value of something, the values with the most excess first.
  template <class Key, class Of>
  std::vector<Key> MostExcess(const Of& of, std::size_t most) const {
    std::map<Key, double> sums;
    for (std::size_t w = 0; w < job_.workers.size(); ++w) {
      // What is shorter elsewhere does not make up for it.
      sums[of(job_.workers[w])] += std::max(0.0, excess_[w]);
    }
    std::vector<Key> keys;
    for (const auto& entry : sums) keys.push_back(entry.first);
    std::stable_sort(keys.begin(), keys.end(),
                     [&](const Key& a, const Key& b) { return sums[a] > sums[b]; });
    if (keys.size() > most) keys.resize(most);
    return keys;
  }

  template <class Key, class Of>
  std::vector<PartSlowdown<Key>> SimulateBy(const std::vector<Key>& keys, const Of& of) {
    std::vector<PartSlowdown<Key>> rows;
    std::vector<PartRuns::Part> parts;
    for (const Key& key : keys) {
      rows.push_back({key});
      parts.push_back({[&](OpRow op) { return of(job_.workers[job_.worker[op]]) == key; }});
    }
    Simulate(parts, rows);
    return rows;
  }

  void FindStages() {
    const auto stage = [](const JobWorker& worker) { return worker.stage; };
    const auto keys = MostExcess<std::int64_t>(stage, job_.workers.size());
    found_.by_stage = SimulateBy(keys, stage);
    ByKey(found_.by_stage);
  }

  static void ByKey(std::vector<PartSlowdown<std::int64_t>>& rows) {
    std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
  }

  void FindReplicas() {
    const auto replica = [](const JobWorker& worker) { return worker.data_parallel; };
    const auto keys = MostExcess<std::int64_t>(replica, job_.workers.size());
    std::vector<std::int64_t> some = keys;
    if (some.size() > kMostReplicas) some.resize(kMostReplicas);
    found_.all_data_parallel = some.size() == keys.size();
    found_.by_data_parallel = SimulateBy(some, replica);
    ByKey(found_.by_data_parallel);
  }

  void FindHosts() {
    const auto host = [](const JobWorker& worker) -> const std::string& { return worker.host; };
    std::set<std::string> all;
    for (const JobWorker& worker : job_.workers) all.insert(worker.host);
    if (all.size() < 2) return;
    const auto keys = MostExcess<std::string>(host, kMostHosts);
    found_.by_host = SimulateBy(keys, host);
    HighestFirst(found_.by_host);
  }

  static double SlowdownOf(const std::vector<PartSlowdown<std::int64_t>>& rows, std::int64_t key,
                           double otherwise) {
    const auto at = std::lower_bound(
        rows.begin(), rows.end(), key,
        [](const PartSlowdown<std::int64_t>& row, std::int64_t k) { return row.key < k; });
    return at != rows.end() && at->key == key ? at->slowdown : otherwise;
  }

  // The workers in the order in which they are suspected: by the smaller one of what their replica
  // and their stage are charged with, as published work has it.
  std::vector<WorkerRow> Suspects() const {
    std::vector<double> score(job_.workers.size());
    for (std::size_t w = 0; w < score.size(); ++w) {
      const JobWorker& worker = job_.workers[w];
      score[w] = std::min(SlowdownOf(found_.by_data_parallel, worker.data_parallel, 0),
                          SlowdownOf(found_.by_stage, worker.stage, 0));
    }
    std::vector<WorkerRow> order(score.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](WorkerRow a, WorkerRow b) {
      // Where replicas are too many to be simulated, by what their operations took.
      if (score[a] != score[b]) return score[a] > score[b];
      return score[a] == 0 && excess_[a] > excess_[b];
    });
    return order;
  }

  void FindWorkers() {
    suspects_ = Suspects();
    std::vector<WorkerRow> worst(suspects_.begin(),
                                 suspects_.begin() + std::min(suspects_.size(), kWorstWorkers));
    // Replica and stage may both be shared with the culprit: those with the most excess, too.
    std::vector<WorkerRow> by_excess(job_.workers.size());
    std::iota(by_excess.begin(), by_excess.end(), 0);
    std::stable_sort(by_excess.begin(), by_excess.end(),
                     [&](WorkerRow a, WorkerRow b) { return excess_[a] > excess_[b]; });
    const auto add = [&](WorkerRow w) {
      if (std::find(worst.begin(), worst.end(), w) == worst.end()) worst.push_back(w);
    };
    for (const WorkerRow w : by_excess) {
      if (worst.size() >= 2 * kWorstWorkers) break;
      add(w);
    }
    for (const WorkerRow w : also_) add(w);
    std::vector<PartRuns::Part> parts;
    for (const WorkerRow w : worst) {
      found_.by_worker.push_back({w});
      parts.push_back({[this, w](OpRow op) { return job_.worker[op] == w; }});
    }
    Simulate(parts, found_.by_worker);
    HighestFirst(found_.by_worker);
  }

  void FindRemedies() {
    if (found_.slowdown < kLeastSlowdown) return;
    const auto count = static_cast<std::size_t>(
        std::ceil(kSlowestShare * static_cast<double>(job_.workers.size()) - 1e-9));
    std::vector<bool> slowest(job_.workers.size(), false);
    for (std::size_t i = 0; i < count; ++i) slowest[suspects_[i]] = true;
    const auto share = [&](const PartRuns::Part& part) {
      return (found_.step_ns - runs_.MadeIdeal(part)) / (found_.step_ns - found_.ideal_step_ns);
    };
    found_.m_w = share({[&](OpRow op) { return bool(slowest[job_.worker[op]]); }});
    if (found_.by_stage.size() < 2) return;
    const std::int64_t last = found_.by_stage.back().key;
    found_.m_s = share({[&](OpRow op) { return job_.workers[job_.worker[op]].stage == last; }});
  }

  const std::vector<WorkerRow>& also_;
  const JobOperations& job_;
  const JobSimulation& simulation_;
  const OpTimes& measured_;
  const OpTimes ideal_;
  const PartRuns runs_;
  JobSlowdown found_;
  std::vector<double> excess_;       // By worker.
  std::vector<WorkerRow> suspects_;  // All workers.
};

}  // namespace

JobSlowdown FindSlowdown(const JobOperations& job, const JobSimulation& simulation,
                         const OpTimes& measured, Ideal ideal, const std::vector<WorkerRow>& also) {
  return SlowdownFinder(job, simulation, measured, ideal, also).Find();
}

}  // namespace xsp
