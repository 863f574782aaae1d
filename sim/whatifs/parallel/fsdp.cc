#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"
#include "sim/whatifs/all.h"
#include "sim/whatifs/parallel/gradients.h"
#include "sim/whatifs/parallel/side_stream.h"
#include "sim/whatifs/parallel/training_pass.h"

// ZeRO and FSDP: every GPU keeps a share of the optimizer's state (stage 1), of the gradients (2)
// and of the weights (3), and gathers the rest when it is needed.
namespace xsp {
namespace {

constexpr WhatIfOption kFsdpOptions[] = {
    {"gpus", "8", "how many GPUs in all"},
    {"stage", "3", "what is shared: 1 optimizer state, 2 gradients too, 3 weights too"},
    {"units", "12", "pieces of the model that are gathered at once"},
    {"per-machine", "8", "how many GPUs in one machine"},
    {"link", "", "bandwidth between GPUs of a machine, one direction: 200GB; by default the GPU's"},
    {"network", "100Gbit", "bandwidth between machines, for each GPU"},
    {"parameters", "", "how many the model has; by default what the trace tells"},
    {"bytes", "4", "bytes of a weight and of a gradient as they are exchanged"}};

class Sharded {
 public:
  Sharded(Plan& plan, const WhatIfValues& values)
      : plan_(plan), values_(values), stage_(values.Count("stage")) {
    if (stage_ < 1 || stage_ > 3)
      throw Error("--fsdp: there is no stage " + values.Text("stage"), "");
    if (values.Count("units") == 0) throw Error("--fsdp: units must be at least 1", "");
  }

  Applied Apply() {
    links_ = LinksAsked(plan_, values_, "fsdp");
    if (links_.gpus < 2) return Applied::No("one GPU has nothing to share");
    if (!CollectivesOf(plan_).empty()) {
      return Applied::No("it starts from a trace of one GPU, and this one exchanges data already");
    }
    parameters_ = ParametersAsked(plan_, values_);
    if (parameters_ <= 0) return Applied::No("nothing tells how large the model is: parameters=");
    const std::vector<TrainingPass> passes = FindPasses(plan_);
    if (passes.empty()) return Applied::No("no step with a forward and a backward pass");
    gather_ = plan_.AddChange("all-gather of weights", "inserted");
    scatter_ = plan_.AddChange("reduce-scatter of gradients", "inserted");
    stream_ = plan_.edit().AddStream(plan_.graph().lane[passes.front().forward.front()], "NCCL");
    for (const TrainingPass& pass : passes) Exchange(pass);
    ShareUpdate();
    Say();
    return Applied::Yes();
  }

 private:
  double Bytes(const LayerPiece& piece) const {
    return piece.share * parameters_ * values_.Number("bytes");
  }
  NewKernel Kernel(Collective of, double bytes) const {
    const double ns = CollectiveNs(of, bytes, links_);
    NewKernel kernel;
    kernel.name =
        of == Collective::kAllGather ? "ncclDevKernel_AllGather" : "ncclDevKernel_ReduceScatter";
    kernel.kind.kernel_class = KernelClass::kCollective;
    kernel.ns = {ns, ns * 0.9, ns * 1.3};
    kernel.stream = stream_;
    return kernel;
  }
  std::uint32_t Lane(TaskId op) const { return plan_.graph().lane[op]; }

  // Gathered while the piece before it is worked on: issued when the host comes to that one, and no
  // sooner than the GPU does.
  void Gather(const std::vector<TaskId>& starts, const std::vector<double>& bytes) {
    for (std::size_t i = 0; i < starts.size(); ++i) {
      const TaskId early = plan_.CallOf(starts[i == 0 ? 0 : i - 1]);
      InsertStreamWaitBefore(plan_, early, stream_, Lane(starts[i]), gather_);
      plan_.InsertKernelBefore(early, Kernel(Collective::kAllGather, bytes[i]), gather_);
      InsertStreamWaitBefore(plan_, plan_.CallOf(starts[i]), Lane(starts[i]), stream_, gather_);
    }
  }

