#include "sim/ranks/job/job_steps.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "hierarchy/ranks/main_steps.h"

namespace xsp {
namespace {

// So many ranks are named in a note.
constexpr std::size_t kNamed = 8;

std::string RankNames(std::span<const RankTables> ranks, const std::vector<std::size_t>& some) {
  std::vector<std::int64_t> names;
  for (std::size_t i = 0; i < std::min(some.size(), kNamed); ++i) {
    names.push_back(ranks[some[i]].facts.global_rank);
  }
  std::string text = (some.size() == 1 ? "rank " : "ranks ") + Joined(names, ", ");
  if (some.size() > kNamed) text += " and " + std::to_string(some.size() - kNamed) + " more";
  return text;
}

// By how much the numbers of a rank's steps are moved: as most of its collectives say.
std::vector<std::int64_t> FindMoves(std::span<const RankTables> ranks,
                                    const MatchedCollectives& matching) {
  constexpr std::int64_t kUnknown = -1;
  std::vector<std::int64_t> step_of_joint(matching.members.size(), kUnknown);
  std::vector<std::int64_t> moved(ranks.size(), 0);
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    std::map<std::int64_t, std::size_t> votes;
    const auto for_each = [&](auto f) {
      for (std::uint32_t i = matching.first[rank]; i < matching.first[rank + 1]; ++i) {
        const std::int64_t step = ranks[rank].collectives[i - matching.first[rank]].step;
        if (matching.joint[i] != kNoJoint && step > 0) f(step_of_joint[matching.joint[i]], step);
      }
    };
    for_each([&](std::int64_t common, std::int64_t step) {
      if (common != kUnknown) ++votes[common - step];
    });
    std::size_t most = 0;
    for (const auto& [move, count] : votes) {
      if (count > most) moved[rank] = move;
      most = std::max(most, count);
    }
    for_each([&](std::int64_t& common, std::int64_t step) {
      if (common == kUnknown) common = step + moved[rank];
    });
  }
  return moved;
}

}  // namespace

std::optional<std::uint32_t> JobSteps::Find(std::size_t rank, std::int64_t step) const {
  if (is_whole) return 0;
  if (step <= 0) return std::nullopt;
  const std::int64_t common = step + moved[rank];
  const auto at = std::lower_bound(steps.begin(), steps.end(), common);
  if (at == steps.end() || *at != common) return std::nullopt;
  return static_cast<std::uint32_t>(at - steps.begin());
}

JobSteps FindJobSteps(std::span<const RankTables> ranks, const MatchedCollectives& matching) {
  JobSteps found;
  found.moved = FindMoves(ranks, matching);
  found.is_used.assign(ranks.size(), true);
  const std::optional<std::string> kind = MainKind(ranks);
  if (!kind) {
    found.is_whole = true;
    found.steps = {1};
    found.notes.push_back("No steps were found: all of the recording is taken as one.");
    return found;
  }
  if (!kind->empty()) found.notes.push_back("Of the steps, those of kind " + *kind + " count.");
  std::vector<std::vector<RankStep>> counted;
  std::size_t most = 0;
  for (const RankTables& rank : ranks) {
    counted.push_back(CountedOfKind(rank, *kind));
    most = std::max(most, counted.back().size());
  }
  struct Ranks {
    std::size_t recorded = 0, counting = 0;
  };
  std::map<std::int64_t, Ranks> common;
  std::size_t used = 0;
  std::vector<std::size_t> left_out;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    found.is_used[rank] = 2 * counted[rank].size() >= most;
    if (!found.is_used[rank]) {
      left_out.push_back(rank);
      continue;
    }
    ++used;
    for (const RankStep& step : ranks[rank].steps) {
      if (step.kind == *kind) ++common[step.step + found.moved[rank]].recorded;
    }
    for (const RankStep& step : counted[rank]) ++common[step.step + found.moved[rank]].counting;
  }
  // Of very many ranks there is always one on which a step is odd.
  for (const auto& [step, of] : common) {
    if (of.recorded == used && 2 * of.counting > used) found.steps.push_back(step);
  }
  if (!left_out.empty()) {
    found.notes.push_back("Left out: " + RankNames(ranks, left_out) +
                          (left_out.size() == 1 ? " has" : " have") +
                          " less than half of the steps that others have.");
  }
  return found;
}

}  // namespace xsp
