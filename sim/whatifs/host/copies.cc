#include "sim/whatifs/host/copies.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "sim/whatifs/all.h"

// Batches from pinned memory: copies to the device no longer hold the host; and from there on a
// stream of their own, so that they run beside the work of the step before.
namespace xsp {
namespace {

constexpr WhatIfOption kCopiesOptions[] = {
    {"bandwidth", "",
     "of copies from pinned memory: 25GB; by default what the trace or PCIe gives"}};

struct Copy {
  TaskId op, call;
  double bytes = 0;
  bool is_pinned = false;
};

std::vector<Copy> CopiesToDevice(const Plan& plan) {
  const TaskGraph& graph = plan.graph();
  std::vector<Copy> copies;
  for (const TaskId op : plan.Select(Selector::Kind(TaskKind::kMemcpy))) {
    const EventId event = graph.event[op];
    if (graph.op_class[graph.RowOf(op)] != OpClass::kHtoD || !event.valid()) continue;
    const std::size_t row = graph.trace->Row(event);
    const Copies& all = graph.trace->copies();
    copies.push_back({op, plan.CallOf(op), static_cast<double>(all.bytes[row]),
                      all.source_kind[row] == MemoryKind::kPinned});
  }
  return copies;
}

// What copies cost besides their bytes.
constexpr double kCopyFixedNs = 1'300;

double BandwidthAsked(const Plan& plan, const WhatIfValues& values) {
  return values.IsGiven("bandwidth") ? values.Bandwidth("bandwidth") : PinnedBandwidth(plan);
}

// Whether the host waits for it, or works for it: pageable memory is staged.
bool HoldsHost(const Plan& plan, const Copy& copy) {
  return !copy.is_pinned || IsWait(plan.graph().question[copy.call].ask);
}

void Pin(Plan& plan, const Copy& copy, double bandwidth, ChangeId change) {
  const double ns = kCopyFixedNs + copy.bytes / bandwidth * 1e9;
  const double before = static_cast<double>(plan.Own(copy.op));
  const double likely = copy.is_pinned ? before : ns;
  plan.SetDuration(
      copy.op, {likely, likely * 0.9, std::max(likely, std::min(before, likely * 1.5))}, change);
  const double own = static_cast<double>(std::min(plan.Own(copy.call), plan.machine().copy_own));
  plan.SetDuration(copy.call, {own, own, own}, change);
  plan.edit().MakeAsync(copy.call);
}

void Say(Plan& plan, const WhatIfValues& values) {
  plan.RestsOn(kStructural | kScaling);
  plan.Assume("the data is in pinned memory by the time it is copied");
  if (!values.IsGiven("bandwidth"))
    plan.MakesSurer("the bandwidth of pinned copies: bandwidth=25GB");
}

Applied ApplyPinned(Plan& plan, const WhatIfValues& values) {
  std::vector<Copy> copies = CopiesToDevice(plan);
  const double bandwidth = BandwidthAsked(plan, values);
  std::erase_if(copies, [&](const Copy& copy) { return !HoldsHost(plan, copy); });
  if (copies.empty()) return Applied::No("no copy to the device holds the host");
  const ChangeId change = plan.AddChange("copies from pinned memory", "kind=memcpy HtoD, pageable");
  for (const Copy& copy : copies) Pin(plan, copy, bandwidth, change);
  Say(plan, values);
  return Applied::Yes();
}

// A stream for copies beside each stream that had some; what was behind the copies there waits for
// the last of them.
Applied ApplyPrefetch(Plan& plan, const WhatIfValues& values) {
  const std::vector<Copy> copies = CopiesToDevice(plan);
  const TaskGraph& graph = plan.graph();
  // Copies that follow each other directly on a thread and a stream, as the tensors of a batch do.
  std::vector<std::vector<Copy>> batches;
  for (const Copy& copy : copies) {
    const bool follows =
        !batches.empty() && batches.back().back().call.value + 1 == copy.call.value &&
        graph.lane[batches.back().back().op] == graph.lane[copy.op] &&
        plan.facts()[batches.back().back().call].step == plan.facts()[copy.call].step;
    if (!follows) batches.emplace_back();
    batches.back().push_back(copy);
  }
  std::map<std::uint32_t, bool> has_kernels;
  for (const TaskId op : plan.KernelsInOrder()) has_kernels[graph.lane[op]] = true;
  std::erase_if(
      batches, [&](const auto& batch) { return !has_kernels.count(graph.lane[batch.front().op]); });
  if (batches.empty()) return Applied::No("no copy to the device stands in the way of kernels");
  const double bandwidth = BandwidthAsked(plan, values);
  const ChangeId change = plan.AddChange("copies on a stream of their own", "kind=memcpy HtoD");
  std::map<std::uint32_t, std::uint32_t> streams;
  for (const std::vector<Copy>& batch : batches) {
    const std::uint32_t compute = graph.lane[batch.front().op];
    if (!streams.count(compute)) streams[compute] = plan.edit().AddStream(compute, "prefetch");
    for (const Copy& copy : batch) {
      Pin(plan, copy, bandwidth, change);
      plan.edit().MoveToStream(copy.op, streams[compute]);
    }
    const std::uint32_t record = plan.edit().AddRecord(streams[compute]);
    NewCall done;
    done.label = "cudaEventRecord";
    done.own = plan.machine().launch_own / 3;
    done.question = GraphEdit::MakeRecord(record);
    const TaskId recorded = plan.InsertCallAfter(batch.back().call, done, change);
    done.label = "cudaStreamWaitEvent";
    done.question = plan.edit().StreamWaitFor(compute, record);
    plan.InsertCallAfter(recorded, done, change);
  }
  Say(plan, values);
  return Applied::Yes();
}

}  // namespace

double PinnedBandwidth(const Plan& plan) {
  constexpr double kLarge = 1 << 20;
  std::vector<double> rates;
  for (const Copy& copy : CopiesToDevice(plan)) {
    const double ns = static_cast<double>(plan.Own(copy.op));
    if (copy.is_pinned && copy.bytes >= kLarge && ns > 0) rates.push_back(copy.bytes / ns * 1e9);
  }
  if (!rates.empty()) {
    std::sort(rates.begin(), rates.end());
    return rates[rates.size() / 2];
  }
  constexpr double kPcieShare = 0.85;
  constexpr double kUnknownPcie = 16e9;
  return kPcieShare * plan.machine().gpu.host_bytes_per_s.value_or(kUnknownPcie);
}

const WhatIf kPinned = {"pinned",
                        "Pinned memory",
                        "copies to the device come from pinned memory and hold nobody",
                        kStructural | kScaling,
                        "",
                        Effort::kFlag,
                        kCopiesOptions,
                        ApplyPinned};

const WhatIf kPrefetch = {"prefetch",
                          "Prefetch to the device",
                          "copies to the device on a stream of their own, from pinned memory",
                          kStructural | kScaling,
                          "",
                          Effort::kLines,
                          kCopiesOptions,
                          ApplyPrefetch};

}  // namespace xsp
