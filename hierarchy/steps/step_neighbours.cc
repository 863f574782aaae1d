#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantile.h"
#include "hierarchy/steps/step_candidates.h"

namespace xsp {
namespace {

// Makes the host's part of a step hold what was launched behind it, until some time, as long as the
// device was at work or the host was soon back.
void TakeLaunchesUntil(TimeNs limit, DurationNs soon, const Trace& trace,
                       const LaunchedWork& launched, const std::vector<TimeNs>& finished,
                       HostStep& step) {
  const auto first =
      std::lower_bound(launched.launch.begin(), launched.launch.end(), step.host.end);
  for (auto i = static_cast<std::size_t>(first - launched.launch.begin());
       i < launched.launch.size() && launched.launch[i] < limit; ++i) {
    const TimeNs before = i == 0 ? step.host.end : std::max(step.host.end, finished[i - 1]);
    if (launched.launch[i] - before > soon) return;
    const EventId call = trace.call_of(launched.work[i]);
    const TimeNs end = call.valid() ? trace.end(call) : launched.launch[i] + 1;
    step.host.end = std::min(limit, std::max(step.host.end, end));
  }
}

// When all was finished that was launched up to each of these.
std::vector<TimeNs> FinishedBy(const Trace& trace, const LaunchedWork& launched) {
  std::vector<TimeNs> finished;
  TimeNs latest = std::numeric_limits<TimeNs>::min();
  for (EventId work : launched.work) {
    latest = std::max(latest, trace.end(work));
    finished.push_back(latest);
  }
  return finished;
}

}  // namespace

void JoinNeighbours(const Trace& trace, const LaunchedWork& launched,
                    std::vector<HostStep>& steps) {
  std::map<std::string_view, std::vector<DurationNs>> lengths, pauses;  // By kind.
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::string& kind = steps[i].content.kind;
    lengths[kind].push_back(steps[i].host.Length());
    if (i + 1 < steps.size()) {
      pauses[kind].push_back(steps[i + 1].host.begin - steps[i].host.end);
    }
  }
  std::map<std::string_view, DurationNs> short_pause;
  for (auto& [kind, of_kind] : lengths) short_pause[kind] = UpperMedian(of_kind) / 2;
  const bool are_told = short_pause.size() > 1 || !short_pause.contains("");
  const std::vector<TimeNs> finished =
      are_told ? FinishedBy(trace, launched) : std::vector<TimeNs>();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    HostStep& step = steps[i];
    const std::string& kind = step.content.kind;
    const bool is_last = i + 1 == steps.size();
    if (!is_last && steps[i + 1].host.begin - step.host.end <= short_pause[kind]) {
      step.host.end = steps[i + 1].host.begin;
    } else if (!kind.empty()) {
      // Behind the last one as much time is looked at as usually lies between them.
      const TimeNs limit =
          is_last ? step.host.end + UpperMedian(pauses[kind]) : steps[i + 1].host.begin;
      TakeLaunchesUntil(limit, short_pause[kind], trace, launched, finished, step);
    }
  }
}

}  // namespace xsp
