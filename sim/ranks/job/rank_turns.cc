#include "sim/ranks/job/rank_turns.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/hash.h"
#include "sim/ranks/rank_matching.h"

namespace xsp {
namespace {

std::string TypeOfCollective(const CollectiveInstance& instance) {
  const std::string name = instance.operation.empty() ? "communication" : instance.operation;
  const bool is_known = instance.participants != kMissing<std::int64_t> && !IsMessage(instance);
  return is_known ? name + " of " + std::to_string(instance.participants) : name;
}

// Operations of the step that were done at a time.
std::int64_t DoneAt(const std::vector<TurnSegment>& segments, TimeNs time) {
  const auto after =
      std::upper_bound(segments.begin(), segments.end(), time,
                       [](TimeNs t, const TurnSegment& segment) { return t < segment.begin; });
  if (after == segments.begin()) return 0;
  const TurnSegment& at = *(after - 1);
  if (time + kTurnSlack >= at.end) return at.operations_before + at.operations;
  const double share =
      static_cast<double>(time - at.begin) / static_cast<double>(at.end - at.begin);
  return at.operations_before +
         static_cast<std::int64_t>(share * static_cast<double>(at.operations));
}

}  // namespace

RankTurns::RankTurns(const RankTables& tables, std::size_t rank, const JobClock& clock,
                     const JobSteps& steps, JobKinds& kinds)
    : tables_(tables), rank_(rank), clock_(clock) {
  segments.resize(steps.steps.size());
  collectives.resize(steps.steps.size());
  AddSegments(steps);
  AddCollectives(steps, kinds);
}

void RankTurns::AddSegments(const JobSteps& steps) {
  const RankSegment* last = nullptr;
  for (const RankSegment& row : tables_.segments) {
    const auto step = steps.Find(rank_, row.step);
    if (!step) continue;
    const bool is_same =
        last != nullptr && last->step == row.step && last->sequence == row.sequence;
    if (!is_same) {
      TurnSegment segment;
      segment.begin = clock_.At(rank_, row.begin_ns);
      segment.end = std::max(segment.begin, clock_.At(rank_, row.end_ns));
      segment.first_row = &row;
      segments[*step].push_back(segment);
    }
    segments[*step].back().busy += row.busy_ns;
    segments[*step].back().operations += std::max<std::int64_t>(0, row.operations);
    last = &row;
  }
  for (auto& of_step : segments) {
    std::stable_sort(of_step.begin(), of_step.end(),
                     [](const TurnSegment& a, const TurnSegment& b) { return a.begin < b.begin; });
    std::int64_t before = 0;
    for (TurnSegment& segment : of_step) {
      segment.operations_before = before;
      before += segment.operations;
    }
  }
}

void RankTurns::AddCollectives(const JobSteps& steps, JobKinds& kinds) {
  for (std::uint32_t row = 0; row < tables_.collectives.size(); ++row) {
    const CollectiveInstance& instance = tables_.collectives[row];
    const auto step = steps.Find(rank_, instance.step);
    if (!step) continue;
    Collective collective;
    collective.row = row;
    collective.begin = clock_.At(rank_, instance.begin_ns);
    collective.type = kinds.Type(TypeOfCollective(instance), true);
    collective.place = DoneAt(segments[*step], collective.begin);
    collectives[*step].push_back(collective);
  }
  for (auto& of_step : collectives) {
    std::stable_sort(of_step.begin(), of_step.end(),
                     [](const Collective& a, const Collective& b) { return a.begin < b.begin; });
    std::map<std::pair<std::uint16_t, std::int64_t>, std::uint64_t> counts;
    for (Collective& collective : of_step) {
      collective.stream = tables_.collectives[collective.row].stream;
      collective.ordinal = counts[{collective.type, collective.stream}]++;
    }
  }
}

void ReadyPlaces::Learn(std::uint32_t group, const RankTurns& turns) {
  for (const auto& of_step : turns.collectives) {
    for (const RankTurns::Collective& collective : of_step) {
      const auto [at, is_new] = places_.emplace(KeyOf(group, collective), collective.place);
      if (!is_new) at->second = std::min(at->second, collective.place);
    }
  }
}

std::int64_t ReadyPlaces::Of(std::uint32_t group, const RankTurns::Collective& collective) const {
  const auto at = places_.find(KeyOf(group, collective));
  return at == places_.end() ? collective.place : at->second;
}

std::uint64_t ReadyPlaces::KeyOf(std::uint32_t group, const RankTurns::Collective& collective) {
  const std::uint64_t stream = HashWith(group, static_cast<std::uint64_t>(collective.stream));
  return MixedBits(HashWith(HashWith(stream, collective.type), collective.ordinal));
}

}  // namespace xsp
