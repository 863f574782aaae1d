#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_set>

#include "base/quantile.h"
#include "hierarchy/steps/step_roles.h"
#include "hierarchy/steps/step_times.h"
#include "model/names/call_names.h"

namespace xsp {
namespace {

// Calls that a warm program does not make, or makes in every step.
bool IsLoadingOrGrowth(std::string_view recorded) {
  constexpr std::array<std::string_view, 9> kBeginnings = {
      "ModuleLoad", "LibraryLoad", "Malloc",  "MemAlloc",        "MemCreate",
      "MemMap",     "MemHost",     "HostAll", "GraphInstantiate"};
  const std::string_view name = BareCallName(recorded);
  return std::any_of(kBeginnings.begin(), kBeginnings.end(),
                     [&](std::string_view begin) { return name.starts_with(begin); });
}

// By string: whether it is the name of such a call.
std::vector<std::uint8_t> NamesOfLoadingOrGrowth(const Trace& trace) {
  enum : std::uint8_t { kUnknown, kNo, kYes };
  std::vector<std::uint8_t> found(trace.strings().size(), kUnknown);
  for (EventId call : trace.OfKind(EventKind::kApi)) {
    const StringId name = trace.name_of(call);
    if (!name.valid() || found[name.value] != kUnknown) continue;
    found[name.value] = IsLoadingOrGrowth(trace.strings()[name]) ? kYes : kNo;
  }
  for (std::uint8_t& name : found) name = name == kYes ? 1 : 0;
  return found;
}

// The calls that launched a kernel of their process for the first time, in order of time; by
// process how long its launches usually take.
struct FirstLaunches {
  std::vector<EventId> calls;
  std::vector<DurationNs> usual;
};

FirstLaunches FindFirstLaunches(const Trace& trace) {
  FirstLaunches found;
  std::vector<std::vector<DurationNs>> lengths(trace.processes().size());
  std::vector<std::unordered_set<std::uint32_t>> seen(trace.processes().size());
  for (EventId kernel : trace.OfKind(EventKind::kKernel)) {
    const EventId call = trace.call_of(kernel);
    if (!call.valid()) continue;
    const std::uint32_t process = trace.process_of(call).value;
    lengths[process].push_back(trace.duration(call));
    if (seen[process].insert(trace.name_of(kernel).value).second) found.calls.push_back(call);
  }
  for (auto& of_process : lengths) found.usual.push_back(MedianOf<DurationNs>(of_process));
  std::sort(found.calls.begin(), found.calls.end());
  found.calls.erase(std::unique(found.calls.begin(), found.calls.end()), found.calls.end());
  return found;
}

}  // namespace

std::vector<DurationNs> OneTimeCosts(const Trace& trace, const Steps& steps) {
  std::vector<DurationNs> growth(steps.size(), 0);
  if (steps.size() == 0) return growth;
  auto add = [&](EventId call, DurationNs ns, std::vector<DurationNs>& sums) {
    const std::uint32_t step = steps.StepAt(trace.process_of(call), trace.begin(call));
    if (step != Steps::kOutside) sums[step] += ns;
  };
  const std::vector<std::uint8_t> is_growth = NamesOfLoadingOrGrowth(trace);
  for (EventId call : trace.OfKind(EventKind::kApi)) {
    const StringId name = trace.name_of(call);
    if (name.valid() && is_growth[name.value] != 0) add(call, trace.duration(call), growth);
  }
  // A program that allocates in every step does not do so once.
  const auto usual = MedianOf<DurationNs>(
      std::vector<DurationNs>(growth.begin() + growth.size() / 2, growth.end()));
  std::vector<DurationNs> costs;
  for (DurationNs ns : growth) costs.push_back(std::max<DurationNs>(0, ns - usual));

  const FirstLaunches first = FindFirstLaunches(trace);
  for (EventId call : first.calls) {
    const DurationNs usual_launch = first.usual[trace.process_of(call).value];
    add(call, std::max<DurationNs>(0, trace.duration(call) - usual_launch), costs);
  }
  return costs;
}

}  // namespace xsp
