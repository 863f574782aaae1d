#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "hierarchy/steps/step_candidates.h"

namespace xsp {
namespace {

// What another text says of the same step, where the first one is silent.
void AddContent(const StepContent& more, StepContent& content) {
  const auto fill = [](std::uint64_t& value, std::uint64_t other) {
    if (value == kMissing<std::uint64_t>) value = other;
  };
  if (content.kind.empty()) content.kind = more.kind;
  // Of another kind it is another thing: a draft within a step that decodes.
  if (content.kind != more.kind) return;
  fill(content.iteration, more.iteration);
  fill(content.requests, more.requests);
  fill(content.tokens, more.tokens);
  if (!content.lengths) content.lengths = more.lengths;
}

// The steps of one thread, in order of time, none inside another.
std::vector<HostStep> OutermostOf(const Trace& trace, const NameTable& names,
                                  const std::vector<EventId>& ranges) {
  std::vector<HostStep> steps;
  for (EventId e : ranges) {
    const StepContent& content = names.Known(trace.name_of(e))->step;
    if (!steps.empty() && trace.begin(e) < steps.back().host.end) {
      AddContent(content, steps.back().content);
      continue;
    }
    steps.push_back({{trace.begin(e), trace.end(e)}, e, trace.track_of(e), content});
  }
  return steps;
}

// What one thread's ranges say.
struct StepSeries {
  TrackId thread;
  std::vector<HostStep> steps;
  DurationNs gpu_ns = 0;                 // Of what it launches in them,
  std::set<std::uint32_t> devices = {};  // and where.
};

bool OverlapsAny(const std::vector<HostStep>& steps, TimeRange time) {
  const auto it = std::partition_point(steps.begin(), steps.end(), [&](const HostStep& step) {
    return step.host.end <= time.begin;
  });
  return it != steps.end() && it->host.begin < time.end;
}

bool TakesTurnsWith(const std::vector<HostStep>& steps, const StepSeries& series) {
  return std::none_of(series.steps.begin(), series.steps.end(),
                      [&](const HostStep& step) { return OverlapsAny(steps, step.host); });
}

// Whether two threads say the same of their steps, one after the other, on devices of their own.
bool AreRanks(const Trace& trace, const StepSeries& a, const StepSeries& b) {
  const bool share_device = std::any_of(a.devices.begin(), a.devices.end(),
                                        [&](auto device) { return b.devices.contains(device); });
  return !share_device && std::equal(a.steps.begin(), a.steps.end(), b.steps.begin(), b.steps.end(),
                                     [&](const HostStep& x, const HostStep& y) {
                                       return trace.name_of(x.range) == trace.name_of(y.range);
                                     });
}

std::vector<StepSeries> SeriesOf(const Trace& trace, const HostRanges& ranges,
                                 const NameTable& names, ProcessId process) {
  std::map<TrackId, std::vector<EventId>> by_thread;
  for (std::uint32_t i = 0; i < ranges.size(); ++i) {
    const EventId e = ranges.event(i);
    if (trace.process_of(e) != process) continue;
    const FrameworkText* const known = names.Known(trace.name_of(e));
    if (known == nullptr || known->role != TextRole::kStep) continue;
    by_thread[trace.track_of(e)].push_back(e);
  }
  std::vector<StepSeries> all;
  for (const auto& [thread, events] : by_thread) {
    all.push_back({.thread = thread, .steps = OutermostOf(trace, names, events)});
  }
  return all;
}

void AddGpuTimes(const Trace& trace, const LaunchedWork& launched, std::vector<StepSeries>& all) {
  for (std::size_t i = 0; i < launched.work.size(); ++i) {
    const EventId call = trace.call_of(launched.work[i]);
    if (!call.valid()) continue;
    for (StepSeries& series : all) {
      if (series.thread != trace.track_of(call)) continue;
      const TimeRange launch = {launched.launch[i], launched.launch[i] + 1};
      if (!OverlapsAny(series.steps, launch)) continue;
      series.gpu_ns += trace.duration(launched.work[i]);
      series.devices.insert(trace.track(trace.track_of(launched.work[i])).device);
    }
  }
}

}  // namespace

FrameworkSteps StepsFromFrameworks(const Trace& trace, const HostRanges& ranges,
                                   const NameTable& names, const LaunchedWork& launched,
                                   ProcessId process) {
  FrameworkSteps found;
  std::vector<StepSeries> all = SeriesOf(trace, ranges, names, process);
  if (all.size() > 1) AddGpuTimes(trace, launched, all);
  std::stable_sort(all.begin(), all.end(), [](const StepSeries& a, const StepSeries& b) {
    return std::pair(a.gpu_ns, a.steps.size()) > std::pair(b.gpu_ns, b.steps.size());
  });
  for (StepSeries& series : all) {
    if (found.steps.empty() || TakesTurnsWith(found.steps, series)) {
      found.steps.insert(found.steps.end(), series.steps.begin(), series.steps.end());
      std::sort(found.steps.begin(), found.steps.end(),
                [](const HostStep& a, const HostStep& b) { return a.host.begin < b.host.begin; });
    } else if (series.gpu_ns > 0 && !AreRanks(trace, all.front(), series)) {
      found.others.push_back(series.thread);
    }
  }
  std::sort(found.others.begin(), found.others.end());
  return found;
}

}  // namespace xsp
