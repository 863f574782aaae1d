#include "sim/models/communication.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "sim/whatifs/all.h"

// Communication that is in the trace: a faster network, other buckets.
namespace xsp {
namespace {

constexpr WhatIfOption kNetworkOptions[] = {
    {"factor", "2", "how many times as fast"},
    {"latency", "20us", "what a collective takes without any bytes; does not shrink"}};
constexpr WhatIfOption kBucketOptions[] = {
    {"merge", "2", "how many collectives that follow each other become one"},
    {"latency", "20us", "what a collective takes without any bytes"}};

std::vector<TaskId> Collectives(const Plan& plan) {
  return plan.Select(Selector::Class(KernelClass::kCollective));
}

constexpr char kNone[] = "no collectives between GPUs in this part of the trace";

// A rank that comes first waits inside its kernel; the graph has that as an edge where it knows all
// ranks. Where it does not, the wait is part of the kernel's time.
void CautionWaits(Plan& plan) {
  if (!plan.graph().collectives.empty()) return;
  plan.Caution("only one rank was traced: what its collectives wait for others counts as transfer");
}

Applied ApplyNetwork(Plan& plan, const WhatIfValues& values) {
  const double factor = values.Number("factor");
  if (factor <= 0) throw Error("--network=" + values.Text("factor") + " must be above 0", "");
  const std::vector<TaskId> ops = Collectives(plan);
  if (ops.empty()) return Applied::No(kNone);
  const double latency = values.Nanoseconds("latency");
  const ChangeId change =
      plan.AddChange("collectives, network × " + values.Text("factor"), "class=collective");
  for (const TaskId op : ops) {
    const double ns = static_cast<double>(plan.Own(op));
    const double fixed = std::min(ns, latency);
    const double then = fixed + (ns - fixed) / factor;
    plan.SetDuration(op, {then, ns / factor, std::max(then, (then + ns) / 2)}, change);
  }
  CautionWaits(plan);
  plan.RestsOn(kScaling);
  plan.Assume("only the transfer of bytes gets faster, not the latency");
  return Applied::Yes();
}

// Collectives of one stream and step that follow each other: the last of each group carries the
// bytes of all, and the others go.
Applied ApplyBuckets(Plan& plan, const WhatIfValues& values) {
  const std::uint32_t merge = values.Count("merge");
  const double latency = values.Nanoseconds("latency");
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<TaskId>> groups;
  for (const TaskId op : Collectives(plan)) {
    groups[{plan.graph().lane[op], plan.facts()[op].step}].push_back(op);
  }
  if (groups.empty()) return Applied::No(kNone);
  if (merge < 2) return Applied::No("one collective each is what there is now");
  const ChangeId change = plan.AddChange("collectives merged", "class=collective");
  std::size_t merged = 0;
  for (auto& [place, ops] : groups) {
    for (std::size_t first = 0; first < ops.size(); first += merge) {
      const std::size_t last = std::min(first + merge, ops.size()) - 1;
      if (first == last) continue;
      double ns = 0;
      for (std::size_t i = first; i <= last; ++i) ns += static_cast<double>(plan.Own(ops[i]));
      ns -= latency * static_cast<double>(last - first);
      plan.SetDuration(ops[last], {std::max(0.0, ns), std::max(0.0, ns) * 0.9, ns * 1.1}, change);
      for (std::size_t i = first; i < last; ++i) plan.RemoveWithHost(ops[i], change);
      merged += last - first;
    }
  }
  if (merged == 0) return Applied::No("no two collectives follow each other in a step");
  CautionWaits(plan);
  plan.RestsOn(kStructural | kScaling);
  plan.Assume("a merged collective begins where the last of its parts did");
  return Applied::Yes();
}

}  // namespace

const WhatIf kNetwork = {"network",
                         "Faster network",
                         "collectives between GPUs N times as fast",
                         kScaling,
                         "collectives in the trace",
                         Effort::kMachines,
                         {},
                         kNetworkOptions,
                         ApplyNetwork,
                         /*is_advice=*/false};

const WhatIf kBuckets = {
    "buckets",
    "Larger buckets",
    "collectives that follow each other become one",
    kStructural | kScaling,
    "collectives in the trace",
    Effort::kFlag,
    {"larger buckets", "DistributedDataParallel(bucket_cap_mb=N)", "one collective for several"},
    kBucketOptions,
    ApplyBuckets};

}  // namespace xsp
