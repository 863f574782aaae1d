#include "sim/ranks/rank_clocks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

#include "base/quantile.h"

namespace xsp {
namespace {

// What ends on all ranks together; others may leave as soon as their part is done.
bool EndsTogether(const CollectiveInstance& instance) {
  return instance.operation == "all_reduce" || instance.operation == "all_gather" ||
         instance.operation == "reduce_scatter" || instance.operation == "all_to_all" ||
         instance.operation == "barrier";
}

// From fewer moments no drift is told.
constexpr std::size_t kMomentsForDrift = 16;
// A drift must make the fit so much better.
constexpr double kDriftGain = 0.8;
constexpr int kFits = 4;

// A line through (time, difference), least squares over those that `keep`.
struct Line {
  double offset = 0, slope = 0;
  double At(double time) const { return offset + slope * time; }
};
Line FitLine(const std::vector<std::pair<double, double>>& points, const std::vector<bool>& keep) {
  double n = 0, x = 0, y = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!keep[i]) continue;
    ++n;
    x += points[i].first;
    y += points[i].second;
  }
  if (n == 0) return {};
  x /= n;
  y /= n;
  double xx = 0, xy = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!keep[i]) continue;
    xx += (points[i].first - x) * (points[i].first - x);
    xy += (points[i].first - x) * (points[i].second - y);
  }
  const double slope = xx > 0 ? xy / xx : 0;
  return {y - slope * x, slope};
}

double MiddleDistance(const std::vector<std::pair<double, double>>& points, const Line& line,
                      std::vector<double>& distances) {
  distances.clear();
  for (const auto& [time, difference] : points) {
    distances.push_back(std::abs(difference - line.At(time)));
  }
  std::vector<double> sorted = distances;
  return UpperMedian(sorted);
}

bool TellsTime(const RankFacts& facts) { return facts.session_start_ns != kMissing<std::int64_t>; }

// Who has the same shares a clock: ranks of one host, or of one recording, whose sessions tell the
// time of day.
std::string ClockOf(const RankFacts& facts) {
  if (!TellsTime(facts)) return "rank " + std::to_string(facts.global_rank);
  if (!facts.host.empty()) return "host " + facts.host;
  return "session " + std::to_string(facts.session_start_ns) + " " + facts.source_name;
}

std::string NameOfClock(const RankFacts& facts) {
  const std::string rank = "rank " + std::to_string(facts.global_rank);
  if (TellsTime(facts)) return facts.host.empty() ? facts.source_name : facts.host;
  return facts.host.empty() ? rank : facts.host + ", " + rank;
}

// Fits a clock to the common one by (time, what to add to it), with its drift where that tells
// more.
void FitLineOfClock(std::vector<std::pair<TimeNs, DurationNs>> moments, HostClock& fitted) {
  fitted.moments = moments.size();
  std::sort(moments.begin(), moments.end());
  fitted.middle = std::midpoint(moments.front().first, moments.back().first);
  std::vector<DurationNs> differences;
  for (const auto& [time, difference] : moments) differences.push_back(difference);
  fitted.offset = MedianOf<DurationNs>(differences);
  std::vector<std::pair<double, double>> points;  // Seconds from the middle; ns from the offset.
  for (const auto& [time, difference] : moments) {
    points.emplace_back(static_cast<double>(time - fitted.middle) * 1e-9,
                        static_cast<double>(difference - fitted.offset));
  }
  if (points.size() < kMomentsForDrift) return;
  std::vector<double> distances;
  const double even = MiddleDistance(points, {}, distances);
  std::vector<bool> keep(points.size(), true);
  Line line;
  double drifting = even;
  for (int fit = 0; fit < kFits; ++fit) {
    line = FitLine(points, keep);
    drifting = MiddleDistance(points, line, distances);
    for (std::size_t i = 0; i < points.size(); ++i) keep[i] = distances[i] <= 3 * drifting + 1;
  }
  if (drifting > kDriftGain * even) return;
  fitted.offset += std::llround(line.offset);
  fitted.drift_ppm = -line.slope * 1e-3;  // ns per second.
}

