#include "sim/whatifs/host/copies.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "sim/whatifs/all.h"
#include "sim/whatifs/host/reads.h"

// Copies from and to pinned memory: those to the device no longer hold the host, those back are as
// fast as the link. And batches from there on a stream of their own, so that they run beside the
// work of the step before.
namespace xsp {
namespace {

constexpr WhatIfOption kCopiesOptions[] = {
    {"bandwidth", "",
     "of copies from and to pinned memory: 25GB; by default what the trace or PCIe gives"}};

// Up to here a read takes no longer than to pinned memory.
constexpr double kSmallCopy = 64 << 10;

struct Copy {
  TaskId op, call;
  double bytes = 0;
  MemoryKind memory = MemoryKind::kUnknown;  // Of the host's side.
};

// `direction`: kHtoD or kDtoH.
std::vector<Copy> CopiesOf(const Plan& plan, OpClass direction) {
  const TaskGraph& graph = plan.graph();
  std::vector<Copy> copies;
  for (const TaskId op : plan.Select(Selector::Kind(TaskKind::kMemcpy))) {
    if (graph.op_class[graph.RowOf(op)] != direction || !graph.event[op].valid()) continue;
    copies.push_back(
        {op, plan.CallOf(op), static_cast<double>(CopyBytes(graph, op)), HostMemoryOf(graph, op)});
  }
  return copies;
}

double BandwidthAsked(const Plan& plan, const WhatIfValues& values, OpClass direction) {
  return values.IsGiven("bandwidth") ? values.Bandwidth("bandwidth")
                                     : PinnedBandwidth(plan, direction);
}

// Whether the host waits for it, or works for it: pageable memory is staged.
bool HoldsHost(const Plan& plan, const Copy& copy) {
  return copy.memory == MemoryKind::kPageable || IsWait(plan.graph().question[copy.call].ask);
}

// Small pageable copies go through the driver's own pinned buffers: they are no slower than that.
void SetTransfer(Plan& plan, const Copy& copy, double bandwidth, ChangeId change) {
  const double before = static_cast<double>(plan.Own(copy.op));
  const double modelled = kCopyFixedNs + copy.bytes / bandwidth * 1e9;
  const double likely = copy.memory == MemoryKind::kPinned ? before : std::min(before, modelled);
  plan.SetDuration(
      copy.op, {likely, likely * 0.9, std::max(likely, std::min(before, likely * 1.5))}, change);
  plan.SetCallCost(copy.call, std::min(plan.Own(copy.call), plan.machine().copy_own), change);
}

void Pin(Plan& plan, const Copy& copy, double bandwidth, ChangeId change) {
  SetTransfer(plan, copy, bandwidth, change);
  plan.edit().MakeAsync(copy.call);
}

// Whether the thread later waits for the stream of the copy, or for all: then a read may return
// before its data is there.
bool IsWaitedForLater(const Plan& plan, const Copy& read) {
  const TaskGraph& graph = plan.graph();
  const std::uint32_t step = plan.facts()[read.call].step;
  for (TaskId host = Next(read.call); graph.IsHost(host); ++host.value) {
    if (graph.lane[host] != graph.lane[read.call] || plan.facts()[host].step != step) return false;
    const Question& question = graph.question[host];
    const bool is_stream = question.ask == Ask::kStream && question.target == graph.lane[read.op];
    if (question.rule == Rule::kHostSync && (is_stream || question.ask == Ask::kContext)) {
      return true;
    }
  }
  return false;
}

// The host needs what it reads: only the transfer gets faster, and an asynchronous call leaves the
// waiting to the sync that comes later.
void PinRead(Plan& plan, const Copy& read, double bandwidth, ChangeId change) {
  SetTransfer(plan, read, bandwidth, change);
  const bool is_async = plan.facts().Name(read.call).find("Async") != std::string_view::npos;
  if (is_async && IsWaitedForLater(plan, read)) return plan.edit().MakeAsync(read.call);
  // It returns as soon after its copy as a sync does after what it waits for.
  Question wait = plan.edit().WaitForStream(plan.graph().lane[read.op]);
  wait.ask = Ask::kOwnWork;
  wait.rule = Rule::kBlockingCopy;
  plan.edit().SetQuestion(read.call, wait);
}

void Say(Plan& plan, const WhatIfValues& values) {
  plan.RestsOn(kStructural | kScaling);
  if (!values.IsGiven("bandwidth"))
    plan.MakesSurer("the bandwidth of pinned copies: bandwidth=25GB");
}

// Frameworks wait right behind a copy to the device, unless told not to (non_blocking=True).
// `copies` in the order of their numbers.
void RemoveWaitsBehind(Plan& plan, const std::vector<Copy>& copies) {
  std::vector<TaskId> ops, waits;
  for (const Copy& copy : copies) ops.push_back(copy.op);
  const TaskGraph& graph = plan.graph();
  for (TaskId host : graph.host_tasks()) {
    const TaskId copy = CopyBefore(graph, host);
    if (copy.valid() && std::binary_search(ops.begin(), ops.end(), copy)) waits.push_back(host);
  }
  if (waits.empty()) return;
  const ChangeId gone = plan.AddChange("waits right behind them", "rule=host_sync");
  for (const TaskId call : waits) plan.RemoveCall(call, gone);
  plan.Assume("nobody waits behind a copy to the device (non_blocking=True): nothing comes back");
}

// "copies from pinned memory"; of values that no loader brings, how large they are and who makes
// most of them: "small copies: 8 B in aten::_to_copy".
std::string WordsFor(const Plan& plan, const std::vector<Copy>& copies) {
  double most = 0;
  std::map<std::string_view, std::size_t> makers;
  for (const Copy& copy : copies) {
    most = std::max(most, copy.bytes);
    ++makers[plan.facts().Operation(copy.call)];
  }
  if (most > kSmallCopy) return "copies from pinned memory";
  const auto maker =
      std::max_element(makers.begin(), makers.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  const bool is_told = !maker->first.empty() && 2 * maker->second > copies.size();
  return std::string(kSmallCopies) + SizeWords(static_cast<std::uint64_t>(most)) +
         (is_told ? " in " + std::string(maker->first) : "");
}

void PinCopiesIn(Plan& plan, const WhatIfValues& values, const std::vector<Copy>& copies) {
  const double bandwidth = BandwidthAsked(plan, values, OpClass::kHtoD);
  const ChangeId change = plan.AddChange(WordsFor(plan, copies), "kind=memcpy HtoD, pageable");
  for (const Copy& copy : copies) Pin(plan, copy, bandwidth, change);
  plan.Assume("the data is in pinned memory by the time it is copied");
  RemoveWaitsBehind(plan, copies);
}

void PinReads(Plan& plan, const WhatIfValues& values, const std::vector<Copy>& reads) {
  const double bandwidth = BandwidthAsked(plan, values, OpClass::kDtoH);
  const ChangeId change = plan.AddChange("reads into pinned memory", "kind=memcpy DtoH, pageable");
  for (const Copy& read : reads) PinRead(plan, read, bandwidth, change);
  plan.Assume("the host still waits for what it reads, where it waited before");
}

Applied ApplyPinned(Plan& plan, const WhatIfValues& values) {
  std::vector<Copy> copies = CopiesOf(plan, OpClass::kHtoD);
  std::erase_if(copies, [&](const Copy& copy) { return !HoldsHost(plan, copy); });
  std::vector<Copy> reads = CopiesOf(plan, OpClass::kDtoH);
  std::erase_if(reads, [&](const Copy& read) {
    return !HoldsHost(plan, read) || read.memory == MemoryKind::kPinned || read.bytes <= kSmallCopy;
  });
  if (copies.empty() && reads.empty()) {
    return Applied::No("no copy between host and device holds the host");
  }
  if (!copies.empty()) PinCopiesIn(plan, values, copies);
  if (!reads.empty()) PinReads(plan, values, reads);
  Say(plan, values);
  return Applied::Yes();
}

// A stream for copies beside each stream that had some; what was behind the copies there waits for
// the last of them.
Applied ApplyPrefetch(Plan& plan, const WhatIfValues& values) {
  const std::vector<Copy> copies = CopiesOf(plan, OpClass::kHtoD);
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
  const double bandwidth = BandwidthAsked(plan, values, OpClass::kHtoD);
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
  plan.Assume("the data is in pinned memory by the time it is copied");
  RemoveWaitsBehind(plan, copies);
  Say(plan, values);
  return Applied::Yes();
}

// Of the large copies of a direction that pinned memory had; 0 for none.
double MeasuredBandwidth(const Plan& plan, OpClass direction) {
  constexpr double kLarge = 1 << 20;
  double bytes = 0, ns = 0;
  for (const Copy& copy : CopiesOf(plan, direction)) {
    if (copy.memory != MemoryKind::kPinned || copy.bytes < kLarge) continue;
    bytes += copy.bytes;
    ns += static_cast<double>(plan.Own(copy.op));
  }
  return ns > 0 ? bytes / ns * 1e9 : 0;
}

}  // namespace

double PinnedBandwidth(const Plan& plan, OpClass direction) {
  const OpClass other = direction == OpClass::kHtoD ? OpClass::kDtoH : OpClass::kHtoD;
  for (const OpClass of : {direction, other}) {
    if (const double measured = MeasuredBandwidth(plan, of); measured > 0) return measured;
  }
  constexpr double kPcieShare = 0.85;
  constexpr double kUnknownPcie = 16e9;
  return kPcieShare * plan.machine().gpu.host_bytes_per_s.value_or(kUnknownPcie);
}

TaskId CopyBefore(const TaskGraph& graph, TaskId sync) {
  const Question& question = graph.question[sync];
  const bool waits = question.ask == Ask::kStream || question.ask == Ask::kContext;
  if (!waits || question.rule != Rule::kHostSync || !graph.OpsOf(sync).empty()) return {};
  // Questions about devices and records of events may come between.
  constexpr int kFurthest = 3;
  TaskId host = graph.PreviousOf(sync);
  for (int i = 0; i < kFurthest && host.valid() && graph.OpsOf(host).empty(); ++i) {
    if (IsWait(graph.question[host].ask)) return {};
    host = graph.PreviousOf(host);
  }
  if (!host.valid() || graph.OpsOf(host).empty()) return {};
  const TaskId op = graph.OpsOf(host).front();
  const OpClass of = graph.op_class[graph.RowOf(op)];
  const bool is_copy = of == OpClass::kHtoD || of == OpClass::kDtoH;
  const bool is_target = question.ask == Ask::kContext || question.target == graph.lane[op];
  return is_copy && is_target ? op : TaskId();
}

const WhatIf kPinned = {"pinned",
                        "Pinned memory",
                        "copies to the device hold nobody, reads are as fast as the link",
                        kStructural | kScaling,
                        "",
                        Effort::kFlag,
                        {"pinned memory", "DataLoader(pin_memory=True), .to(non_blocking=True)",
                         "cudaMallocHost, cudaMemcpyAsync"},
                        kCopiesOptions,
                        ApplyPinned};

const WhatIf kPrefetch = {"prefetch",
                          "Prefetch to the device",
                          "copies to the device on a stream of their own, from pinned memory",
                          kStructural | kScaling,
                          "",
                          Effort::kLines,
                          {"prefetch", "copy the next batch on a stream of its own",
                           "cudaMemcpyAsync on a second stream"},
                          kCopiesOptions,
                          ApplyPrefetch};

}  // namespace xsp
