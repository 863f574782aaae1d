#include "hierarchy/ranks/rank_identity.h"

#include "model/names/rank_pattern.h"

namespace xsp {
namespace {

// The largest communicator that a process made, and whether there were others.
struct LargestCommunicator {
  std::uint32_t size = 0;
  std::uint32_t rank = 0;
  std::uint64_t id = kMissing<std::uint64_t>;
  bool has_others = false;
};

}  // namespace

RankIdentities::RankIdentities(const Trace& trace, const JobFacts& job)
    : of_process_(trace.processes().size()) {
  for (std::size_t p = 0; p < of_process_.size(); ++p) {
    RankIdentity& found = of_process_[p];
    const Process& process = trace.processes()[p];
    found.world_size = job.world_size;
    if (process.rank != kMissing<std::uint32_t>) {
      found.rank = process.rank;
      found.source = trace.info().format.starts_with("nsys") ? "mpi" : "recorded";
    } else if ((found.rank = RankInName(trace.strings().Get(process.name)))) {
      found.source = "process name";
    }
  }
  FindByCommunicators(trace);
}

void RankIdentities::FindByCommunicators(const Trace& trace) {
  const Collectives& rows = trace.collectives();
  std::vector<LargestCommunicator> largest(of_process_.size());
  for (std::size_t row = 0; row < rows.event.size(); ++row) {
    const std::uint32_t size = rows.ranks[row];
    if (size == kMissing<std::uint32_t> || rows.rank[row] >= size) continue;
    LargestCommunicator& one = largest[trace.process_of(rows.event[row]).value];
    const bool is_other = one.size != size || one.id != rows.communicator[row];
    one.has_others = one.has_others || (one.size != 0 && is_other);
    if (size > one.size) {
      one.id = rows.communicator[row];
      one.size = size;
      one.rank = rows.rank[row];
    }
  }
  for (std::size_t p = 0; p < of_process_.size(); ++p) {
    RankIdentity& found = of_process_[p];
    if (found.rank || largest[p].size == 0) continue;
    found.rank = largest[p].rank;
    found.source = "nccl";
    found.is_sure =
        found.world_size ? *found.world_size == largest[p].size : !largest[p].has_others;
    if (!found.world_size) found.world_size = largest[p].size;
  }
}

}  // namespace xsp