  void Exchange(const TrainingPass& pass) {
    std::vector<LayerPiece> pieces = CutPass(pass, values_.Count("units"));
    std::vector<TaskId> starts;
    std::vector<double> bytes;
    for (const LayerPiece& piece : pieces) {
      starts.push_back(pass.forward[piece.forward_begin]);
      bytes.push_back(Bytes(piece));
    }
    if (stage_ < 3) {
      // The whole of the weights once, before the forward pass.
      Gather({starts.front()}, {parameters_ * values_.Number("bytes")});
    } else {
      Gather(starts, bytes);
    }
    std::reverse(pieces.begin(), pieces.end());
    std::reverse(bytes.begin(), bytes.end());
    starts.clear();
    for (const LayerPiece& piece : pieces) starts.push_back(pass.backward[piece.backward_begin]);
    if (stage_ == 3) Gather(starts, bytes);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      // The last kernel of its gradient: the one before the next piece begins.
      const std::size_t end =
          i + 1 < pieces.size() ? pieces[i + 1].backward_begin : pass.backward.size();
      Scatter(pass.backward[std::max(end, pieces[i].backward_begin + 1) - 1], bytes[i],
              i + 1 == pieces.size());
    }
  }

  void Scatter(TaskId kernel, double bytes, bool is_last) {
    const TaskId wait =
        InsertStreamWait(plan_, plan_.CallOf(kernel), stream_, Lane(kernel), scatter_);
    const TaskId op =
        plan_.InsertKernelAfter(wait, Kernel(Collective::kReduceScatter, bytes), scatter_);
    // The update waits for the last of them.
    if (is_last) InsertStreamWait(plan_, plan_.edit().CallOf(op), Lane(kernel), stream_, scatter_);
  }

  // Each GPU updates its share of the weights.
  void ShareUpdate() {
    const Selector update =
        Selector::Kind(TaskKind::kKernel) &&
        (Selector::InPhase(Phase::kOptimizer) || Selector::Class(KernelClass::kOptimizer));
    const std::vector<TaskId> ops = plan_.Select(update);
    if (ops.empty()) return;
    const ChangeId change = plan_.AddChange("update of a share", "phase=optimizer");
    const double fixed = plan_.machine().memory.fixed_ns;
    for (const TaskId op : ops) {
      const double ns = static_cast<double>(plan_.Own(op));
      const double then = std::max(std::min(ns, fixed), ns / links_.gpus);
      plan_.SetDuration(op, {then, then, then}, change);
    }
  }

  void Say() {
    const double other = 1 - 1.0 / links_.gpus;
    // Adam in fp32: two moments; gradients; weights, of which the pieces in use are there whole.
    constexpr double kMoments = 8, kGradient = 4, kWeight = 4;
    double saved = kMoments * parameters_ * other;
    if (stage_ >= 2) saved += kGradient * parameters_ * other;
    if (stage_ == 3) {
      saved += kWeight * parameters_ * std::max(0.0, other - 2.0 / values_.Count("units"));
    }
    plan_.AddMemory(-saved);
    plan_.MultiplyWork(links_.gpus);
    plan_.RestsOn(kInserted);
    plan_.Assume("every GPU does what this one did: the same batch each");
    plan_.Assume("weights lie evenly over the forward time; a piece is gathered one ahead");
    plan_.Assume("links by " + links_.source + "; kernels beside a collective are not slowed down");
    plan_.Assume("memory: Adam in fp32, 8 bytes of moments, 4 of gradient, 4 of weight");
    if (!values_.IsGiven("parameters")) {
      plan_.Assume("the number of parameters comes from " + plan_.machine().parameters_source);
      plan_.MakesSurer("--fsdp=parameters=...");
    }
  }

  Plan& plan_;
  const WhatIfValues& values_;
  const std::uint32_t stage_;
  Links links_;
  double parameters_ = 0;
  std::uint32_t stream_ = 0;
  ChangeId gather_ = 0, scatter_ = 0;
};

Applied ApplyFsdp(Plan& plan, const WhatIfValues& values) { return Sharded(plan, values).Apply(); }

}  // namespace

const WhatIf kFsdp = {"fsdp",
                      "ZeRO / FSDP",
                      "data-parallel with shared weights, gradients and optimizer state",
                      kInserted,
                      "a forward and a backward pass; the number of parameters and bandwidths",
                      Effort::kMachines,
                      {},
                      kFsdpOptions,
                      ApplyFsdp,
                      /*is_advice=*/false};

}  // namespace xsp
