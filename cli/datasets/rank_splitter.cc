#include "cli/datasets/rank_splitter.h"

#include <map>

#include "base/error.h"
#include "model/select.h"

namespace xsp {
namespace {

// Processes that did something on a device, or talk to others.
std::vector<ProcessId> WorkingProcesses(const Trace& trace) {
  std::vector<std::uint8_t> works(trace.processes().size());
  for (EventId work : trace.DeviceWork()) works[trace.process_of(work).value] = 1;
  for (EventId call : trace.OfKind(EventKind::kMpi)) works[trace.process_of(call).value] = 1;
  std::vector<ProcessId> found;
  for (std::uint32_t p = 0; p < works.size(); ++p) {
    if (works[p] != 0) found.emplace_back(p);
  }
  return found;
}

}  // namespace

std::vector<RecordedRank> RanksIn(const Trace& trace, const JobFacts& job,
                                  const std::string& file_name, const RankPattern* pattern,
                                  std::optional<std::uint32_t> default_rank) {
  const std::vector<ProcessId> processes = WorkingProcesses(trace);
  const auto named = pattern != nullptr ? pattern->Find(file_name) : std::nullopt;
  const RankIdentities identities(trace, job);
  std::map<std::uint32_t, RecordedRank> ranks;
  for (ProcessId process : processes) {
    const RankIdentity& identity = identities.Of(process);
    if (!identity.rank || (named && !identity.is_sure)) continue;
    const bool is_new =
        ranks.try_emplace(*identity.rank, RecordedRank{*identity.rank, identity.source, process})
            .second;
    if (!is_new) {
      throw Error(file_name + ": two of its processes say that they are rank " +
                      std::to_string(*identity.rank),
                  "record one file per rank, and name it: --rank-regex");
    }
  }
  if (ranks.size() == 1 && processes.size() == 1) ranks.begin()->second.process.reset();
  std::vector<RecordedRank> found;
  for (auto& [number, rank] : ranks) found.push_back(std::move(rank));
  if (found.empty() && named) found.push_back({*named, "file name", std::nullopt});
  if (found.empty() && default_rank) found.push_back({*default_rank, "", std::nullopt});
  if (found.empty()) {
    throw Error(file_name + ": nothing in it says which rank it is" +
                    (pattern != nullptr ? ", nor does its name" : ""),
                "--rank-regex 'rank([0-9]+)' takes it from the file's name");
  }
  return found;
}

Trace OnlyProcess(const Trace& trace, ProcessId process) {
  EventMask keep(trace.event_count());
  for (std::uint32_t i = 0; i < keep.size(); ++i) {
    const ProcessId of = trace.process_of(EventId(i));
    keep[i] = !of.valid() || of == process;  // Counters of a GPU belong to no process.
  }
  return Select(trace, keep);
}

}  // namespace xsp
