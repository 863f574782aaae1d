#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hierarchy/ranks/rank_identity.h"
#include "model/job_facts.h"
#include "model/names/rank_pattern.h"
#include "model/trace.h"

namespace xsp {

// A rank that a recording holds.
struct RecordedRank {
  std::uint32_t rank = 0;
  std::string source;                // What told its number, in words.
  std::optional<ProcessId> process;  // Its only process; none: the whole recording.
};

// The ranks of a recording, by what was recorded; where that says nothing (or only what NCCL
// numbers in a part of the job), by `pattern` on the file's name. A recording of several ranks, one
// per process, holds each of them. `default_rank`: where nothing tells at all. Throws Error.
std::vector<RecordedRank> RanksIn(const Trace& trace, const JobFacts& job,
                                  const std::string& file_name, const RankPattern* pattern,
                                  std::optional<std::uint32_t> default_rank);

// The part of a recording that one process made.
Trace OnlyProcess(const Trace& trace, ProcessId process);

}  // namespace xsp
