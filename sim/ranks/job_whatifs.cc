#include "sim/ranks/job_whatifs.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/error.h"

namespace xsp {
namespace {

// What of a transfer is latency, and stays whatever the network can carry.
constexpr DurationNs kLatency = 20'000;
// A faster network is used so much worse, or a little better, than its promise.
constexpr double kNetworkLow = 0.7, kNetworkHigh = 1.1;
// No two runs agree better than that.
constexpr double kLeastRange = 0.005;

class Forecaster {
 public:
  Forecaster(const JobOperations& job, const JobSimulation& simulation, const OpTimes& measured,
             double replay_error)
      : job_(job),
        simulation_(simulation),
        measured_(measured),
        now_(simulation.MeanStep(measured)),
        margin_(std::max(kLeastRange, std::abs(replay_error))) {}

  JobForecast WithoutStragglers() const {
    JobForecast forecast = Begin("--without-stragglers");
    const OpTimes ideal = IdealTimes(job_, measured_, Ideal::kPeers);
    forecast.reason = "every rank takes the mean of ranks that do equal work";
    // At best everybody becomes as fast as the fastest; at worst half of the gain is chance.
    Finish(forecast, simulation_.MeanStep(ideal));
    Widen(forecast, forecast.forecast_ns * (1 - SpreadOfPeers({})),
          forecast.forecast_ns + (now_ - forecast.forecast_ns) / 2);
    return forecast;
  }

  JobForecast LikeItsPeers(std::int64_t rank) const {
    JobForecast forecast = Begin("--like-peers " + std::to_string(rank));
    std::vector<WorkerRow> workers;
    for (WorkerRow w = 0; w < job_.workers.size(); ++w) {
      if (job_.workers[w].rank == rank) workers.push_back(w);
    }
    if (workers.empty()) {
      throw Error("--like-peers " + std::to_string(rank) + ": there is no such rank",
                  "xsp ranks JOB --top 0 lists them");
    }
    const std::uint32_t group = job_.workers[workers.front()].group;
    const bool has_peers =
        std::any_of(job_.workers.begin(), job_.workers.end(),
                    [&](const auto& w) { return w.group == group && w.rank != rank; });
    if (!has_peers) return No(forecast, "no other rank does the same work");
    forecast.reason = "its operations take what those of its peers take";
    Finish(forecast, simulation_.MeanStep(LikePeers(job_, measured_, workers)));
    const double spread = SpreadOfPeers(workers);
    Widen(forecast, forecast.forecast_ns * (1 - spread), forecast.forecast_ns * (1 + spread));
    return forecast;
  }

  JobForecast Network(double factor) const {
    JobForecast forecast = Begin("--network " + Short(factor));
    if (!HasHosts()) return No(forecast, "it is not known which ranks share a host");
    const std::vector<bool> crosses = CrossingJoints();
    if (std::find(crosses.begin(), crosses.end(), true) == crosses.end()) {
      return No(forecast, "no communication leaves a host");
    }
    const auto at = [&](double speed) {
      OpTimes times = measured_;
      for (OpRow op = 0; op < job_.size(); ++op) {
        if (job_.joint[op] == kNoJoint || !crosses[job_.joint[op]]) continue;
        const DurationNs moved = std::max<DurationNs>(0, measured_.own[op] - kLatency);
        times.own[op] =
            measured_.own[op] - moved + std::llround(static_cast<double>(moved) / speed);
      }
      return simulation_.MeanStep(times);
    };
    forecast.reason =
        "transfers between hosts, but for a latency of 20 us, shrink as the network grows";
    Finish(forecast, at(factor));
    Widen(forecast, at(1 + (factor - 1) * kNetworkHigh), at(1 + (factor - 1) * kNetworkLow));
    return forecast;
  }

  JobForecast Buckets(std::uint64_t buckets) const {
    JobForecast forecast = Begin("--buckets " + std::to_string(buckets));
    const std::set<std::uint32_t> lanes = GradientLanes();
    if (buckets == 0) return No(forecast, "there must be one at least");
    if (lanes.empty()) {
      return No(forecast, "no collectives that run beside compute, several in a step");
    }
    OpTimes times = measured_, saved = measured_;
    if (!Merge(lanes, buckets, times, saved)) {
      return No(forecast, "more than were recorded: when their gradients are ready is not known");
    }
    forecast.reason =
        "collectives of one stream are put together; each begins when its last gradient is there";
    Finish(forecast, simulation_.MeanStep(times));
    Widen(forecast, simulation_.MeanStep(saved), forecast.forecast_ns);
    return forecast;
  }

 private:
  static std::string Short(double value) {
    std::string text = std::to_string(value);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text;
  }

  JobForecast Begin(std::string whatif) const {
    JobForecast forecast;
    forecast.whatif = std::move(whatif);
    forecast.now_ns = forecast.forecast_ns = forecast.low_ns = forecast.high_ns = now_;
    return forecast;
  }

  static JobForecast No(JobForecast forecast, std::string reason) {
    forecast.applies = false;
    forecast.reason = std::move(reason);
    return forecast;
  }

  void Finish(JobForecast& forecast, double ns) const { forecast.forecast_ns = ns; }

  void Widen(JobForecast& forecast, double low, double high) const {
    forecast.low_ns = std::min(low, forecast.forecast_ns) * (1 - margin_);
    forecast.high_ns = std::max(high, forecast.forecast_ns) * (1 + margin_);
  }

