#include <algorithm>
#include <map>

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

}  // namespace

std::vector<HostStep> StepsFromFrameworks(const Trace& trace, const HostRanges& ranges,
                                          const NameTable& names, ProcessId process) {
  std::map<TrackId, std::vector<EventId>> by_thread;
  for (std::uint32_t i = 0; i < ranges.size(); ++i) {
    const EventId e = ranges.event(i);
    if (trace.process_of(e) != process) continue;
    const FrameworkText* const known = names.Known(trace.name_of(e));
    if (known == nullptr || known->role != TextRole::kStep) continue;
    by_thread[trace.track_of(e)].push_back(e);
  }
  // One thread's ranges are the steps; another one's stand around the same steps, or those of a
  // second engine that runs beside.
  std::vector<HostStep> best;
  for (const auto& [thread, events] : by_thread) {
    std::vector<HostStep> steps = OutermostOf(trace, names, events);
    if (steps.size() > best.size()) best = std::move(steps);
  }
  return best;
}

}  // namespace xsp
