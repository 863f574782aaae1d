#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"
#include "sim/whatifs/all.h"
#include "sim/whatifs/parallel/gradients.h"

// Deep gradient compression: only the largest gradients are sent, with their places. Kernels pick
// them before each exchange and spread them behind it.
namespace xsp {
namespace {

constexpr WhatIfOption kDgcOptions[] = {
    {"share", "1%", "of the gradients that are sent"},
    {"latency", "20us", "what a collective takes without any bytes; does not shrink"},
    {"parameters", "", "how many the model has; by default what the trace tells"}};

NewKernel Pass(const Plan& plan, TaskId exchange, std::string name, double bytes) {
  const double ns = plan.machine().memory.StreamNs(bytes);
  NewKernel kernel;
  kernel.name = std::move(name);
  kernel.kind.kernel_class = KernelClass::kElementwise;
  kernel.kind.precision = Precision::kFp32;
  kernel.ns = {ns, ns * 0.5, ns * 2};
  kernel.stream = plan.graph().lane[exchange];
  return kernel;
}

Applied ApplyDgc(Plan& plan, const WhatIfValues& values) {
  const double share = values.Number("share");
  if (share <= 0 || share > 1) throw Error("--dgc: share must be above 0 and at most 1", "");
  std::vector<TaskId> exchanges = CollectivesOf(plan);
  std::erase_if(exchanges, [&](TaskId op) {
    return CollectiveOf(plan.facts().Name(op)).value_or(Collective::kAllReduce) !=
           Collective::kAllReduce;
  });
  if (exchanges.empty() && !CollectivesOf(plan).empty()) {
    return Applied::No("its collectives are no all-reduces of gradients");
  }
  if (exchanges.empty()) {
    return Applied::No("no all-reduce of gradients: from one GPU ask --ddp=gpus=8 --dgc");
  }
  const double parameters = ParametersAsked(plan, values);
  if (parameters <= 0) return Applied::No("nothing tells how large the gradients are: parameters=");
  double all = 0;
  for (const TaskId op : exchanges) all += static_cast<double>(plan.Own(op));
  const double latency = values.Nanoseconds("latency");
  const ChangeId sent = plan.AddChange("all-reduces of few gradients", "class=collective");
  const ChangeId passes = plan.AddChange("gradients picked and spread", "inserted");
  for (const TaskId op : exchanges) {
    const double ns = static_cast<double>(plan.Own(op));
    const double fixed = std::min(ns, latency);
    // A value and its place: twice the bytes for each that is sent. Not slower than sending all.
    const double then = std::min(ns, fixed + (ns - fixed) * share * 2);
    plan.SetDuration(op, {then, std::min(then, fixed), std::max(then, (then + ns) / 2)}, sent);
    const double bytes = 4 * parameters * plan.step_count() * ns / all;
    // Momentum and what was not sent are read and written with the gradient: five passes.
    const TaskId call = plan.CallOf(op);
    plan.InsertKernelBefore(call, Pass(plan, op, "dgc_compress", 5 * bytes), passes);
    plan.InsertKernelAfter(call, Pass(plan, op, "dgc_decompress", bytes), passes);
  }
  plan.RestsOn(kScaling | kInserted);
  plan.Assume("each all-reduce carries its share of the parameters by its time, 4 bytes each");
  plan.Assume("picking reads and writes gradient, momentum and remainder: five passes of memory");
  if (!values.IsGiven("parameters")) plan.MakesSurer("--dgc=parameters=...");
  plan.Caution("how well it still learns is not part of a forecast");
  return Applied::Yes();
}

}  // namespace

const WhatIf kDgc = {"dgc",
                     "Deep gradient compression",
                     "only the largest gradients are exchanged",
                     kScaling | kInserted,
                     "all-reduces in the trace, or --ddp before it; the number of parameters",
                     Effort::kDays,
                     {},
                     kDgcOptions,
                     ApplyDgc,
                     /*is_advice=*/false};

}  // namespace xsp