  // How far the compute of ranks lies from the mean of their group, but for some: one deviation.
  double SpreadOfPeers(const std::vector<WorkerRow>& but) const {
    std::vector<double> sums(job_.workers.size(), 0);
    for (OpRow op = 0; op < job_.size(); ++op) {
      if (!job_.IsCommunication(op))
        sums[job_.worker[op]] += static_cast<double>(measured_.own[op]);
    }
    std::map<std::uint32_t, std::vector<double>> groups;
    for (WorkerRow w = 0; w < sums.size(); ++w) {
      if (std::find(but.begin(), but.end(), w) == but.end()) {
        groups[job_.workers[w].group].push_back(sums[w]);
      }
    }
    double squares = 0, count = 0;
    for (const auto& [group, values] : groups) {
      double mean = 0;
      for (const double value : values) mean += value / static_cast<double>(values.size());
      if (values.size() < 2 || mean <= 0) continue;
      for (const double value : values) squares += (value / mean - 1) * (value / mean - 1);
      count += static_cast<double>(values.size() - 1);
    }
    return count > 0 ? std::min(0.5, std::sqrt(squares / count)) : 0;
  }

  bool HasHosts() const {
    std::set<std::string> hosts;
    for (const JobWorker& worker : job_.workers) hosts.insert(worker.host);
    return !hosts.contains("");
  }

  std::vector<bool> CrossingJoints() const {
    std::vector<bool> crosses(job_.members.size(), false);
    for (JointRow joint = 0; joint < job_.members.size(); ++joint) {
      const auto members = job_.members[joint];
      const std::string& host = job_.workers[job_.worker[members.front()]].host;
      crosses[joint] = std::any_of(members.begin(), members.end(), [&](OpRow op) {
        return job_.workers[job_.worker[op]].host != host;
      });
    }
    return crosses;
  }

  // Lanes of collectives that compute mostly does not wait for.
  std::set<std::uint32_t> GradientLanes() const {
    std::map<std::uint32_t, std::pair<std::size_t, std::size_t>> counts;  // All, waited for.
    std::vector<bool> is_waited_for(job_.size(), false);
    for (OpRow op = 0; op < job_.size(); ++op) {
      if (job_.IsCommunication(op)) continue;
      for (const OpRow before : job_.waits_for[op]) is_waited_for[before] = true;
    }
    for (OpRow op = 0; op < job_.size(); ++op) {
      if (!job_.IsCommunication(op) || job_.joint[op] == kNoJoint) continue;
      auto& [all, waited] = counts[job_.lane[op]];
      ++all;
      waited += is_waited_for[op] ? 1 : 0;
    }
    const std::size_t turns = job_.workers.size() * job_.steps.size();
    std::set<std::uint32_t> lanes;
    for (const auto& [lane, count] : counts) {
      if (count.first >= 2 * turns && 2 * count.second <= count.first) lanes.insert(lane);
    }
    return lanes;
  }

  // All but the last of those that become one take no time, the last takes that of all; `saved`:
  // without the latency of those that go. False where there are not so many to begin with.
  bool Merge(const std::set<std::uint32_t>& lanes, std::uint64_t buckets, OpTimes& times,
             OpTimes& saved) const {
    std::map<std::uint32_t, std::vector<OpRow>> of_turn;
    bool is_enough = true;
    const auto merge = [&] {
      for (const auto& [lane, ops] : of_turn) {
        is_enough &= ops.size() >= buckets;
        DurationNs sum = 0;
        std::size_t merged = 0;
        for (std::size_t i = 0; i < ops.size(); ++i) {
          sum += measured_.own[ops[i]];
          ++merged;
          const bool is_last = (i + 1) * buckets / ops.size() != i * buckets / ops.size();
          times.own[ops[i]] = is_last ? sum : 0;
          const DurationNs latencies = static_cast<DurationNs>(merged - 1) * kLatency;
          saved.own[ops[i]] = is_last ? std::max(sum / 2, sum - latencies) : 0;
          if (!is_last) continue;
          sum = 0;
          merged = 0;
        }
      }
      of_turn.clear();
    };
    for (OpRow op = 0; op < job_.size(); ++op) {
      const bool is_new_turn =
          op > 0 && (job_.worker[op] != job_.worker[op - 1] || job_.step[op] != job_.step[op - 1]);
      if (is_new_turn) merge();
      if (job_.IsCommunication(op) && lanes.contains(job_.lane[op])) {
        of_turn[job_.lane[op]].push_back(op);
      }
    }
    merge();
    return is_enough;
  }

  const JobOperations& job_;
  const JobSimulation& simulation_;
  const OpTimes& measured_;
  const double now_;
  const double margin_;
};

}  // namespace

std::vector<JobForecast> ForecastJob(const JobOperations& job, const JobSimulation& simulation,
                                     const OpTimes& measured, const JobWhatIfs& whatifs,
                                     double replay_error) {
  const Forecaster forecaster(job, simulation, measured, replay_error);
  std::vector<JobForecast> forecasts;
  if (whatifs.without_stragglers) forecasts.push_back(forecaster.WithoutStragglers());
  for (const std::int64_t rank : whatifs.like_peers) {
    forecasts.push_back(forecaster.LikeItsPeers(rank));
  }
  if (whatifs.network) forecasts.push_back(forecaster.Network(*whatifs.network));
  if (whatifs.buckets) forecasts.push_back(forecaster.Buckets(*whatifs.buckets));
  return forecasts;
}

}  // namespace xsp
