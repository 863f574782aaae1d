#include "sim/ranks/rank_clocks.h"

#include <algorithm>
#include <cmath>
#include <map>

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
void JobClock::Fit(std::span<const RankTables> ranks, const MatchedCollectives& matching) {
  std::vector<bool> is_fitted(clocks_.size(), false);
  // By clock: joint operations that it takes part in, ascending, with the sum of its ends.
  struct Ends {
    JointRow joint = 0;
    double sum = 0, count = 0;
    double Mean() const { return sum / count; }
  };
  std::vector<std::vector<Ends>> ends(clocks_.size());
  for (JointRow joint = 0; joint < matching.members.size(); ++joint) {
    for (const std::uint32_t i : matching.members[joint]) {
      const std::uint32_t rank = matching.RankOf(i);
      const CollectiveInstance& instance = ranks[rank].collectives[i - matching.first[rank]];
      if (!EndsTogether(instance)) continue;
      std::vector<Ends>& of_clock = ends[clock_of_[rank]];
      if (of_clock.empty() || of_clock.back().joint != joint) of_clock.push_back({joint});
      of_clock.back().sum += static_cast<double>(starts_[rank] + instance.end_ns);
      ++of_clock.back().count;
    }
  }
  std::vector<Ends> known(matching.members.size());  // On the common clock, by joint operation.
  const auto add = [&](std::size_t clock) {
    is_fitted[clock] = true;
    for (const Ends& end : ends[clock]) {
      known[end.joint].sum += static_cast<double>(AtClock(clock, std::llround(end.Mean())));
      ++known[end.joint].count;
    }
  };
  for (std::size_t begin = 0; begin < clocks_.size(); ++begin) {
    if (!is_fitted[begin]) add(begin);
    for (bool is_more = true; is_more;) {
      is_more = false;
      for (std::size_t clock = 0; clock < clocks_.size(); ++clock) {
        if (is_fitted[clock]) continue;
        std::vector<std::pair<TimeNs, DurationNs>> moments;
        for (const Ends& end : ends[clock]) {
          const Ends& common = known[end.joint];
          if (common.count == 0) continue;
          moments.emplace_back(std::llround(end.Mean()), std::llround(common.Mean() - end.Mean()));
        }
        if (moments.empty()) continue;
        FitOne(clock, std::move(moments));
        add(clock);
        is_more = true;
      }
    }
  }
}

void JobClock::FitOne(std::size_t clock, std::vector<std::pair<TimeNs, DurationNs>> moments) {
  HostClock& fitted = clocks_[clock];
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
    if (ends.size() < 2) continue;
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
