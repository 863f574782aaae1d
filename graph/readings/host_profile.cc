#include "graph/readings/host_profile.h"

#include <algorithm>
#include <array>
#include <map>

#include "graph/rules/off_cpu.h"
#include "graph/simulation/scheduler.h"

namespace xsp {
namespace {

struct HostStretch {
  TimeRange time;
  TaskId before;
};

// Stretches of each thread's track, in order of time, without overlap (two devices may starve for
// the same reason).
std::map<TrackId, std::vector<HostStretch>> ByThread(const TaskGraph& graph,
                                                     const std::vector<StarvingHost>& stretches) {
  std::map<TrackId, std::vector<HostStretch>> result;
  for (const StarvingHost& stretch : stretches) {
    const TrackId track = graph.threads[graph.lane[stretch.before]].track;
    if (track.valid()) result[track].push_back({stretch.time, stretch.before});
  }
  for (auto& [track, list] : result) {
    std::sort(list.begin(), list.end(), [](const HostStretch& a, const HostStretch& b) {
      return std::tuple(a.time.begin, a.time.end, a.before) <
             std::tuple(b.time.begin, b.time.end, b.before);
    });
    std::vector<HostStretch> disjoint;
    for (HostStretch stretch : list) {
      if (!disjoint.empty()) {
        stretch.time.begin = std::max(stretch.time.begin, disjoint.back().time.end);
      }
      if (!stretch.time.Empty()) disjoint.push_back(stretch);
    }
    list = std::move(disjoint);
  }
  return result;
}

class Profiler {
 public:
  Profiler(const TaskGraph& graph, const OpenRanges& ranges,
           const std::vector<StarvingHost>& stretches)
      : trace_(*graph.trace), ranges_(ranges), by_thread_(ByThread(graph, stretches)) {}

  HostProfile Run() {
    profile_.has_samples = !trace_.OfKind(EventKind::kSample).empty();
    profile_.has_os_calls = !trace_.OfKind(EventKind::kOsrt).empty();
    profile_.has_scheduling = !trace_.OfKind(EventKind::kSched).empty();
    for (const auto& [track, list] : by_thread_) {
      for (const HostStretch& stretch : list) profile_.total += stretch.time.Length();
    }
    Ranges();
    OsCalls();
    NotScheduled();
    Samples();
    Finish();
    return std::move(profile_);
  }

 private:
  using Key = std::pair<ActivitySource, std::string>;

  void Add(ActivitySource source, std::string_view name, DurationNs ns, std::uint32_t count) {
    HostActivity& activity = activities_[Key(source, std::string(name))];
    activity.ns += ns;
    activity.count += count;
  }

  void Ranges() {
    for (const auto& [track, list] : by_thread_) {
      for (const HostStretch& stretch : list) {
        for (const OpenRanges::Piece& piece : ranges_.During(track, stretch.time)) {
          Add(ActivitySource::kRange, piece.name.empty() ? "[no range]" : piece.name,
              piece.time.Length(), 1);
        }
      }
    }
  }

  // Calls f(part of the event inside a stretch) for the events of a kind.
  template <class F>
  void ForOverlaps(EventKind kind, F f) {
    std::map<TrackId, std::size_t> next;
    for (EventId event : trace_.OfKind(kind)) {
      auto it = by_thread_.find(trace_.track_of(event));
      if (it == by_thread_.end()) continue;
      const std::vector<HostStretch>& list = it->second;
      std::size_t& at = next[it->first];
      while (at < list.size() && list[at].time.end <= trace_.begin(event)) ++at;
      for (std::size_t i = at; i < list.size() && list[i].time.begin <= trace_.end(event); ++i) {
        f(event, list[i].time.Clip({trace_.begin(event), trace_.end(event)}));
      }
    }
  }

