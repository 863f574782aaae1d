#include <algorithm>
#include <string>
#include <vector>

#include "hierarchy/names/name_patterns.h"
#include "sim/whatifs/all.h"

// More data-loader workers: batches are made in parallel with the steps and with each other.
namespace xsp {
namespace {

constexpr WhatIfOption kLoaderOptions[] = {
    {"workers", "4", "how many load data at the same time"},
    {"now", "", "how many there are now; 0: the main thread loads itself"},
    {"load-time", "", "how long one batch takes to make: 120ms; by default what the trace shows"}};

// How the program loads now: loads that wait for a producer have one, and PyTorch's iterators tell
// by their names; else it is the main thread.
std::uint32_t WorkersNow(const Plan& plan, const std::vector<TaskId>& loads,
                         const WhatIfValues& values) {
  if (values.IsGiven("now")) {
    return values.Text("now") == "0" ? 0 : values.Count("now");
  }
  for (const TaskId load : loads) {
    if (plan.BatchTime(load) > 0 || NamesLoaderWorkers(plan.facts().Name(load))) return 1;
  }
  return 0;
}

// What is said of all forecasts of loaders.
Applied SayAndApply(Plan& plan, const WhatIfValues& values) {
  plan.RestsOn(kStructural);
  plan.Assume("a batch takes as long to make as " +
              std::string(values.IsGiven("load-time") ? "was given" : "the trace shows") +
              ", and workers do not hold each other up");
  plan.Caution(
      "workers compete with the main thread for processors: where the host is the limit then, the "
      "step gains less");
  if (!values.IsGiven("load-time")) plan.MakesSurer("the time that one batch takes: load-time=...");
  return Applied::Yes();
}

// Loads that wait for a producer: with more workers it delivers more often. Slower, if the workers
// get in each other's way.
bool SpeedUpProducers(Plan& plan, const WhatIfValues& values, const std::vector<TaskId>& loads,
                      std::uint32_t now, ChangeId change) {
  bool any = false;
  for (const TaskId load : loads) {
    const DurationNs batch = plan.BatchTime(load);
    if (batch == 0) continue;
    any = true;
    const double load_time = values.IsGiven("load-time") ? values.Nanoseconds("load-time")
                                                         : static_cast<double>(batch) * now;
    const double each = load_time / values.Count("workers");
    plan.SetDuration(load, {each, each, each * 1.2}, change);
  }
  return any;
}

Applied ApplyLoader(Plan& plan, const WhatIfValues& values) {
  const std::vector<TaskId> loads = plan.Select(Selector::Kind(TaskKind::kLoad));
  if (loads.empty()) return Applied::No("the trace shows no time in which data is loaded");
  if (!plan.unit().is_step)
    return Applied::No("without steps nothing tells what a batch belongs to");
  const std::uint32_t workers = values.Count("workers");
  const std::uint32_t now = WorkersNow(plan, loads, values);
  const ChangeId change =
      plan.AddChange("data loading, " + values.Text("workers") + " workers", "kind=load");
  if (SpeedUpProducers(plan, values, loads, std::max(1u, now), change))
    return SayAndApply(plan, values);
  const double steps = plan.step_count();
  double waited = 0;
  for (const TaskId load : loads) waited += static_cast<double>(plan.Own(load));
  waited /= steps;

  // What the rest of a step takes.
  const double rest = static_cast<double>(plan.TryLength([&](GraphEdit& edit) {
    for (const TaskId load : loads) edit.SetOwn(load, 0);
  }));
  // A loader beside the steps is seen only by who waits for it: it takes the whole of a step.
  double load_time = now == 0 ? waited : (waited + rest) * now;
  if (values.IsGiven("load-time")) load_time = values.Nanoseconds("load-time");
  const double each = load_time / workers;
  const double wait = std::max(0.0, each - rest);
  const double slow = std::max(wait, each * 1.2 - rest);
  for (const TaskId load : loads) {
    const double share = waited > 0 ? static_cast<double>(plan.Own(load)) / waited : 0;
    plan.SetDuration(load, {wait * share, wait * share, slow * share}, change);
  }
  return SayAndApply(plan, values);
}

}  // namespace

const WhatIf kLoader = {"loader",
                        "Data-loader workers",
                        "batches are made by several workers beside the steps",
                        kStructural,
                        "ranges around data loading",
                        Effort::kFlag,
                        kLoaderOptions,
                        ApplyLoader};

}  // namespace xsp
