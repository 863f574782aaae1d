#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"
#include "sim/whatifs/all.h"
#include "sim/whatifs/host/copies.h"
#include "sim/whatifs/kernels/rewrite.h"
#include "sim/whatifs/parallel/side_stream.h"
#include "sim/whatifs/parallel/training_pass.h"

// vDNN: what large layers made in the forward pass goes to the host's memory, and comes back before
// the backward pass needs it.
namespace xsp {
namespace {

constexpr WhatIfOption kVdnnOptions[] = {
    {"layers", "matrix", "whose results are moved: matrix (products and convolutions), conv, all"},
    {"ahead", "1", "how many of them are fetched before they are needed"},
    {"bandwidth", "",
     "of copies to and from pinned memory: 25GB; by default the trace's or PCIe's"},
    {"least", "1MB", "smaller results stay on the device"}};

class Offload {
 public:
  Offload(Plan& plan, const WhatIfValues& values)
      : plan_(plan),
        layers_(values.Text("layers")),
        ahead_(std::max(1u, values.Count("ahead"))),
        least_(values.Bytes("least")),
        bandwidth_(values.IsGiven("bandwidth") ? values.Bandwidth("bandwidth")
                                               : PinnedBandwidth(plan, OpClass::kDtoH)) {
    if (layers_ != "matrix" && layers_ != "conv" && layers_ != "all") {
      throw Error("--vdnn: there are no layers '" + layers_ + "'", "take matrix, conv or all");
    }
  }

  Applied Apply() {
    const std::vector<TrainingPass> passes = FindPasses(plan_);
    if (passes.empty()) return Applied::No("no step with a forward and a backward pass");
    std::vector<std::vector<Kept>> kept;
    bool any = false;
    for (const TrainingPass& pass : passes) {
      kept.push_back(Choose(pass));
      any |= !kept.back().empty();
    }
    if (!any) return Applied::No("nothing tells of a result above least= that could be moved");
    offload_ = plan_.AddChange("results to the host", "inserted");
    fetch_ = plan_.AddChange("results back to the device", "inserted");
    for (std::size_t i = 0; i < passes.size(); ++i) Move(passes[i], kept[i]);
    plan_.AddMemory(-most_);
    Say();
    return Applied::Yes();
  }

 private:
  struct Kept {
    std::size_t forward;  // Index in the pass.
    double bytes;
  };

  bool IsChosen(TaskId op) const {
    const KernelClass of = plan_.facts()[op].kind.kernel_class;
    if (layers_ == "all") return true;
    return of == KernelClass::kConv || (layers_ == "matrix" && of == KernelClass::kGemm);
  }

  std::vector<Kept> Choose(const TrainingPass& pass) const {
    std::vector<Kept> kept;
    const std::vector<double> results = ResultBytes(plan_, pass.forward);
    for (std::size_t i = 0; i < pass.forward.size(); ++i) {
      const double bytes = IsChosen(pass.forward[i]) ? results[i] : 0;
      if (bytes < least_ || bytes <= 0) continue;
      kept.push_back({i, bytes});
    }
    return kept;
  }

  void Move(const TrainingPass& pass, const std::vector<Kept>& kept) {
    if (kept.empty()) return;
    double sum = 0, largest = 0;
    for (const Kept& one : kept) {
      sum += one.bytes;
      largest = std::max(largest, one.bytes);
    }
    const std::uint32_t compute = plan_.graph().lane[pass.forward.front()];
    const std::uint32_t out = plan_.edit().AddStream(compute, "vDNN offload");
    const std::uint32_t in = plan_.edit().AddStream(compute, "vDNN prefetch");
    for (const Kept& one : kept) Send(pass.forward[one.forward], one.bytes, out);
    Fetch(pass, kept, out, in);
    // On the device stay the one in use and those that are fetched ahead.
    most_ = std::max(most_, sum - std::min(sum, largest * (1 + ahead_)));
  }

  TaskId Copy(TaskId call, std::uint32_t stream, OpClass direction, double bytes, ChangeId change) {
    constexpr double kFixedNs = 1'300;
    NewOp op;
    op.label = direction == OpClass::kDtoH ? "[CUDA memcpy DtoH]" : "[CUDA memcpy HtoD]";
    op.duration = static_cast<DurationNs>(kFixedNs + bytes / bandwidth_ * 1e9);
    op.stream = stream;
    op.op_class = direction;
    KernelKind kind;
    kind.kernel_class = KernelClass::kCopy;
    return plan_.IssueOp(call, std::move(op), kind, change);
  }

  NewCall CopyCall() const {
    NewCall call;
    call.label = "cudaMemcpyAsync";
    call.own = plan_.machine().copy_own;
    return call;
  }

  void Send(TaskId op, double bytes, std::uint32_t out) {
    const TaskId ready =
        InsertStreamWait(plan_, plan_.CallOf(op), out, plan_.graph().lane[op], offload_);
    const TaskId call = plan_.InsertCallAfter(ready, CopyCall(), offload_);
    Copy(call, out, OpClass::kDtoH, bytes, offload_);
  }

  // Each copy back is issued when the backward pass comes to the user of one `ahead_` places before
  // it, so that it runs beside the gradients between them; its user waits for it.
  void Fetch(const TrainingPass& pass, const std::vector<Kept>& kept, std::uint32_t out,
             std::uint32_t in) {
    std::vector<TaskId> users;  // In the order of the backward pass: the last result first.
    for (auto one = kept.rbegin(); one != kept.rend(); ++one) {
      users.push_back(pass.backward[pass.BackwardOf(pass.ForwardEnd(one->forward))]);
    }
    for (std::size_t i = 0; i < users.size(); ++i) {
      const double bytes = kept[kept.size() - 1 - i].bytes;
      const TaskId early = plan_.CallOf(i < ahead_ ? pass.backward.front() : users[i - ahead_]);
      // What comes back has gone before; and it comes when the pass is there, not at once.
      InsertStreamWaitBefore(plan_, early, in, out, fetch_);
      InsertStreamWaitBefore(plan_, early, in, plan_.graph().lane[users[i]], fetch_);
      const TaskId call = plan_.InsertCallBefore(early, CopyCall(), fetch_);
      Copy(call, in, OpClass::kHtoD, bytes, fetch_);
      InsertStreamWaitBefore(plan_, plan_.CallOf(users[i]), plan_.graph().lane[users[i]], in,
                             fetch_);
    }
  }

  void Say() {
    plan_.RestsOn(kInserted);
    plan_.Assume("copies run beside kernels and do not slow them down");
    plan_.Assume("results are as large as recorded sizes, tiles and grids tell");
    plan_.Assume("their gradients come in the reverse order of the forward pass");
    plan_.MakesSurer("the bandwidth of pinned copies: --vdnn=bandwidth=25GB");
  }

  Plan& plan_;
  const std::string layers_;
  const std::uint32_t ahead_;
  const double least_;
  const double bandwidth_;
  ChangeId offload_ = 0, fetch_ = 0;
  double most_ = 0;
};

Applied ApplyVdnn(Plan& plan, const WhatIfValues& values) { return Offload(plan, values).Apply(); }

}  // namespace

const WhatIf kVdnn = {"vdnn",
                      "vDNN",
                      "results of layers wait in the host's memory for the backward pass",
                      kInserted,
                      "a forward and a backward pass; sizes of results",
                      Effort::kDays,
                      {},
                      kVdnnOptions,
                      ApplyVdnn,
                      /*is_advice=*/false};

}  // namespace xsp