  void OsCalls() {
    ForOverlaps(EventKind::kOsrt, [&](EventId event, TimeRange part) {
      const std::uint32_t nesting = trace_.osrt().nesting[trace_.Row(event, EventKind::kOsrt)];
      if (part.Empty() || (nesting != 0 && nesting != kMissing<std::uint32_t>)) return;
      Add(ActivitySource::kOsCall, trace_.name(event), part.Length(), 1);
    });
  }

  void NotScheduled() {
    const OffCpu off(trace_);
    for (const auto& [track, list] : by_thread_) {
      for (const HostStretch& stretch : list) {
        for (const TimeRange& part : off.During(track, stretch.time)) {
          Add(ActivitySource::kOffCpu, "not scheduled", part.Length(), 1);
        }
      }
    }
  }

  void Samples() {
    std::vector<std::string> functions;
    ForOverlaps(EventKind::kSample,
                [&](EventId event, TimeRange) { functions.push_back(InnermostFunction(event)); });
    for (const std::string& function : functions) {
      Add(ActivitySource::kSample, function,
          profile_.total / static_cast<DurationNs>(functions.size()), 1);
    }
  }

  // The innermost function with a name, and else the module it is in.
  std::string InnermostFunction(EventId sample) const {
    const ChainId chain = trace_.samples().chain[trace_.Row(sample, EventKind::kSample)];
    const auto [first, last] = trace_.FramesOf(chain);
    std::string_view module;
    for (std::uint32_t row = first; row < last; ++row) {
      const Frames& frames = trace_.frames();
      if (module.empty() && frames.module[row].valid()) {
        module = trace_.strings().Get(frames.module[row]);
      }
      if ((frames.flags[row] & kFrameUnresolved) != 0 || !frames.symbol[row].valid()) continue;
      const std::string_view name = trace_.strings().Get(frames.symbol[row]);
      if (!name.empty()) return std::string(name);
    }
    if (module.empty()) return "[unknown function]";
    return "[" + std::string(module.substr(module.find_last_of('/') + 1)) + "]";
  }

  void Finish() {
    for (auto& [key, activity] : activities_) {
      activity.source = key.first;
      activity.name = key.second;
      profile_.activities.push_back(std::move(activity));
    }
    std::stable_sort(profile_.activities.begin(), profile_.activities.end(),
                     [](const HostActivity& a, const HostActivity& b) {
                       return std::pair(a.source, -a.ns) < std::pair(b.source, -b.ns);
                     });
  }

  const Trace& trace_;
  const OpenRanges& ranges_;
  std::map<TrackId, std::vector<HostStretch>> by_thread_;
  std::map<Key, HostActivity> activities_;
  HostProfile profile_;
};

}  // namespace

std::string_view NameOf(ActivitySource source) {
  constexpr std::array<std::string_view, 4> kNames = {"range", "os_call", "off_cpu", "sample"};
  return kNames[static_cast<std::size_t>(source)];
}

void TakeMeans(const Unit& unit, HostProfile& profile) {
  const UnitMeans means = UnitMeans::OfCounted(unit);
  profile.total = unit.MeanOfCounted(profile.total);
  for (HostActivity& activity : profile.activities) {
    activity.ns = unit.MeanOfCounted(activity.ns);
    activity.count = means.Count(activity.count);
  }
}

HostProfile ProfileHost(const TaskGraph& graph, const OpenRanges& ranges,
                        const std::vector<StarvingHost>& stretches) {
  return Profiler(graph, ranges, stretches).Run();
}

IdleAnalysis AnalyzeIdle(const TaskGraph& graph, const OpenRanges& ranges, const Steps& steps,
                         const Unit& unit) {
  IdleAnalysis analysis;
  analysis.unit = unit;
  analysis.replayed = LengthOf(unit, SpansOf(graph, Simulate(graph), steps, unit));
  analysis.idle = FindIdle(graph, SimulateGuided(graph), MeasuredTimes(steps, unit));
  analysis.profile = ProfileHost(graph, ranges, analysis.idle.hosts);
  TakeMeans(unit, analysis.idle);
  TakeMeans(unit, analysis.profile);
  return analysis;
}

}  // namespace xsp
