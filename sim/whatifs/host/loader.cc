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
  plan.Assume(
      "workers compete with the main thread for processors and memory: at the slow end a step is "
      "as much longer for it as in real runs, 18 %");
  if (!values.IsGiven("load-time")) plan.MakesSurer("the time that one batch takes: load-time=...");
  return Applied::Yes();
}

// How long a step takes when loads cost nothing.
double RestOfStep(const Plan& plan, const std::vector<TaskId>& loads) {
  return static_cast<double>(plan.TryLength([&](GraphEdit& edit) {
    for (const TaskId load : loads) {
      const bool waits = plan.BatchTime(load) > 0;
      waits ? edit.SetInterval(load, 0) : edit.SetOwn(load, 0);
    }
  }));
}

// Forecasts of real pairs were 6 to 15 % short of the mean step, and not in what waits for data:
// workers take processors, caches and memory from everything that the step does, and now and then
// hold up a whole step.
constexpr double kShortAtWorst = 0.15;
// Workers that get in each other's way take so much longer for a batch.
constexpr double kSlowerBatches = 1.2;

class MoreWorkers {
 public:
  MoreWorkers(Plan& plan, const WhatIfValues& values, const std::vector<TaskId>& loads)
      : plan_(plan),
        values_(values),
        loads_(loads),
        workers_(values.Count("workers")),
        now_(WorkersNow(plan, loads, values)),
        change_(
            plan.AddChange("data loading, " + values.Text("workers") + " workers", "kind=load")),
        rest_(RestOfStep(plan, loads)),
        rest_beside_(workers_ > now_ ? rest_ / (1 - kShortAtWorst) : rest_) {}

  Applied Apply() {
    const bool has_producers = SpeedUpProducers();
    if (!has_producers) LoadBeside();
    return SayAndApply(plan_, values_);
  }

 private:
  double LoadTime(double by_trace) const {
    return values_.IsGiven("load-time") ? values_.Nanoseconds("load-time") : by_trace;
  }

  // Loads that wait for a producer: with more workers it delivers more often. No sooner than the
  // rest of a step is done, which may take longer beside them.
  bool SpeedUpProducers() {
    bool any = false;
    for (const TaskId load : loads_) {
      const DurationNs batch = plan_.BatchTime(load);
      if (batch == 0) continue;
      any = true;
      const double each = LoadTime(static_cast<double>(batch) * std::max(1u, now_)) / workers_;
      double slow = each * kSlowerBatches;
      if (rest_beside_ > rest_) slow = std::max(slow, rest_beside_);
      plan_.SetDuration(load, {each, each, slow}, change_);
    }
    return any;
  }

  void LoadBeside() {
    double waited = 0;
    for (const TaskId load : loads_) waited += static_cast<double>(plan_.Own(load));
    waited /= plan_.step_count();
    // A loader beside the steps is seen only by who waits for it: it takes the whole of a step.
    const double load_time = LoadTime(now_ == 0 ? waited : (waited + rest_) * now_);
    const double each = load_time / workers_;
    const double wait = std::max(0.0, each - rest_);
    const double slow =
        std::max({wait, each * kSlowerBatches - rest_, LoadAtWorst(waited, load_time)});
    for (const TaskId load : loads_) {
      const double share = waited > 0 ? static_cast<double>(plan_.Own(load)) / waited : 0;
      plan_.SetDuration(load, {wait * share, wait * share, slow * share}, change_);
    }
  }

  // A load that makes the step as long as it is at worst: the host slower, and batches taken out of
  // a queue by whoever made them itself, which nothing here shows. The device is still busy during
  // the first part of a load.
  double LoadAtWorst(double waited, double load_time) const {
    constexpr double kTaking = 0.03;
    const double taking = now_ == 0 ? kTaking * load_time : 0;
    const double longer = rest_beside_ - rest_ + taking;
    if (longer <= 0) return 0;
    const double as_it_is = static_cast<double>(plan_.TryLength([](GraphEdit&) {}));
    const double hidden = std::clamp(waited - (as_it_is - rest_), 0.0, waited);
    return hidden + longer;
  }

  Plan& plan_;
  const WhatIfValues& values_;
  const std::vector<TaskId>& loads_;
  const std::uint32_t workers_, now_;
  const ChangeId change_;
  const double rest_, rest_beside_;
};

Applied ApplyLoader(Plan& plan, const WhatIfValues& values) {
  const std::vector<TaskId> loads = plan.Select(Selector::Kind(TaskKind::kLoad));
  if (loads.empty()) return Applied::No("the trace shows no time in which data is loaded");
  if (!plan.unit().is_step)
    return Applied::No("without steps nothing tells what a batch belongs to");
  return MoreWorkers(plan, values, loads).Apply();
}

}  // namespace

const WhatIf kLoader = {
    "loader",
    "Data-loader workers",
    "batches are made by several workers beside the steps",
    kStructural,
    "ranges around data loading",
    Effort::kFlag,
    {"loader workers", "DataLoader(num_workers=N)", "load on threads beside the loop"},
    kLoaderOptions,
    ApplyLoader};

}  // namespace xsp
