#include "hierarchy/totals/activity_mix.h"

#include <algorithm>

#include "model/names/communication.h"

namespace xsp {

std::string_view NameOfMix(std::size_t mix) {
  constexpr std::array<std::string_view, kActivityMixes> kNames = {
      "idle",
      "compute alone",
      "copy alone",
      "compute + copy",
      "communication alone",
      "compute + communication",
      "copy + communication",
      "compute + copy + communication",
  };
  return kNames[mix];
}

Activity ActivityOf(const Trace& trace, const KernelKinds& kinds, EventId work) {
  const EventKind kind = trace.KindOf(work);
  if (kind == EventKind::kGraphSpan) return Activity::kCompute;
  if (kind != EventKind::kKernel) return Activity::kCopy;
  return IsCommunication(kinds.Of(trace, work).kernel_class) ? Activity::kCommunication
                                                             : Activity::kCompute;
}

void DeviceActivity::Add(TimeRange when, Activity activity) {
  changes_.push_back({when.begin, activity, true});
  changes_.push_back({when.end, activity, false});
}

ActivityMix DeviceActivity::Mix() {
  ActivityMix lasted{};
  if (Empty()) return lasted;
  std::sort(changes_.begin(), changes_.end(),
            [](const Change& a, const Change& b) { return a.time < b.time; });
  std::array<std::int64_t, kActivityMixes> running{};  // By activity bit.
  TimeNs now = changes_.front().time;
  for (const Change& change : changes_) {
    std::size_t mix = 0;
    for (Activity activity : {Activity::kCompute, Activity::kCopy, Activity::kCommunication}) {
      const auto bit = static_cast<std::size_t>(activity);
      if (running[bit] > 0) mix |= bit;
    }
    lasted[mix] += change.time - now;
    now = change.time;
    running[static_cast<std::size_t>(change.activity)] += change.begins ? 1 : -1;
  }
  return lasted;
}

}  // namespace xsp
