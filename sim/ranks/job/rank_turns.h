#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/rank_tables.h"
#include "sim/ranks/job/job_kinds.h"
#include "sim/ranks/job/job_steps.h"
#include "sim/ranks/rank_clocks.h"

namespace xsp {

// Work that ended so much after the begin of what it comes before ended before it.
inline constexpr DurationNs kTurnSlack = 1000;

// Compute of one rank in one step: segments with their rows put together, in order of begin.
struct TurnSegment {
  TimeNs begin = 0, end = 0;
  DurationNs busy = 0;
  std::int64_t operations = 0;         // In it,
  std::int64_t operations_before = 0;  // and before it in the step.
  const RankSegment* first_row = nullptr;

  // When so many operations of the step are done; `place` lies in the segment.
  TimeNs TimeAt(std::int64_t place) const {
    if (place >= operations_before + operations) return end;
    const double share = static_cast<double>(place - operations_before) /
                         static_cast<double>(std::max<std::int64_t>(1, operations));
    return begin + static_cast<DurationNs>(share * static_cast<double>(end - begin));
  }
};

// What a rank does in the steps that are looked at, on the common clock. Keeps references to what
// it was made of.
class RankTurns {
 public:
  RankTurns(const RankTables& tables, std::size_t rank, const JobClock& clock,
            const JobSteps& steps, JobKinds& kinds);

  struct Collective {
    std::uint32_t row = 0;
    TimeNs begin = 0;
    std::uint16_t type = 0;
    std::int64_t stream = 0;
    std::uint64_t ordinal = 0;  // Among those of its type and stream in the step.
    std::int64_t place = 0;     // Operations of compute that were done when it began.
  };

  std::vector<std::vector<TurnSegment>> segments;    // By step, in order of begin.
  std::vector<std::vector<Collective>> collectives;  // By step, in order of begin.

 private:
  void AddSegments(const JobSteps& steps);
  void AddCollectives(const JobSteps& steps, JobKinds& kinds);

  const RankTables& tables_;
  const std::size_t rank_;
  const JobClock& clock_;
};

// After how many operations of a step the data of a collective are there. One that waits for its
// turn on a stream begins later than it could; whoever begins earliest, among ranks that do equal
// work and over all steps, shows when that is.
class ReadyPlaces {
 public:
  void Learn(std::uint32_t group, const RankTurns& turns);
  std::int64_t Of(std::uint32_t group, const RankTurns::Collective& collective) const;

 private:
  static std::uint64_t KeyOf(std::uint32_t group, const RankTurns::Collective& collective);

  std::unordered_map<std::uint64_t, std::int64_t> places_;
};

}  // namespace xsp
