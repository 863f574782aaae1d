#include <algorithm>
#include <array>
#include <string>

#include "base/quantile.h"
#include "graph/draft.h"

// Calls after which the device takes up work late, for reasons that no row of a trace shows. Under
// WDDM (Windows, WSL2) memory is mapped when an allocation has returned, and the next operation
// waits for it. A call that takes a buffer from a graphics API, or gives it back, leaves the device
// to that API: what CUDA issues next waits for frames to be drawn.
namespace xsp {
namespace {

// Allocations hold the device up in this trace if three in four of the operations behind them are
// late by more than this. Elsewhere one in thousands is.
constexpr DurationNs kLate = 20'000;

// How much later an operation began than all that the trace shows of it asks for.
DurationNs LatenessOf(const Draft& draft, const Answers& answers, OpIndex row) {
  const TaskGraph& graph = draft.graph;
  TimeNs ready = graph.measured_end[graph.call[row]];
  for (TaskId task :
       {answers.stream[row], answers.engine[row], answers.other[row], answers.stall[row]}) {
    if (task.valid()) ready = std::max(ready, draft.EndOf(task));
  }
  return graph.measured_begin[graph.OpAt(row)] - ready;
}

// Does the end of its call tell when the operation was on its way?
bool IsTelling(const TaskGraph& graph, OpIndex row) {
  const TaskId call = graph.call[row];
  return graph.submit[row] == Submit::kAfterOwnCost && graph.first_op[call] == graph.OpAt(row) &&
         graph.question[call].ask != Ask::kOwnWork;
}

// Whether the device had nothing left to do on this stream when the call that may hold it up
// returned: only then the operation's begin tells how long it was held up.
bool WasIdle(const Draft& draft, const Answers& answers, OpIndex row) {
  const TimeNs returned = draft.EndOf(answers.stall[row]);
  for (TaskId task : {answers.stream[row], answers.engine[row], answers.other[row]}) {
    if (task.valid() && draft.EndOf(task) > returned) return false;
  }
  return true;
}

void LearnMapping(Draft& draft, const Answers& answers) {
  TaskGraph& graph = draft.graph;
  struct Evidence {
    Latencies lateness;
    bool stalls = false;
  };
  PerName<Evidence> evidence(draft);
  auto name_of = [&](TaskId stall) { return draft.NameOf(stall); };
  for (OpIndex row : graph.op_rows()) {
    const TaskId stall = answers.stall[row];
    if (!stall.valid() || !IsTelling(graph, row) || !WasIdle(draft, answers, row)) continue;
    evidence[name_of(stall)].lateness.push_back(LatenessOf(draft, answers, row));
  }
  for (TaskId task : graph.host_tasks()) {
    if ((graph.flags[task] & kMapsMemory) == 0) continue;
    auto& [seen, stalls] = evidence[draft.NameOf(task)];
    if (!seen.empty()) {  // The first task of this name.
      stalls = seen.size() >= kMinSamples && NthOf(seen, seen.size() / 4) > kLate;
      seen.clear();
    }
    if (!stalls) graph.flags[task] &= ~kMapsMemory;
  }
  Latencies samples;
  for (OpIndex row : graph.op_rows()) {
    const TaskId stall = answers.stall[row];
    if (!stall.valid() || !evidence[name_of(stall)].stalls || !IsTelling(graph, row)) continue;
    if (!WasIdle(draft, answers, row)) continue;
    // A launch that came long after says little about how long the device was held up.
    const DurationNs since = graph.measured_begin[graph.OpAt(row)] - draft.EndOf(stall);
    if (2 * LatenessOf(draft, answers, row) >= since) samples.push_back(since);
  }
  if (!samples.empty()) graph.mapping_stall = graph.constants.Learn("mapping_stall", samples, 0);
}

void LearnGraphics(Draft& draft, const Answers& answers) {
  TaskGraph& graph = draft.graph;
  std::array<Latencies, kOpClassCount> samples;
  for (OpIndex row : graph.op_rows()) {
    const TaskId op = graph.OpAt(row);
    if ((graph.flags[op] & kAfterGraphics) == 0 || !IsTelling(graph, row)) continue;
    const DurationNs late = LatenessOf(draft, answers, row);
    samples[graph.ClassIndex(op)].push_back(std::max<DurationNs>(0, late));
  }
  for (std::size_t i = 0; i < kOpClassCount; ++i) {
    if (samples[i].empty()) continue;
    const std::string name = "graphics_stall." + std::string(NameOf(static_cast<OpClass>(i)));
    graph.graphics_stall[i] = graph.constants.Learn(name, samples[i], 0);
  }
}

}  // namespace

void AskForStalls(Draft& draft) {
  TaskGraph& graph = draft.graph;
  for (const GraphThread& thread : graph.threads) {
    bool after_graphics = false;
    for (TaskId task : thread.tasks()) {
      const CallClass call_class = draft.ClassOf(task);
      if (call_class == CallClass::kAllocate) graph.flags[task] |= kMapsMemory;
      if (call_class == CallClass::kGraphics) after_graphics = true;
      if (!after_graphics || graph.OpsOf(task).empty()) continue;
      graph.flags[graph.first_op[task]] |= kAfterGraphics;
      after_graphics = false;
    }
  }
}

void LearnStalls(Draft& draft, const Answers& answers) {
  LearnMapping(draft, answers);
  LearnGraphics(draft, answers);
}

}  // namespace xsp
