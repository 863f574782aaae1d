#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <vector>

#include "graph/rules/off_cpu.h"
#include "graph/waits/os_waits.h"
#include "graph/waits/pace.h"

namespace xsp {
namespace {

// Frames and requests come a millisecond apart at least; shorter silences are the program's.
constexpr DurationNs kShortestSilence = 1'000'000;
constexpr std::size_t kFewestSilences = 10;
constexpr double kSureOfSilence = 4;

// Silences of one thread before calls of one name.
using Silences = std::map<StringId, std::vector<TimeRange>>;

Silences SilencesOf(const Trace& trace, const std::vector<EventId>& calls) {
  Silences silences;
  TimeNs until = calls.empty() ? 0 : trace.begin(calls.front());
  for (EventId call : calls) {
    const TimeRange time = {until, trace.begin(call)};
    if (time.Length() >= kShortestWait) silences[trace.name_of(call)].push_back(time);
    until = std::max(until, trace.end(call));
  }
  return silences;
}

// Those that would be told from work by their length alone.
std::vector<TimeRange> LongOnes(const std::vector<TimeRange>& silences) {
  std::vector<TimeRange> found;
  for (const TimeRange& silence : silences) {
    if (silence.Length() >= kShortestSilence) found.push_back(silence);
  }
  return found;
}

// What is known to end at given times may be short: the work before it took nearly until then.
std::vector<TimeRange> WithShortOnes(const std::vector<TimeRange>& times,
                                     const std::vector<TimeRange>& silences) {
  constexpr DurationNs kNear = 200;  // One part in so many of a period.
  const std::optional<Grid> grid = GridOf(times);
  if (!grid) return times;
  std::vector<TimeRange> result = times;
  for (const TimeRange& silence : silences) {
    if (silence.Length() >= kShortestSilence) continue;
    const DurationNs off = std::abs(silence.end - times.front().end) % grid->period;
    if (std::min(off, grid->period - off) * kNear <= grid->period) result.push_back(silence);
  }
  return result;
}

// Of each silence the part in which the thread did not run, if that is known.
std::vector<TimeRange> WaitsIn(const std::vector<TimeRange>& silences, TrackId thread,
                               const OffCpu& off_cpu) {
  if (off_cpu.empty()) return silences;
  std::vector<TimeRange> waits;
  for (const TimeRange& silence : silences) {
    TimeRange longest;
    for (const TimeRange& part : off_cpu.During(thread, silence)) {
      if (part.Length() > longest.Length()) longest = part;
    }
    if (longest.Length() >= kShortestSilence) waits.push_back(longest);
  }
  return waits;
}

}  // namespace

void AddSilences(const Trace& trace, const CallsOfThreads& calls, OsWaits& waits) {
  if (!trace.OfKind(EventKind::kOsrt).empty()) return;
  const OffCpu off_cpu(trace);
  for (std::uint32_t track = 0; track < calls.size(); ++track) {
    std::vector<OsTask>& tasks = waits.tasks[track];
    for (const auto& [name, silences] : SilencesOf(trace, calls[track])) {
      const std::vector<TimeRange> times = WaitsIn(LongOnes(silences), TrackId(track), off_cpu);
      if (PaceOnGrid(times, kFewestSilences, kSureOfSilence) != Pace::kDeadline) continue;
      const bool may_be_short = off_cpu.empty();
      for (const TimeRange& time : may_be_short ? WithShortOnes(times, silences) : times) {
        tasks.push_back({{}, time});
      }
    }
    std::sort(tasks.begin(), tasks.end(),
              [](const OsTask& a, const OsTask& b) { return a.time.begin < b.time.begin; });
  }
}

}  // namespace xsp