// When operations that join hosts ended: on the clock of each host, and on the common one as far as
// that is known.
class KnownEnds {
 public:
  KnownEnds(std::size_t clocks, std::size_t joints)
      : collectives_(clocks),
        messages_(clocks),
        common_(joints),
        sent_(joints),
        received_(joints) {}

  void Add(std::size_t clock, JointRow joint, const CollectiveInstance& instance, TimeNs end) {
    if (EndsTogether(instance)) {
      std::vector<Mean>& of_clock = collectives_[clock];
      if (of_clock.empty() || of_clock.back().joint != joint) of_clock.push_back({joint});
      of_clock.back().Add(static_cast<double>(end));
    } else if (instance.operation == "send" || instance.operation == "receive") {
      messages_[clock].push_back({joint, instance.operation == "send", end});
    }
  }

  // `at`: a time of that clock on the common one.
  template <class At>
  void Know(std::size_t clock, At at) {
    for (const Mean& end : collectives_[clock]) {
      common_[end.joint].Add(static_cast<double>(at(std::llround(end.Of()))));
    }
    for (const Message& end : messages_[clock]) {
      (end.is_sent ? sent_ : received_)[end.joint] = at(end.time);
    }
  }

  bool Fit(std::size_t clock, HostClock& fitted) const {
    std::vector<std::pair<TimeNs, DurationNs>> moments;
    for (const Mean& end : collectives_[clock]) {
      const Mean& common = common_[end.joint];
      if (common.count == 0) continue;
      moments.emplace_back(std::llround(end.Of()), std::llround(common.Of() - end.Of()));
    }
    if (moments.empty()) return false;
    FitLineOfClock(std::move(moments), fitted);
    return true;
  }

  // What was sent there arrives late or at once, and so does what comes back: the truth lies in the
  // middle of the two that took least.
  bool FitByMessages(std::size_t clock, HostClock& fitted) const {
    std::optional<DurationNs> least, most;  // To add to its times.
    std::size_t count = 0;
    for (const Message& end : messages_[clock]) {
      const std::optional<TimeNs> other = (end.is_sent ? received_ : sent_)[end.joint];
      if (!other) continue;
      ++count;
      const DurationNs difference = *other - end.time;
      if (end.is_sent) {
        most = std::min(most.value_or(difference), difference);
      } else {
        least = std::max(least.value_or(difference), difference);
      }
    }
    if (count == 0) return false;
    fitted.offset = std::midpoint(least ? *least : *most, most ? *most : *least);
    fitted.residual_p50 = fitted.residual_p95 = least && most ? std::abs(*most - *least) / 2 : 0;
    fitted.moments = count;
    fitted.by_messages = true;
    return true;
  }

 private:
  struct Mean {
    JointRow joint = 0;
    double sum = 0, count = 0;
    void Add(double end) {
      sum += end;
      ++count;
    }
    double Of() const { return sum / count; }
  };
  struct Message {
    JointRow joint = 0;
    bool is_sent = false;
    TimeNs time = 0;
  };

  std::vector<std::vector<Mean>> collectives_;  // By clock: ascending, with its own ends.
  std::vector<std::vector<Message>> messages_;
  std::vector<Mean> common_;  // By joint operation, on the common clock.
  std::vector<std::optional<TimeNs>> sent_, received_;
};

}  // namespace

JobClock::JobClock(std::span<const RankTables> ranks, const MatchedCollectives& matching)
    : starts_(SessionStarts(ranks)) {
  std::map<std::string, std::size_t> known;
  for (const RankTables& rank : ranks) {
    const auto [at, is_new] = known.emplace(ClockOf(rank.facts), clocks_.size());
    if (is_new) {
      clocks_.emplace_back();
      clocks_.back().host = NameOfClock(rank.facts);
    }
    clock_of_.push_back(at->second);
  }
  Fit(ranks, matching);
  MeasureResiduals(ranks, matching);
}

