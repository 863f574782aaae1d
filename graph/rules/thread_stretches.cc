#include "graph/rules/thread_stretches.h"

#include <algorithm>

namespace xsp {

void ThreadStretches::Add(TrackId thread, TimeRange time) {
  if (time.Empty()) return;
  std::vector<TimeRange>& list = of_thread_[thread];
  if (!list.empty() && time.begin < list.back().end) {
    list.back().end = std::max(list.back().end, time.end);
  } else {
    list.push_back(time);
  }
}

std::vector<TimeRange> ThreadStretches::During(TrackId thread, TimeRange time) const {
  std::vector<TimeRange> parts;
  const auto found = of_thread_.find(thread);
  if (found == of_thread_.end()) return parts;
  const std::vector<TimeRange>& list = found->second;
  auto it = std::partition_point(list.begin(), list.end(), [&](const TimeRange& stretch) {
    return stretch.end <= time.begin;
  });
  for (; it != list.end() && it->begin < time.end; ++it) parts.push_back(it->Clip(time));
  return parts;
}

DurationNs ThreadStretches::In(TrackId thread, TimeRange time) const {
  DurationNs sum = 0;
  for (const TimeRange& part : During(thread, time)) sum += part.Length();
  return sum;
}

}  // namespace xsp
