#include <algorithm>
#include <map>

#include "graph/draft.h"


// Calls of a thread, one after the other.
namespace xsp {
namespace {

constexpr DurationNs kColdFactor = 10;
constexpr DurationNs kColdAtLeast = 50'000;

}  // namespace

// A call that took ten times the usual without anything to wait for did something that is done
// once: module loading, first touch, context creation.
void MarkColdCalls(Draft& draft) {
  TaskGraph& graph = draft.graph;
  std::map<StringId, Latencies> durations;
  for (std::uint32_t task = 0; task < graph.host_count(); ++task) {
    if ((graph.flags[task] & kWaited) == 0) durations[draft.NameOf(task)].push_back(graph.own[task]);
  }
  std::map<StringId, DurationNs> usual;
  for (auto& [name, samples] : durations) usual[name] = Median(samples);
  for (std::uint32_t task = 0; task < graph.host_count(); ++task) {
    if ((graph.flags[task] & kWaited) != 0) continue;
    const DurationNs limit = std::max(kColdAtLeast, kColdFactor * usual[draft.NameOf(task)]);
    if (graph.own[task] > limit) graph.flags[task] |= kCold;
  }
}

}  // namespace xsp
