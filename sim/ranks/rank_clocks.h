#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/ranks/rank_matching.h"

namespace xsp {

// The clock of one host against that of the first, by the ends of collectives that ranks of both
// took part in: that these end together is the assumption. Hosts that no collective joins are
// joined by messages: what is received ends no earlier than what was sent.
struct HostClock {
  std::string host;
  DurationNs offset = 0;  // To add to its times, at `middle`.
  double drift_ppm = 0;   // How much faster it runs: microseconds per second.
  // How far matched ends lie from the common clock afterwards: half of them, 95 % of them within.
  DurationNs residual_p50 = 0;
  DurationNs residual_p95 = 0;
  std::size_t moments = 0;  // Ends that it was fitted by.
  TimeNs middle = 0;        // Of the moments, on the host's clock.
  bool by_messages = false;
  // With the first host's; else nothing that was recorded joins them but the time of day.
  bool is_joined = false;
};

// All ranks on one clock. Ranks of one host, or of one recording, share its clock where their
// sessions tell the time of day; else each has one of its own.
class JobClock {
 public:
  JobClock(std::span<const RankTables> ranks, const MatchedCollectives& matching);

  // A rank's time on the common clock.
  TimeNs At(std::size_t rank, TimeNs time) const;

  const std::vector<HostClock>& clocks() const { return clocks_; }
  // How well clocks agree: the largest residual that 95 % are within.
  DurationNs Noise() const;

 private:
  void Fit(std::span<const RankTables> ranks, const MatchedCollectives& matching);
  void MeasureResiduals(std::span<const RankTables> ranks, const MatchedCollectives& matching);
  TimeNs AtClock(std::size_t clock, TimeNs time) const;

  std::vector<TimeNs> starts_;         // By rank.
  std::vector<std::size_t> clock_of_;  // By rank.
  std::vector<HostClock> clocks_;
};

}  // namespace xsp
