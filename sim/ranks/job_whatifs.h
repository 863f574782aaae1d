#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/ranks/ideal.h"

namespace xsp {

// What would become of the whole job if.
struct JobWhatIfs {
  bool without_stragglers = false;       // Every rank does as the mean of its peers.
  std::vector<std::int64_t> like_peers;  // These ranks do as the others.
  std::optional<double> network;         // Transfers between hosts are so many times as fast.
  std::optional<std::uint64_t> buckets;  // Gradients are put together into so many collectives.

  bool Empty() const { return !without_stragglers && like_peers.empty() && !network && !buckets; }
};

// One what-if, with where the truth lies.
struct JobForecast {
  std::string whatif;  // "--network 2".
  bool applies = true;
  std::string reason;  // Why it does not, or what it rests on.
  double now_ns = 0;   // A step, simulated as measured,
  double forecast_ns = 0;
  double low_ns = 0;  // and between which the truth is expected.
  double high_ns = 0;

  double Speedup() const { return forecast_ns > 0 ? now_ns / forecast_ns : 1; }
};

// Each for itself, in the order above. `replay_error`: how far the simulation of the job as it is
// lies from what was measured; ranges are no narrower. Throws Error for a rank that is not there.
std::vector<JobForecast> ForecastJob(const JobOperations& job, const JobSimulation& simulation,
                                     const OpTimes& measured, const JobWhatIfs& whatifs,
                                     double replay_error);

}  // namespace xsp
