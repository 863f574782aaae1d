#include <algorithm>
#include <string>
#include <vector>

#include "graph/call_class.h"
#include "model/names/communication.h"
#include "sim/whatifs/all.h"

// CUDA graphs: every run of launches that a capture could take becomes one
// launch. What the host did between the launches goes; the kernels stay, in
// order.
namespace xsp {
namespace {

constexpr WhatIfOption kCudaGraphsOptions[] = {
    {"least", "4", "launches that a region must have to be worth a graph"}};

// Calls [first, last) of a thread, all of them capturable.
struct Region {
  TaskId first;  // Host tasks [first, last).
  TaskId last;
  std::uint32_t launches = 0;
};

class Capture {
 public:
  Capture(Plan& plan, std::uint32_t least)
      : plan_(plan), graph_(plan.graph()), facts_(plan.facts()), least_(least) {
    // What is far longer than an operation's own host time is something that no
    // graph replaces.
    const MachineFacts& machine = plan.machine();
    longest_gap_ = std::max<DurationNs>(200'000, 10 * machine.operation_host);
    waits_for_thread_.resize(graph_.host_count());
    for (const Handoff& handoff : graph_.handoffs) waits_for_thread_[handoff.task] = 1;
  }

  Applied Apply() {
    if (const std::string why = WhyNot(); !why.empty()) return Applied::No(why);
    const std::vector<Region> regions = FindRegions();
    if (regions.empty()) {
      return Applied::No(
          "no run of launches without waits between them is long enough for a graph");
    }
    change_ = plan_.AddChange("launches → graph launches", "kind=call, capturable");
    for (const Region& region : regions) MakeGraph(region);
    SetNodeGaps();
    plan_.RestsOn(kStructural);
    plan_.Assume(
        "shapes and addresses stay the same from step to step, as a "
        "graph needs it");
    plan_.Assume("kernels take as long as before");
    return Applied::Yes();
  }

 private:
  // Nodes that were recorded one by one, graphs that were recorded as a whole, and the launches of
  // other vendors' graphs, whose kernels look like any others.
  bool IsGraphLaunch(TaskId host) const {
    const TaskRange ops = graph_.OpsOf(host);
    if (ops.empty()) return false;
    const OpClass of = graph_.op_class[graph_.RowOf(ops.front())];
    return of == OpClass::kNode || of == OpClass::kGraph ||
           facts_.Name(host).find("GraphLaunch") != std::string_view::npos;
  }

  // Where nearly all device work comes from graph launches, there is nothing to gain.
  std::string WhyNot() const {
    constexpr double kNearlyAll = 0.8;
    double in_graphs = 0, all = 0;
    std::uint32_t launches = 0;
    for (TaskId host : graph_.host_tasks()) {
      const bool is_graph = IsGraphLaunch(host);
      if (is_graph && plan_.Counts(host)) ++launches;
      for (TaskId op : graph_.OpsOf(host)) {
        const auto ns = static_cast<double>(graph_.own[op]);
        all += ns;
        if (is_graph) in_graphs += ns;
      }
    }
    if (all == 0 || in_graphs < kNearlyAll * all) return "";
    const std::uint32_t each = UnitMeans::OfRun(plan_.unit()).Count(launches);
    const std::string count = each == 0 ? "" : std::to_string(each) + " ";
    return "its work is launched as CUDA graphs already: " + count +
           (each == 1 ? "launch holds " : "launches hold ") +
           std::to_string(static_cast<int>(100 * in_graphs / all + 0.5)) + " % of the device work";
  }

  // Launches and asynchronous copies within the device can be captured; so can
  // events. Waits of the host, copies from and to pageable memory, and
  // allocation cannot.
  bool IsCapturable(TaskId host) const {
    if (graph_.kind[host] != TaskKind::kCall) return false;
    const Ask ask = graph_.question[host].ask;
    if (IsWait(ask) || IsGraphLaunch(host)) return false;
    // A call that takes so long loads a module or sets something up, once: no graph saves that.
    if (graph_.own[host] > longest_gap_) return false;
    for (TaskId op : graph_.OpsOf(host)) {
      const OpClass of = graph_.op_class[graph_.RowOf(op)];
      if (of != OpClass::kKernel && of != OpClass::kMemset && of != OpClass::kDtoD) return false;
      if (IsCommunication(facts_[op].kind.kernel_class)) return false;
    }
    if (!graph_.OpsOf(host).empty()) return true;
    return ask == Ask::kMakeRecord || ask == Ask::kStreamWait || IsHarmless(host);
  }

  // Questions about devices and properties, which a replay simply leaves out.
  bool IsHarmless(TaskId host) const {
    const CallClass of = ClassOfCall(facts_.Name(host));
    return of == CallClass::kOther || of == CallClass::kPool || of == CallClass::kPoll;
  }

  bool Continues(const Region& region, TaskId host) const {
    if (region.first == region.last) return true;
    // What waits for another thread, as the update does for the backward pass, cannot be launched
    // with what came before.
    if (waits_for_thread_[host] != 0) return false;
    return graph_.gap[host] <= longest_gap_ && facts_[host].step == facts_[region.first].step;
  }

  std::vector<Region> FindRegions() {
    std::vector<Region> regions;
    for (const GraphThread& thread : graph_.threads) {
      Region open{thread.first, thread.first, 0};
      auto close = [&](TaskId next) {
        if (open.launches >= least_) regions.push_back(open);
        open = {next, next, 0};
      };
      for (TaskId host : thread.tasks()) {
        if (!IsCapturable(host)) {
          close(Next(host));
          continue;
        }
        if (!Continues(open, host)) close(host);
        open.last = Next(host);
        if (!graph_.OpsOf(host).empty()) ++open.launches;
      }
      close(thread.last);
    }
    return regions;
  }

  // The first launch of the region becomes the graph's, and all others go.
  // Events inside order the streams of a captured graph as its edges do.
  void MakeGraph(const Region& region) {
    TaskId head = region.first;
    while (graph_.OpsOf(head).empty()) ++head.value;
    std::uint32_t nodes = 0;
    for (TaskId host : TaskRange{region.first, region.last}) {
      for (TaskId op : graph_.OpsOf(host)) {
        ++nodes;
        if (host != head) plan_.edit().MoveToCall(op, head);
      }
      if (host == head) continue;
      if (host > region.first) plan_.SetGap(host, 0, change_);
      plan_.RemoveCall(host, change_);
    }
    plan_.edit().MakeGraphLaunch(head);
    const double own = static_cast<double>(LaunchOwn(nodes));
    plan_.SetDuration(head, {own, own * 0.6, own * 1.6}, change_);
  }

  // Nodes follow each other a little sooner than kernels of a stream do: of a kernel of 2.9 us,
  // NVIDIA measured 3.8 us each on a stream and 3.4 us in a graph. Where the trace has graphs, it
  // shows what passes between their nodes.
  void SetNodeGaps() {
    constexpr double kShare = 0.6;
    const auto gap_between = [&](OpClass from, OpClass to) {
      return graph_.stream_gap[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
    };
    const ConstantId usual = gap_between(OpClass::kKernel, OpClass::kKernel);
    if (gap_between(OpClass::kNode, OpClass::kNode) != usual) return;
    const auto gap = static_cast<DurationNs>(kShare * static_cast<double>(graph_.lag(usual)));
    plan_.edit().RetimeStreams(OpClass::kNode, OpClass::kNode, gap);
    plan_.RestsOn(kInserted);  // What the trace does not show is a model.
    plan_.Assume(
        "nodes of a graph follow each other in 0.6 of the time that kernels of a stream do");
  }

  // A graph's launch costs what some launches cost, and a little for each node.
  DurationNs LaunchOwn(std::uint32_t nodes) const {
    constexpr DurationNs kPerNode = 50;
    return 2 * plan_.machine().launch_own + kPerNode * nodes;
  }

  Plan& plan_;
  const TaskGraph& graph_;
  const WorkFacts& facts_;
  const std::uint32_t least_;
  DurationNs longest_gap_ = 0;
  PerTask<std::uint8_t> waits_for_thread_;  // Per host task.
  ChangeId change_ = 0;
};

Applied ApplyCudaGraphs(Plan& plan, const WhatIfValues& values) {
  return Capture(plan, std::max(2u, values.Count("least"))).Apply();
}

}  // namespace

const WhatIf kCudaGraphs = {"cuda-graphs",
                            "CUDA graphs",
                            "runs of launches become one graph launch each",
                            kStructural,
                            "",
                            Effort::kLines,
                            {"CUDA graphs", "torch.compile(mode='reduce-overhead')",
                             "cudaStreamBeginCapture, cudaGraphLaunch"},
                            kCudaGraphsOptions,
                            ApplyCudaGraphs};

}  // namespace xsp
