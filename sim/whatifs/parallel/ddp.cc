#include <algorithm>
#include <string>
#include <vector>

#include "sim/models/communication.h"
#include "sim/whatifs/all.h"
#include "sim/whatifs/parallel/gradients.h"
#include "sim/whatifs/parallel/side_stream.h"

// Data-parallel training from a trace of one GPU: gradients are summed over all
// GPUs, bucket by bucket, on a stream of their own while the backward pass goes
// on.
namespace xsp {
namespace {

constexpr WhatIfOption kDdpOptions[] = {
    {"gpus", "2", "how many GPUs in all"},
    {"per-machine", "8", "how many of them in one machine"},
    {"link", "",
     "bandwidth between GPUs of a machine, one direction: 200GB; by default "
     "the GPU's"},
    {"network", "100Gbit", "bandwidth between machines, for each GPU"},
    {"latency", "", "of one step of a ring: 5us"},
    {"bucket", "25MB", "size of a bucket"},
    {"first-bucket", "1MB", "size of the first bucket"},
    {"parameters", "", "how many the model has; by default what the trace tells"},
    {"bytes", "4", "bytes of a gradient element"},
    {"interference", "yes", "kernels and collectives hold each other up: yes, no"}};

class DataParallel {
 public:
  // `classic`: the paper's formula, one ring over all GPUs at the network's
  // bandwidth, no latency.
  DataParallel(Plan& plan, const WhatIfValues& values, bool classic)
      : plan_(plan),
        values_(values),
        classic_(classic),
        graph_(plan.graph()),
        facts_(plan.facts()) {}

  Applied Apply() {
    links_ = LinksOfRing();
    if (links_.gpus < 2) return Applied::No("one GPU exchanges nothing");
    if (!CollectivesOf(plan_).empty()) {
      return Applied::No(
          "it exchanges data between GPUs already: --network and --buckets change that");
    }
    if (!plan_.machine().has_backward) return Applied::No("no backward pass: nothing to exchange");
    gradients_ = FindGradients(plan_, ParametersAsked(plan_, values_), values_.Number("bytes"));
    if (gradients_.empty()) {
      return Applied::No("nothing tells how large the gradients are: give parameters=...");
    }
    change_ =
        plan_.AddChange("all-reduce over " + std::to_string(links_.gpus) + " GPUs", "inserted");
    for (auto& [step, gradients] : gradients_) AddExchange(gradients);
    if (!classic_ && values_.Text("interference") != "no") AddInterference();
    Say();
    return Applied::Yes();
  }

 private:
  Links LinksOfRing() const {
    Links links = LinksAsked(plan_, values_, "ddp");
    if (classic_) {
      links.per_machine = 1;
      links.between = values_.Bandwidth("network");
      links.between_latency_ns = 0;
      return links;
    }
    if (values_.IsGiven("latency")) {
      links.inside_latency_ns = links.between_latency_ns = values_.Nanoseconds("latency");
    }
    return links;
  }

  void AddExchange(const std::vector<Gradient>& gradients) {
    std::vector<double> bytes;
    for (const Gradient& gradient : gradients) bytes.push_back(gradient.bytes);
    const std::vector<Bucket> buckets =
        GradientBuckets(bytes, values_.Bytes("bucket"), values_.Bytes("first-bucket"));
    TaskId last_call;
    std::uint32_t compute = 0;
    for (const Bucket& bucket : buckets) {
      const TaskId kernel = gradients[bucket.last].kernel;
      compute = graph_.lane[kernel];
      last_call = AddAllReduce(plan_.CallOf(kernel), compute, bucket.bytes);
    }
    // The optimizer waits for the last of them.
    InsertStreamWait(plan_, last_call, compute, stream_, change_);
  }

