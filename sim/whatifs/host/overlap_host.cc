#include <algorithm>
#include <vector>

#include "sim/whatifs/all.h"

// The host prepares the next step while this one runs: what it does between its last wait for the
// device in a step and the first kernel of the next (taking results, scheduling, making inputs)
// goes to another thread, as serving engines do with asynchronous scheduling.
namespace xsp {
namespace {

// What a thread does between two steps.
struct Between {
  std::vector<TaskId> tasks;  // Calls that launch no kernel, with the untraced time before each.
  TaskId launch;              // The next step's first; the untraced time before it belongs here.
};

bool LaunchesKernel(const TaskGraph& graph, TaskId host) {
  for (TaskId op : graph.OpsOf(host)) {
    if (graph.kind[op] == TaskKind::kKernel) return true;
    if (graph.op_class[graph.RowOf(op)] == OpClass::kGraph) return true;
  }
  return false;
}

std::vector<Between> FindBetween(const Plan& plan) {
  const TaskGraph& graph = plan.graph();
  std::vector<Between> found;
  for (const GraphThread& thread : graph.threads) {
    TaskId wait;
    Between open;
    for (TaskId host : thread.tasks()) {
      if (graph.kind[host] == TaskKind::kCall && IsWait(graph.question[host].ask)) {
        wait = host;
        open = {};
      } else if (!wait.valid()) {
        continue;
      } else if (!LaunchesKernel(graph, host)) {
        open.tasks.push_back(host);
      } else {
        const bool is_next = plan.facts()[wait].step != plan.facts()[host].step;
        open.launch = host;
        if (is_next) found.push_back(std::move(open));
        wait = {};
        open = {};
      }
    }
  }
  return found;
}

Applied ApplyOverlapHost(Plan& plan, const WhatIfValues&) {
  if (!plan.unit().is_step) {
    return Applied::No("without steps nothing tells what the host does between them");
  }
  if (plan.unit().steps.kind.empty()) {
    return Applied::No("these are no steps of a serving engine that are prepared on the host");
  }
  const std::vector<Between> between = FindBetween(plan);
  DurationNs all = 0;
  for (const Between& one : between) {
    for (TaskId task : one.tasks) all += plan.Own(task) + plan.Gap(task);
    all += plan.Gap(one.launch);
  }
  if (all <= 0) {
    return Applied::No(
        "the host does not wait for the device between steps: it is a step ahead already");
  }
  const double moved = static_cast<double>(all) / plan.step_count();
  const auto rest = static_cast<double>(plan.TryLength([&](GraphEdit& edit) {
    for (const Between& one : between) {
      for (TaskId task : one.tasks) {
        edit.SetOwn(task, 0);
        edit.SetGap(task, 0);
      }
      edit.SetGap(one.launch, 0);
    }
  }));
  // What takes longer than the step that it runs beside is waited for.
  const double left = std::max(0.0, moved - rest) / moved;
  const ChangeId change = plan.AddChange("host work between steps → beside them",
                                         "between the last wait of a step and the next kernel");
  const auto part = [&](DurationNs ns) {
    return static_cast<DurationNs>(static_cast<double>(ns) * left);
  };
  for (const Between& one : between) {
    for (TaskId task : one.tasks) {
      // At the slow end the two threads hold each other up.
      const auto own = static_cast<double>(plan.Own(task));
      plan.SetDuration(task, {own * left, own * left, own * (left + (1 - left) / 4)}, change);
      plan.SetGap(task, part(plan.Gap(task)), change);
    }
    plan.SetGap(one.launch, part(plan.Gap(one.launch)), change);
  }
  plan.RestsOn(kStructural);
  plan.Assume("another thread takes results and prepares the next step while this one runs");
  plan.Assume("what the next step needs of this one (sampled tokens) stays on the device");
  plan.Caution(
      "what a step returns decides nothing about the next one but its inputs: requests "
      "that end are noticed a step later");
  return Applied::Yes();
}

}  // namespace

const WhatIf kOverlapHost = {"overlap-host",
                             "Host beside the steps",
                             "the next step is prepared while this one runs",
                             kStructural,
                             "steps, and waits for the device between them",
                             Effort::kLines,
                             {"next step prepared early",
                              "--async-scheduling (vLLM), overlap schedule (SGLang, TensorRT-LLM)",
                              "a thread that prepares the next step"},
                             {},
                             ApplyOverlapHost};

}  // namespace xsp
