#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/ranks/ideal.h"

namespace xsp {

// How much slower a job is with a part of it as measured and the rest ideal: T / T_ideal.
template <class Key>
struct PartSlowdown {
  Key key{};
  double slowdown = 1;
};

// Who makes a job slower than it could be, by one notion of what is ideal.
struct JobSlowdown {
  Ideal ideal = Ideal::kAll;
  double step_ns = 0;                                        // Mean step as measured, simulated.
  double ideal_step_ns = 0;                                  // If every operation were ideal.
  double slowdown = 1;                                       // S.
  std::vector<PartSlowdown<std::string>> by_type;            // By JobOpType::shown; highest first.
  std::vector<PartSlowdown<std::int64_t>> by_stage;          // By number.
  std::vector<PartSlowdown<std::int64_t>> by_data_parallel;  // By number: all, or the worst ones.
  std::vector<PartSlowdown<std::string>> by_host;            // The worst ones, highest first.
  std::vector<PartSlowdown<WorkerRow>> by_worker;            // The worst ones, highest first.
  std::vector<double> excess_ns;  // By worker: what its operations took longer, mean per step.
  bool all_data_parallel = true;  // Else only those whose operations took longest were simulated.
  // How much of the slowdown goes if the slowest 3 % of the workers, or the last stage, become
  // ideal. None where there is no slowdown, and no last stage where there is only one.
  std::optional<double> m_w;
  std::optional<double> m_s;
  // By step: the worker whose operations exceed their ideal most, and by how much.
  std::vector<WorkerRow> slowest_of_step;
};

// Less is no slowdown: simulated times are whole nanoseconds, and means of few.
inline constexpr double kLeastSlowdown = 1.0005;
// So many data-parallel ranks, hosts and workers are simulated, at most.
inline constexpr std::size_t kMostReplicas = 64;
inline constexpr std::size_t kMostHosts = 16;
inline constexpr std::size_t kWorstWorkers = 8;
// The share of the workers that M_W makes ideal.
inline constexpr double kSlowestShare = 0.03;

// What the host's lag is called among the types.
inline constexpr const char* kHostType = "host";

// `simulation` is that of the job. Work grows with the operations, times a bounded number of
// simulations; those run on all cores.
// `also`: workers that are simulated in any case.
JobSlowdown FindSlowdown(const JobOperations& job, const JobSimulation& simulation,
                         const OpTimes& measured, Ideal ideal,
                         const std::vector<WorkerRow>& also = {});

}  // namespace xsp
