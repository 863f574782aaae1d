#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "base/quantile.h"
#include "graph/draft.h"

// Copies that hold their call, by direction, memory kind, size and API. The name of the API does
// not tell: cudaMemcpyAsync to pageable memory holds its call until the copy is done, since the
// driver has to move the data out of its own buffers; and cudaMemcpy of a small buffer to the
// device returns when the data is staged. What is told apart here is what CUDA's documentation
// ("API synchronization behavior") says and real traces show.
namespace xsp {
namespace {

constexpr std::uint64_t kStagedBytes = 1
                                       << 20;  // Pageable copies up to here are staged by the host.

// How long after the copy a call returns goes with its size: after 2 to 7 µs up to 64 KB, 44 to 78
// up to 1 MB, about 190 up to 4 MB.
struct SizeBin {
  std::uint64_t most;
  std::string_view name;
};
constexpr std::array<SizeBin, 4> kSizeBins = {
    {{64 << 10, "64k"}, {1 << 20, "1m"}, {4 << 20, "4m"}, {~std::uint64_t{0}, "large"}}};

std::size_t BinOf(std::uint64_t bytes) {
  std::size_t bin = 0;
  while (bytes > kSizeBins[bin].most) ++bin;
  return bin;
}

bool IsPinned(MemoryKind kind) { return kind == MemoryKind::kPinned; }

struct CopyFacts {
  OpClass op_class;
  bool pinned;
  bool async_call;
  std::size_t bin;
  std::uint64_t bytes;
};

CopyFacts FactsOf(const Draft& draft, TaskId op) {
  const TaskGraph& graph = draft.graph;
  const Copies& copies = draft.trace.copies();
  const std::uint32_t row = draft.trace.Row(graph.event[op], EventKind::kMemcpy);
  const OpClass op_class = graph.op_class[graph.RowOf(op)];
  const MemoryKind host_side =
      op_class == OpClass::kHtoD ? copies.source_kind[row] : copies.target_kind[row];
  const bool async_call = draft.ClassOf(graph.CallOf(op)) != CallClass::kCopy;
  return {op_class, IsPinned(host_side), async_call, BinOf(copies.bytes[row]), copies.bytes[row]};
}

// To the host: the caller may read the data when the call returns, unless it is pinned and the call
// is asynchronous. To the device: a large pageable buffer goes through the driver's buffers piece
// by piece, so the host is busy with it almost to the end.
bool HoldsItsCall(const CopyFacts& copy) {
  if (copy.op_class == OpClass::kDtoH) return !copy.pinned || !copy.async_call;
  if (copy.op_class != OpClass::kHtoD) return false;
  return copy.pinned ? !copy.async_call : copy.bytes > kStagedBytes;
}

// It goes through pinned memory, piece by piece: while the device moves one, the host copies
// another.
bool IsStaged(const CopyFacts& copy) { return !copy.pinned && copy.bytes > kStagedBytes; }

// A synchronous, staged copy waits for what its stream has to do, then stages: 211 of 211 on busy
// streams returned after all that was outstanding. Of asynchronous ones 1 of 1266 did.
bool WaitsForStream(const CopyFacts& copy) {
  return copy.op_class == OpClass::kHtoD && !copy.pinned && !copy.async_call &&
         copy.bytes <= kStagedBytes;
}

std::string ClassName(const CopyFacts& copy) {
  return std::string(NameOf(copy.op_class)) + (copy.pinned ? ".pinned." : ".pageable.") +
         std::string(kSizeBins[copy.bin].name);
}

// What a call costs before its copy begins, and from the copy's end to the call's, where a trace
// shows too few: what other traces show.
DurationNs DefaultStart(const CopyFacts& copy) {
  return copy.op_class == OpClass::kHtoD && !copy.pinned ? 150'000 : 8'000;
}
DurationNs DefaultTail(const CopyFacts& copy) {
  if (copy.op_class == OpClass::kHtoD && !copy.pinned) return -30'000;
  constexpr std::array<DurationNs, kSizeBins.size()> kTails = {4'000, 60'000, 190'000, 150'000};
  return copy.pinned ? kTails[0] : kTails[copy.bin];
}

// A staged copy whose predecessor still ran when its call began: what lies between the two.
void LearnStagingGap(Draft& draft, const Answers& answers) {
  TaskGraph& graph = draft.graph;
  Latencies gaps;
  for (OpIndex row : graph.op_rows()) {
    const TaskId op = graph.OpAt(row);
    const TaskId before = answers.stream[row];
    if (!before.valid() || (graph.flags[op] & graph.flags[before] & kStaged) == 0) continue;
    if (draft.EndOf(before) <= graph.measured_begin[graph.call[row]]) continue;
    gaps.push_back(graph.measured_begin[op] - draft.EndOf(before));
  }
  const ConstantId usual = graph.stream_gap[static_cast<std::size_t>(OpClass::kHtoD)]
                                           [static_cast<std::size_t>(OpClass::kHtoD)];
  graph.staging_gap = gaps.size() < kMinSamples
                          ? usual
                          : graph.constants.Learn("staging_gap", gaps, graph.lag(usual));
}

}  // namespace

void AskForBlockingCopies(Draft& draft) {
  TaskGraph& graph = draft.graph;
  for (TaskId op : graph.ops()) {
    if (graph.kind[op] != TaskKind::kMemcpy) continue;
    const OpIndex row = graph.RowOf(op);
    const TaskId call = graph.call[row];
    if (graph.submit[row] != Submit::kAfterOwnCost || graph.op_class[row] == OpClass::kNode)
      continue;
    const CallClass call_class = draft.ClassOf(call);
    if (call_class == CallClass::kLaunch) continue;  // A copy within a CUDA graph.
    const CopyFacts copy = FactsOf(draft, op);
    if (HoldsItsCall(copy)) {
      graph.question[call] = {Ask::kOwnWork, Rule::kBlockingCopy, false, 0, 0};
      if (IsStaged(copy)) graph.flags[op] |= kStaged;
    } else if (WaitsForStream(copy)) {
      graph.question[call] = {Ask::kStream, Rule::kBlockingCopy, true, 0, graph.lane[op]};
    }
  }
}

namespace {

// Copies that hold their call and behave alike.
struct CopyClass {
  CopyFacts facts;
  Latencies tails, costs;
  ConstantId tail = 0;
  DurationNs usual_cost = 0;
};
using CopyClasses = std::map<std::string, CopyClass>;
using HoldingCopies = std::vector<std::pair<OpIndex, CopyClass*>>;

bool EndedBefore(const Draft& draft, TaskId task, TimeNs time) {
  return !task.valid() || draft.EndOf(task) <= time;
}

// A copy whose call waits for its stream and then stages: what it did behind the wait is staging,
// its own work. One that returned before the work it should have waited for did not wait: the rule
// is wrong for it, and goes.
void LearnStaging(Draft& draft, TaskId call, TaskId awaited) {
  TaskGraph& graph = draft.graph;
  if (EndedBefore(draft, awaited, graph.measured_begin[call])) return;
  if (EndedBefore(draft, awaited, graph.measured_end[call])) {
    graph.own[call] = graph.measured_end[call] - draft.EndOf(awaited);
    graph.flags[call] |= kWaited;
  } else {
    ++graph.dropped_waits;
    graph.question[call] = {};
  }
}

// Finds the copies that hold their call, and when these return.
HoldingCopies FindHolding(Draft& draft, CopyClasses& classes) {
  TaskGraph& graph = draft.graph;
  HoldingCopies holding;
  for (OpIndex row : graph.op_rows()) {
    const TaskId op = graph.OpAt(row);
    const TaskId call = graph.call[row];
    const Question& question = graph.question[call];
    if (question.ask != Ask::kOwnWork || question.rule != Rule::kBlockingCopy) continue;
    if (graph.kind[op] != TaskKind::kMemcpy) continue;  // Broken exports mix what calls issue.
    const CopyFacts facts = FactsOf(draft, op);
    CopyClass& of = classes.try_emplace(ClassName(facts), CopyClass{facts, {}, {}}).first->second;
    of.tails.push_back(graph.measured_end[call] - graph.measured_end[op]);
    holding.emplace_back(row, &of);
  }
  for (auto& [name, of] : classes) {
    of.tail = graph.constants.Learn("copy_tail." + name, of.tails, DefaultTail(of.facts));
  }
  return holding;
}

}  // namespace

void LearnBlockingCopies(Draft& draft, const Answers& answers) {
  TaskGraph& graph = draft.graph;
  LearnStagingGap(draft, answers);
  for (OpIndex row : graph.op_rows()) {
    const TaskId call = graph.call[row];
    const Question& question = graph.question[call];
    if (question.rule == Rule::kBlockingCopy && question.ask != Ask::kOwnWork) {
      LearnStaging(draft, call, answers.awaited[call]);
    }
  }
  CopyClasses classes;
  const HoldingCopies holding = FindHolding(draft, classes);
  // What the call did before the copy began is its own work (staging, page faults). Of a staged
  // copy that is what passed: when its call returns depends on how the last pieces fall, by
  // hundreds of microseconds, and must not be taken for work at its begin. Of the others, and where
  // too few show how calls return, it is what is left of the call's duration without the copy and
  // its tail.
  auto cost_of = [&](OpIndex row, const CopyClass& of) {
    const TaskId op = graph.OpAt(row);
    const TaskId call = graph.call[row];
    const bool is_told = (graph.flags[op] & kStaged) != 0 && !graph.constants[of.tail].is_default;
    const DurationNs before = is_told
                                  ? graph.measured_begin[op] - graph.measured_begin[call]
                                  : graph.measured(call) - graph.measured(op) - graph.lag(of.tail);
    return std::max<DurationNs>(0, before - graph.lag(graph.SubmitDelay(op)));
  };
  auto was_free = [&](OpIndex row, DurationNs after) {
    const TimeNs time = graph.measured_begin[graph.call[row]] + after;
    return EndedBefore(draft, answers.stream[row], time) &&
           EndedBefore(draft, answers.engine[row], time) &&
           EndedBefore(draft, answers.other[row], time);
  };
  for (const auto& [row, of] : holding) {
    if (was_free(row, 0)) of->costs.push_back(cost_of(row, *of));
  }
  for (auto& [name, of] : classes) {
    of.usual_cost = of.costs.size() < kMinSamples ? DefaultStart(of.facts) : UpperMedian(of.costs);
  }
  // Where the copy had to wait for others the cost cannot be told; the usual one stands in.
  for (const auto& [row, of] : holding) {
    const TaskId call = graph.call[row];
    const DurationNs cost = cost_of(row, *of);
    graph.question[call].latency = of->tail;
    graph.own[call] = was_free(row, of->usual_cost) ? cost : std::min(of->usual_cost, cost);
    graph.flags[call] |= kWaited;
  }
}

}  // namespace xsp
