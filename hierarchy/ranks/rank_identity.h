#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/job_facts.h"
#include "model/trace.h"

namespace xsp {

// Which rank of a distributed job a process is, and what told so.
struct RankIdentity {
  std::optional<std::uint32_t> rank;
  std::optional<std::uint32_t> world_size;
  std::string source;  // "recorded", "mpi", "process name", "nccl"; empty: nothing told.
  // NCCL numbers ranks per communicator. Where there are several, the largest may still be a part
  // of the job.
  bool is_sure = true;
};

// The identities of all processes of a trace, only by what the source says of processes and
// communicators; never by a recorded environment.
class RankIdentities {
 public:
  RankIdentities(const Trace& trace, const JobFacts& job);

  const RankIdentity& Of(ProcessId process) const { return of_process_[process.value]; }

 private:
  void FindByCommunicators(const Trace& trace);

  std::vector<RankIdentity> of_process_;
};

}  // namespace xsp
