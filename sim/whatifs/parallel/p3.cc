#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "sim/whatifs/all.h"
#include "sim/whatifs/parallel/gradients.h"
#include "sim/whatifs/parallel/side_stream.h"
#include "sim/whatifs/parallel/training_pass.h"

// P3: gradients go to parameter servers and weights come back in slices, those that the next
// forward pass needs first before the others.
namespace xsp {
namespace {

constexpr WhatIfOption kP3Options[] = {
    {"network", "10Gbit", "bandwidth of a worker, each direction"},
    {"slice", "4MB", "largest piece that is sent at once"},
    {"priorities", "yes", "the first layers go first: yes, no"},
    {"parameters", "", "how many the model has; by default what the trace tells"},
    {"bytes", "4", "bytes of a gradient element"}};

class ParameterServer {
 public:
  ParameterServer(Plan& plan, const WhatIfValues& values)
      : plan_(plan),
        bandwidth_(values.Bandwidth("network")),
        slice_(values.Bytes("slice")),
        with_priorities_(values.Text("priorities") != "no"),
        values_(values) {}

  Applied Apply() {
    if (!CollectivesOf(plan_).empty()) {
      return Applied::No("it starts from a trace of one GPU, and this one exchanges data already");
    }
    const std::vector<TrainingPass> passes = FindPasses(plan_);
    if (passes.size() < 2) {
      return Applied::No("it needs two steps: what one exchanges the next one waits for");
    }
    Gradients gradients =
        FindGradients(plan_, ParametersAsked(plan_, values_), values_.Number("bytes"));
    if (gradients.empty()) {
      return Applied::No("nothing tells how large the gradients are: parameters=");
    }
    change_ = plan_.AddChange("slices to and from the servers", "inserted");
    push_ = plan_.edit().AddChannel("to the servers");
    pull_ = plan_.edit().AddChannel("from the servers");
    KeepTransfersOffTheDriver(plan_.graph().lane[passes.front().forward.front()]);
    for (std::size_t i = 0; i < passes.size(); ++i) {
      const bool is_followed = i + 1 < passes.size() && passes[i + 1].device == passes[i].device &&
                               passes[i + 1].step == passes[i].step + 1;
      Exchange(passes[i], is_followed ? &passes[i + 1] : nullptr, gradients[passes[i].step]);
    }
    Say();
    return Applied::Yes();
  }

 private:
  // Transfers are no work of the GPU, though streams stand for them here: one that waits long holds
  // up no launches, and a call that waits for the device does not wait for them.
  void KeepTransfersOffTheDriver(std::uint32_t compute) {
    plan_.edit().Ignore(Rule::kLaunchQueue);
    const std::uint32_t context = plan_.graph().streams[compute].context;
    for (const TaskId call : plan_.Select(Selector::Host())) {
      Question question = plan_.edit().QuestionOf(call);
      if (question.ask != Ask::kContext || question.target != context) continue;
      question.ask = Ask::kStream;
      question.target = compute;
      plan_.edit().SetQuestion(call, question);
    }
  }

  // The streams of one gradient, there and back; the same ones in every step.
  struct Ways {
    std::uint32_t push, pull;
  };
  Ways WaysOf(std::size_t gradient, std::uint32_t compute) {
    while (ways_.size() <= gradient) {
      const std::string number = std::to_string(ways_.size() + 1);
      ways_.push_back({plan_.edit().AddStream(compute, "push " + number),
                       plan_.edit().AddStream(compute, "pull " + number)});
    }
    return ways_[gradient];
  }

  void Exchange(const TrainingPass& pass, const TrainingPass* next,
                const std::vector<Gradient>& gradients) {
    std::map<TaskId, std::size_t> place;
    for (std::size_t i = 0; i < pass.backward.size(); ++i) place[pass.backward[i]] = i;
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      const TaskId kernel = gradients[i].kernel;
      if (plan_.graph().DeviceOf(kernel) != pass.device) continue;
      const std::uint32_t compute = plan_.graph().lane[kernel];
      const Ways ways = WaysOf(i, compute);
      // The gradients of the first layers come last.
      Send(kernel, gradients[i].bytes, ways, static_cast<std::int32_t>(i));
      const auto found = place.find(kernel);
      if (next == nullptr || found == place.end()) continue;
      const TaskId user = next->forward[next->ForwardOf(pass.BackwardEnd(found->second))];
      InsertStreamWaitBefore(plan_, plan_.CallOf(user), plan_.graph().lane[user], ways.pull,
                             change_);
    }
  }

  // The exchange is the work of other threads: it costs the training's thread nothing.
  TaskId Transfer(TaskId behind, std::uint32_t stream, std::uint32_t channel, double bytes,
                  std::int32_t priority, const char* name) {
    NewCall call;
    call.label = name;
    const TaskId issued = plan_.InsertCallAfter(behind, call, change_);
    NewKernel kernel;
    kernel.name = name;
    kernel.kind.kernel_class = KernelClass::kCollective;
    const double ns = bytes / bandwidth_ * 1e9;
    kernel.ns = {ns, ns * 0.9, ns * 1.3};
    kernel.stream = stream;
    const TaskId op = plan_.IssueKernel(issued, kernel, change_);
    plan_.edit().JoinChannel(op, channel, with_priorities_ ? priority : 0);
    return issued;
  }

  void Send(TaskId kernel, double bytes, const Ways& ways, std::int32_t priority) {
    const double slices = std::max(1.0, std::ceil(bytes / slice_));
    TaskId behind = InsertStreamWait(plan_, plan_.CallOf(kernel), ways.push,
                                     plan_.graph().lane[kernel], change_);
    for (int i = 0; i < static_cast<int>(slices); ++i) {
      behind = Transfer(behind, ways.push, push_, bytes / slices, priority, "p3_push");
      behind = InsertStreamWait(plan_, behind, ways.pull, ways.push, change_);
      behind = Transfer(behind, ways.pull, pull_, bytes / slices, priority, "p3_pull");
    }
  }

  void Say() {
    plan_.RestsOn(kInserted);
    plan_.Assume("each layer waits for its own weights only; the servers cost no time");
    plan_.Assume("weights are used in the reverse order in which their gradients are made");
    plan_.Assume("the host runs ahead of the GPU as far as it can");
    plan_.Assume("the update takes the GPU as long as now and waits for nobody");
    plan_.Caution(
        "above 10 Gbit/s servers and the workers' control become the limit: the paper's "
        "forecasts were up to 16 % too fast there");
    if (!values_.IsGiven("parameters")) {
      plan_.Assume("the number of parameters comes from " + plan_.machine().parameters_source);
      plan_.MakesSurer("--p3=parameters=...");
    }
  }

  Plan& plan_;
  const double bandwidth_, slice_;
  const bool with_priorities_;
  const WhatIfValues& values_;
  ChangeId change_ = 0;
  std::uint32_t push_ = 0, pull_ = 0;
  std::vector<Ways> ways_;
};

Applied ApplyP3(Plan& plan, const WhatIfValues& values) {
  return ParameterServer(plan, values).Apply();
}

}  // namespace

const WhatIf kP3 = {"p3",
                    "P3",
                    "parameter servers: gradients in slices, the first layers first",
                    kInserted,
                    "training steps; the number of parameters",
                    Effort::kMachines,
                    {},
                    kP3Options,
                    ApplyP3,
                    /*is_advice=*/false};

}  // namespace xsp
