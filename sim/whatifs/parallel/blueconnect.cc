#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "sim/whatifs/all.h"
#include "sim/whatifs/parallel/gradients.h"
#include "sim/whatifs/parallel/side_stream.h"

// BlueConnect: an all-reduce over machines becomes stages, each on links of its own: a
// reduce-scatter inside of the machine, both halves of an all-reduce between machines, an
// all-gather inside. Stages of different buckets run beside each other.
namespace xsp {
namespace {

constexpr WhatIfOption kBlueconnectOptions[] = {
    {"gpus", "16", "how many GPUs in all"},
    {"per-machine", "8", "how many of them in one machine"},
    {"link", "", "bandwidth between GPUs of a machine, one direction: 200GB; by default the GPU's"},
    {"network", "100Gbit", "bandwidth between machines, for each GPU"},
    {"bucket", "25MB", "size of a bucket"},
    {"first-bucket", "1MB", "size of the first bucket"},
    {"parameters", "", "how many the model has; by default what the trace tells"},
    {"bytes", "4", "bytes of a gradient element"}};

struct Stage {
  const char* name;
  double ns = 0;
  bool is_inside = true;
};

std::array<Stage, 4> StagesOf(double bytes, const Links& links) {
  Links inside = links;
  inside.gpus = links.per_machine;
  Links between = links;
  between.gpus = links.machines();
  between.per_machine = 1;
  const double part = bytes / links.per_machine;
  return {
      {{"ncclDevKernel_ReduceScatter", RingNs(Collective::kReduceScatter, bytes, inside), true},
       {"ncclDevKernel_ReduceScatter", RingNs(Collective::kReduceScatter, part, between), false},
       {"ncclDevKernel_AllGather", RingNs(Collective::kAllGather, part, between), false},
       {"ncclDevKernel_AllGather", RingNs(Collective::kAllGather, bytes, inside), true}}};
}

class Stages {
 public:
  Stages(Plan& plan, const WhatIfValues& values) : plan_(plan), values_(values) {}

  Applied Apply() {
    links_ = LinksAsked(plan_, values_, "blueconnect");
    if (links_.machines() < 2 || links_.per_machine < 2) {
      return Applied::No("it needs several machines with several GPUs each: gpus=, per-machine=");
    }
    if (!CollectivesOf(plan_).empty()) {
      return Applied::No("it starts from a trace of one GPU, and this one exchanges data already");
    }
    const Gradients gradients =
        FindGradients(plan_, ParametersAsked(plan_, values_), values_.Number("bytes"));
    if (gradients.empty() || !plan_.machine().has_backward) {
      return Applied::No(
          "no backward pass, or nothing tells how large the gradients are: "
          "parameters=");
    }
    change_ = plan_.AddChange("exchange in stages over " + std::to_string(links_.gpus) + " GPUs",
                              "inserted");
    for (const auto& [step, of_step] : gradients) Exchange(of_step);
    Say();
    return Applied::Yes();
  }

 private:
  void MakeStreams(std::uint32_t compute) {
    if (has_streams_) return;
    has_streams_ = true;
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      streams_[i] = plan_.edit().AddStream(compute, "stage " + std::to_string(i + 1));
    }
    // Both stages inside share the machine's links, both between share the network.
    inside_ = plan_.edit().AddChannel("links inside");
    between_ = plan_.edit().AddChannel("network");
  }

  void Exchange(const std::vector<Gradient>& gradients) {
    std::vector<double> bytes;
    for (const Gradient& gradient : gradients) bytes.push_back(gradient.bytes);
    TaskId last;
    std::uint32_t compute = 0;
    for (const Bucket& bucket :
         GradientBuckets(bytes, values_.Bytes("bucket"), values_.Bytes("first-bucket"))) {
      const TaskId kernel = gradients[bucket.last].kernel;
      compute = plan_.graph().lane[kernel];
      MakeStreams(compute);
      last = Send(plan_.CallOf(kernel), compute, bucket.bytes);
    }
    if (last.valid()) InsertStreamWait(plan_, last, compute, streams_.back(), change_);
  }

  // Gives back the last call that was put in.
  TaskId Send(TaskId behind, std::uint32_t compute, double bytes) {
    std::uint32_t before = compute;
    std::size_t i = 0;
    for (const Stage& stage : StagesOf(bytes, links_)) {
      const std::uint32_t stream = streams_[i++];
      const TaskId wait = InsertStreamWait(plan_, behind, stream, before, change_);
      NewKernel kernel;
      kernel.name = stage.name;
      kernel.kind.kernel_class = KernelClass::kCollective;
      kernel.ns = {stage.ns, stage.ns * 0.9, stage.ns * 1.3};
      kernel.stream = stream;
      const TaskId op = plan_.InsertKernelAfter(wait, kernel, change_);
      plan_.edit().JoinChannel(op, stage.is_inside ? inside_ : between_);
      behind = plan_.edit().CallOf(op);
      before = stream;
    }
    return behind;
  }

  void Say() {
    plan_.RestsOn(kInserted);
    plan_.MultiplyWork(links_.gpus);
    plan_.Assume("every GPU does what this one did: the same batch each, " +
                 std::to_string(links_.gpus) + " times the work in a step");
    plan_.Assume("links by " + links_.source + "; kernels beside a stage are not slowed down");
    plan_.MakesSurer("held against --ddp with the same options: what the stages gain");
    if (!values_.IsGiven("parameters")) {
      plan_.Assume("the number of parameters comes from " + plan_.machine().parameters_source);
      plan_.MakesSurer("--blueconnect=parameters=...");
    }
  }

  Plan& plan_;
  const WhatIfValues& values_;
  Links links_;
  ChangeId change_ = 0;
  std::array<std::uint32_t, 4> streams_{};
  std::uint32_t inside_ = 0, between_ = 0;
  bool has_streams_ = false;
};

Applied ApplyBlueConnect(Plan& plan, const WhatIfValues& values) {
  return Stages(plan, values).Apply();
}

}  // namespace

const WhatIf kBlueConnect = {"blueconnect",
                             "BlueConnect",
                             "data-parallel on several machines, each all-reduce in stages",
                             kInserted,
                             "a backward pass; the number of parameters and bandwidths",
                             Effort::kMachines,
                             {},
                             kBlueconnectOptions,
                             ApplyBlueConnect,
                             /*is_advice=*/false};

}  // namespace xsp