  // Gives back the call that issues it.
  TaskId AddAllReduce(TaskId behind, std::uint32_t compute, double bytes) {
    if (!has_stream_) {
      stream_ = plan_.edit().AddStream(compute, "NCCL");
      has_stream_ = true;
    }
    const TaskId wait = InsertStreamWait(plan_, behind, stream_, compute, change_);
    NewKernel kernel;
    kernel.name = "ncclDevKernel_AllReduce";
    kernel.kind.kernel_class = KernelClass::kCollective;
    const double ns = CollectiveNs(Collective::kAllReduce, bytes, links_);
    kernel.ns = {ns, ns * 0.9, ns * 1.3};
    kernel.stream = stream_;
    collectives_.push_back(plan_.InsertKernelAfter(wait, kernel, change_));
    return plan_.edit().CallOf(collectives_.back());
  }

  // Whatever runs beside a collective shares multiprocessors and memory with
  // it. Who runs beside whom is read off a trial without interference.
  void AddInterference();

  void Say() {
    plan_.RestsOn(kInserted);
    plan_.Assume("every GPU does what this one did: the same batch each, " +
                 std::to_string(links_.gpus) + " times the work in a step");
    plan_.Assume("a ring over links by " + links_.source + ", and a latency for each of its steps");
    plan_.MultiplyWork(links_.gpus);
    if (!values_.IsGiven("parameters")) {
      plan_.Assume("the number of parameters comes from " + plan_.machine().parameters_source);
      plan_.MakesSurer("--ddp=parameters=...");
    }
    if (!values_.IsGiven("link") || !values_.IsGiven("network")) {
      plan_.MakesSurer("measured bandwidths (nccl-tests): --ddp=link=...,network=...");
    }
  }

  Plan& plan_;
  const WhatIfValues& values_;
  const bool classic_;
  const TaskGraph& graph_;
  const WorkFacts& facts_;
  Links links_;
  Gradients gradients_;
  std::uint32_t stream_ = 0;
  bool has_stream_ = false;
  ChangeId change_ = 0;
  std::vector<TaskId> collectives_;
};

void DataParallel::AddInterference() {
  const Interference factor = UsualInterference();
  const Trial trial = plan_.Try();
  std::vector<std::pair<SimTime, SimTime>> busy;
  for (const TaskId op : collectives_) busy.push_back({trial.Begin(op), trial.Finish(op)});
  std::sort(busy.begin(), busy.end());
  // The share of a task's time in which one of the collectives ran.
  auto overlap = [&](SimTime begin, SimTime end) {
    DurationNs sum = 0;
    for (const auto& [from, to] : busy) {
      if (from >= end) break;
      sum += std::max<DurationNs>(0, std::min(to, end) - std::max(from, begin));
    }
    return end > begin ? std::min(1.0, static_cast<double>(sum) / static_cast<double>(end - begin))
                       : 0;
  };
  const ChangeId slower = plan_.AddChange("kernels beside a collective", "overlap");
  for (const TaskId op : plan_.KernelsInOrder()) {
    const double share = overlap(trial.Begin(op), trial.Finish(op));
    if (share <= 0) continue;
    const bool is_matrix = facts_[op].kind.kernel_class == KernelClass::kGemm ||
                           facts_[op].kind.kernel_class == KernelClass::kConv;
    const double by = is_matrix ? factor.compute_matrix : factor.compute_other;
    const double ns = static_cast<double>(plan_.Own(op));
    plan_.SetDuration(op, {ns * (1 + share * (by - 1)), ns, ns * (1 + 2 * share * (by - 1))},
                      slower);
  }
  plan_.Assume(
      "kernels beside a collective take 1.2 to 1.3 times as long, as "
      "others measured it");
}

Applied ApplyDdp(Plan& plan, const WhatIfValues& values) {
  return DataParallel(plan, values, /*classic=*/false).Apply();
}

Applied ApplyClassicDdp(Plan& plan, const WhatIfValues& values) {
  return DataParallel(plan, values, /*classic=*/true).Apply();
}

}  // namespace

const WhatIf kDdp = {"ddp",
                     "Data-parallel training",
                     "the same training on several GPUs, gradients summed bucket by bucket",
                     kInserted,
                     "a backward pass; the number of parameters and bandwidths, or what is "
                     "usual",
                     Effort::kMachines,
                     {},
                     kDdpOptions,
                     ApplyDdp,
                     /*is_advice=*/false,
                     ApplyClassicDdp};

}  // namespace xsp