TimeNs JobClock::AtClock(std::size_t clock, TimeNs time) const {
  const HostClock& fitted = clocks_[clock];
  const double drift = -fitted.drift_ppm * 1e-6 * static_cast<double>(time - fitted.middle);
  return time + fitted.offset + std::llround(drift);
}

TimeNs JobClock::At(std::size_t rank, TimeNs time) const {
  return AtClock(clock_of_[rank], starts_[rank] + time);
}

DurationNs JobClock::Noise() const {
  DurationNs noise = 0;
  for (const HostClock& clock : clocks_) noise = std::max(noise, clock.residual_p95);
  return noise;
}

// Clock after clock: each by those joint operations whose end is known already on a fitted one.
// Messages tell less: they are asked where collectives join nobody any more.
void JobClock::Fit(std::span<const RankTables> ranks, const MatchedCollectives& matching) {
  KnownEnds ends(clocks_.size(), matching.members.size());
  for (JointRow joint = 0; joint < matching.members.size(); ++joint) {
    for (const std::uint32_t i : matching.members[joint]) {
      const std::uint32_t rank = matching.RankOf(i);
      const CollectiveInstance& instance = ranks[rank].collectives[i - matching.first[rank]];
      ends.Add(clock_of_[rank], joint, instance, starts_[rank] + instance.end_ns);
    }
  }
  std::vector<bool> is_fitted(clocks_.size(), false);
  const auto fit_next = [&](auto fit) {
    for (std::size_t clock = 0; clock < clocks_.size(); ++clock) {
      if (is_fitted[clock] || !fit(clock)) continue;
      is_fitted[clock] = true;
      ends.Know(clock, [&](TimeNs time) { return AtClock(clock, time); });
      return true;
    }
    return false;
  };
  const auto by_collectives = [&](std::size_t clock) { return ends.Fit(clock, clocks_[clock]); };
  const auto by_messages = [&](std::size_t clock) {
    return ends.FitByMessages(clock, clocks_[clock]);
  };
  for (std::size_t begin = 0; begin < clocks_.size(); ++begin) {
    if (!fit_next([&](std::size_t clock) { return clock == begin; })) continue;
    while (fit_next(by_collectives) || fit_next(by_messages)) continue;
    if (begin > 0) continue;
    for (std::size_t clock = 0; clock < clocks_.size(); ++clock) {
      clocks_[clock].is_joined = is_fitted[clock];
    }
  }
}

void JobClock::MeasureResiduals(std::span<const RankTables> ranks,
                                const MatchedCollectives& matching) {
  std::vector<std::vector<DurationNs>> residuals(clocks_.size());
  std::vector<std::pair<std::size_t, TimeNs>> ends;
  for (JointRow joint = 0; joint < matching.members.size(); ++joint) {
    ends.clear();
    double sum = 0;
    for (const std::uint32_t i : matching.members[joint]) {
      const std::uint32_t rank = matching.RankOf(i);
      const CollectiveInstance& instance = ranks[rank].collectives[i - matching.first[rank]];
      if (!EndsTogether(instance)) continue;
      ends.emplace_back(clock_of_[rank], At(rank, instance.end_ns));
      sum += static_cast<double>(ends.back().second);
    }
    const bool joins_clocks = std::any_of(
        ends.begin(), ends.end(), [&](const auto& end) { return end.first != ends.front().first; });
    if (!joins_clocks) continue;
    const TimeNs mean = std::llround(sum / static_cast<double>(ends.size()));
    for (const auto& [clock, end] : ends) residuals[clock].push_back(std::abs(end - mean));
  }
  for (std::size_t clock = 0; clock < clocks_.size(); ++clock) {
    std::vector<DurationNs>& all = residuals[clock];
    if (all.empty()) continue;
    clocks_[clock].moments = std::max(clocks_[clock].moments, all.size());
    clocks_[clock].residual_p50 = NthOf(all, all.size() / 2);
    clocks_[clock].residual_p95 = NthOf(all, all.size() * 95 / 100);
  }
}

}  // namespace xsp
