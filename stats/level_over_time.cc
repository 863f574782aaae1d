#include "stats/level_over_time.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "stats/distribution.h"

namespace xsp {

const std::vector<LevelOverTime::Step>& LevelOverTime::Sorted() {
  if (sorted_) return changes_;
  std::stable_sort(changes_.begin(), changes_.end(),
                   [](const Step& a, const Step& b) { return a.time < b.time; });
  std::vector<Step> steps;
  std::int64_t level = 0;
  for (const Step& change : changes_) {
    level = SaturatingAdd(level, change.level);
    if (!steps.empty() && steps.back().time == change.time) {
      steps.back().level = level;
    } else {
      steps.push_back({change.time, level});
    }
  }
  changes_ = std::move(steps);
  sorted_ = true;
  return changes_;
}

template <class F>
void LevelOverTime::ForEachStretch(TimeRange range, F&& f) {
  TimeNs now = range.begin;
  std::int64_t level = 0;
  for (const Step& step : Sorted()) {
    if (step.time > now) {
      const TimeNs until = std::min(step.time, range.end);
      if (until > now) f(TimeRange{now, until}, level);
      now = std::max(now, until);
      if (step.time >= range.end) return;
    }
    level = step.level;
  }
  if (now < range.end) f(TimeRange{now, range.end}, level);
}

std::vector<LevelOverTime::Part> LevelOverTime::Parts(TimeRange range, std::size_t count) {
  const auto length = static_cast<std::uint64_t>(std::max<DurationNs>(range.Length(), 0));
  count = std::max<std::size_t>(1, std::min<std::uint64_t>(count, length));
  std::vector<Part> parts(count);
  const DurationNs each = range.Length() / static_cast<DurationNs>(count);
  for (std::size_t i = 0; i < count; ++i) {
    const TimeNs begin = range.begin + each * static_cast<DurationNs>(i);
    parts[i].time = {begin, i + 1 == count ? range.end : begin + each};
  }
  std::size_t at = 0;
  ForEachStretch(range, [&](TimeRange stretch, std::int64_t level) {
    for (; at < count; ++at) {
      Part& part = parts[at];
      const TimeRange shared = stretch.Clip(part.time);
      if (!shared.Empty()) {
        part.mean += static_cast<double>(level) * static_cast<double>(shared.Length());
        part.max = std::max(part.max, level);
        part.last = level;
      }
      if (stretch.end <= part.time.end) break;
    }
  });
  for (Part& part : parts) {
    if (!part.time.Empty()) part.mean /= static_cast<double>(part.time.Length());
  }
  return parts;
}

std::int64_t LevelOverTime::Percentile(TimeRange range, double share) {
  std::vector<std::pair<std::int64_t, DurationNs>> time_at;
  ForEachStretch(range, [&](TimeRange stretch, std::int64_t level) {
    time_at.emplace_back(level, stretch.Length());
  });
  std::sort(time_at.begin(), time_at.end());
  const double wanted = std::ceil(share * static_cast<double>(range.Length()));
  double reached = 0;
  for (const auto& [level, time] : time_at) {
    reached += static_cast<double>(time);
    if (reached >= wanted) return level;
  }
  return time_at.empty() ? 0 : time_at.back().first;
}

DurationNs LevelOverTime::TimeAtZero(TimeRange range) {
  DurationNs time = 0;
  ForEachStretch(range, [&](TimeRange stretch, std::int64_t level) {
    if (level == 0) time += stretch.Length();
  });
  return time;
}

}  // namespace xsp
