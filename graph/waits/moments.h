#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

#include "graph/waits/os_waits.h"

// What threads did when others' waits ended, and whether that is more than chance.
namespace xsp {

// Something that a thread did, and since when.
struct Moment {
  TimeNs at;
  EventId signal;  // None where nothing was recorded but that the thread did something else then.
};

// From one moment to the next, on average.
inline DurationNs IntervalOf(const std::vector<Moment>& moments) {
  if (moments.size() < 2) return kWakesPerSignal * kLongestWake;
  return (moments.back().at - moments.front().at) / static_cast<DurationNs>(moments.size() - 1);
}

// How long before the end of a wait what ended it may be.
inline DurationNs WindowOf(const std::vector<Moment>& moments) {
  return std::clamp(IntervalOf(moments) / kWakesPerSignal, kUsualWake, kLongestWake);
}

// The chance that something happens within such a window.
inline double ChanceOf(const std::vector<Moment>& moments, DurationNs window) {
  const auto interval = static_cast<double>(std::max<DurationNs>(1, IntervalOf(moments)));
  return std::min(1.0, static_cast<double>(window) / interval);
}

// The last moment within a wait and so long before its end at most; null: there is none.
inline const Moment* LastBefore(const std::vector<Moment>& moments, TimeRange wait,
                                DurationNs window) {
  const auto after = std::partition_point(moments.begin(), moments.end(),
                                          [&](const Moment& m) { return m.at < wait.end; });
  if (after == moments.begin()) return nullptr;
  const Moment& last = *std::prev(after);
  return last.at > std::max(wait.begin, wait.end - window) ? &last : nullptr;
}

inline const Moment* LastBefore(const std::vector<Moment>& moments, TimeRange wait) {
  return LastBefore(moments, wait, WindowOf(moments));
}

// How many of some waits end so long after one of these moments, where that is more often than by
// chance; else 0.
inline std::size_t MetIn(const std::vector<Moment>& moments, const std::vector<TimeRange>& waits,
                         DurationNs window) {
  std::size_t met = 0;
  for (const TimeRange& wait : waits) met += LastBefore(moments, wait, window) != nullptr;
  const double by_chance =
      kTimesChance * ChanceOf(moments, window) * static_cast<double>(waits.size());
  const bool is_often = kPartsOfWaits * met >= waits.size();
  return is_often && static_cast<double>(met) > by_chance + kFewestWaits ? met : 0;
}

}  // namespace xsp
