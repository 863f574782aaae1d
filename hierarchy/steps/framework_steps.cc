#include <algorithm>
#include <iterator>
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

// Threads of one process that are looked at: a program has a few engines; what has a thousand
// of them would cost the square of that.
constexpr std::size_t kMostSeries = 64;

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
  std::map<TrackId, StepSeries*> of_thread;
  for (StepSeries& series : all) of_thread[series.thread] = &series;
  for (std::size_t i = 0; i < launched.work.size(); ++i) {
    const EventId call = trace.call_of(launched.work[i]);
    if (!call.valid()) continue;
    const auto it = of_thread.find(trace.track_of(call));
    if (it == of_thread.end()) continue;
    StepSeries& series = *it->second;
    if (!OverlapsAny(series.steps, {launched.launch[i], launched.launch[i] + 1})) continue;
    series.gpu_ns += trace.duration(launched.work[i]);
    series.devices.insert(trace.track(trace.track_of(launched.work[i])).device);
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
  if (all.size() > kMostSeries) all.resize(kMostSeries);
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

namespace {

bool AreOfOneStep(const Trace& trace, const HostStep& a, const HostStep& b) {
  if (trace.name_of(a.range) == trace.name_of(b.range)) return true;
  return a.content.iteration != kMissing<std::uint64_t> &&
         a.content.iteration == b.content.iteration;
}

// How many of the steps fit together where so many at the begin of each are left out.
std::size_t FitsOf(const Trace& trace, const std::vector<HostStep>& a, std::size_t skip_a,
                   const std::vector<HostStep>& b, std::size_t skip_b) {
  std::size_t fits = 0;
  for (; skip_a < a.size() && skip_b < b.size(); ++skip_a, ++skip_b) {
    fits += AreOfOneStep(trace, a[skip_a], b[skip_b]);
  }
  return fits;
}

struct RankShift {
  std::ptrdiff_t shift = 0;  // So many steps at its begin others did not record; below 0: it lacks.
  std::size_t fits = 0;
};

RankShift ShiftOf(const Trace& trace, const std::vector<HostStep>& first,
                  const std::vector<HostStep>& other) {
  constexpr std::ptrdiff_t kMostShift = 4;
  RankShift best{0, FitsOf(trace, first, 0, other, 0)};
  for (std::ptrdiff_t by = 1; by <= kMostShift; ++by) {
    for (const std::ptrdiff_t shift : {by, -by}) {
      const auto here = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, -shift));
      const auto there = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, shift));
      const std::size_t fits = FitsOf(trace, first, here, other, there);
      // Only what fits clearly better is a reason.
      if (fits > best.fits + static_cast<std::size_t>(by)) best = {shift, fits};
    }
  }
  return best;
}

bool AreTold(const std::vector<HostStep>& steps) {
  return !steps.empty() && std::all_of(steps.begin(), steps.end(), [](const HostStep& step) {
    return !step.content.kind.empty() && step.range.valid();
  });
}

}  // namespace

std::vector<std::uint8_t> AlignRanks(const Trace& trace,
                                     const std::vector<std::vector<HostStep>*>& ranks) {
  std::vector<std::uint8_t> has_own(ranks.size());
  if (ranks.size() < 2 ||
      !std::all_of(ranks.begin(), ranks.end(), [](const auto* steps) { return AreTold(*steps); })) {
    return has_own;
  }
  std::vector<std::ptrdiff_t> shifts = {0};  // Of each against the first.
  for (std::size_t r = 1; r < ranks.size(); ++r) {
    const RankShift found = ShiftOf(trace, *ranks.front(), *ranks[r]);
    shifts.push_back(found.shift);
    has_own[r] = found.fits * 2 < std::min(ranks.front()->size(), ranks[r]->size());
  }
  const std::ptrdiff_t latest = *std::min_element(shifts.begin(), shifts.end());
  for (std::size_t r = 0; r < ranks.size(); ++r) {  // Nobody loses all of them.
    if (shifts[r] - latest >= std::ssize(*ranks[r])) return has_own;
  }
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    ranks[r]->erase(ranks[r]->begin(), ranks[r]->begin() + (shifts[r] - latest));
  }
  return has_own;
}

void AddBatchOfRank(const StepContent& more, StepContent& content) {
  const auto add = [](std::uint64_t& sum, std::uint64_t one) {
    sum = sum == kMissing<std::uint64_t> || one == kMissing<std::uint64_t> ? kMissing<std::uint64_t>
                                                                           : sum + one;
  };
  if (content.kind == "idle") {
    content.kind = more.kind;
  } else if (more.kind != "idle" && more.kind != content.kind) {
    content.kind = "mixed";
  }
  add(content.requests, more.requests);
  add(content.tokens, more.tokens);
  if (!content.lengths || !more.lengths) {
    content.lengths.reset();
    return;
  }
  content.lengths->sq += more.lengths->sq;
  content.lengths->sk += more.lengths->sk;
  content.lengths->sqsq += more.lengths->sqsq;
  content.lengths->sqsk += more.lengths->sqsk;
}

}  // namespace xsp
