#pragma once

#include <vector>

#include "hierarchy/hierarchy.h"
#include "hierarchy/ranks/rank_identity.h"
#include "hierarchy/ranks/rank_work.h"
#include "model/job_facts.h"
#include "model/rank_tables.h"

namespace xsp {

// What is known of a process as a rank, but for its fingerprint.
RankFacts FactsOf(const Hierarchy& hierarchy, ProcessId process, const std::vector<RankWork>& work,
                  const RankIdentity& identity, const JobFacts& job);

// What a counted step of the rank holds, in the mean and rounded: "gemm 24, norm 6 | all_reduce of
// 8: 4". Equal for ranks that do equal work, whichever communicators they do it in.
std::string FingerprintOf(const Hierarchy& hierarchy, const std::vector<RankWork>& work,
                          const std::vector<CollectiveInstance>& collectives);

}  // namespace xsp
