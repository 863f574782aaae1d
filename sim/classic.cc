#include "sim/classic.h"

#include "graph/rule.h"

namespace xsp {
namespace {

bool IsReadToHost(const TaskGraph& graph, TaskId host) {
  const TaskRange ops = graph.OpsOf(host);
  return !ops.empty() && graph.op_class[graph.RowOf(ops.front())] == OpClass::kDtoH;
}

}  // namespace

TaskGraph ClassicGraph(const TaskGraph& graph) {
  TaskGraph classic = graph;
  for (const Rule rule : {Rule::kLaunchQueue, Rule::kCopyEngine, Rule::kAllocation}) {
    classic.ignored_rules |= 1u << IndexOf(rule);
  }
  for (TaskId host : graph.host_tasks()) {
    Question& question = classic.question[host];
    if (graph.kind[host] == TaskKind::kLoad) {
      question = {};
      classic.own[host] = graph.measured(host);
    }
    if (graph.kind[host] != TaskKind::kCall) continue;
    if (IsReadToHost(graph, host)) {
      // Waits for its own copy, which comes behind everything on its stream.
      question = {};
      question.ask = Ask::kOwnWork;
      question.rule = Rule::kBlockingCopy;
      continue;
    }
    if (question.rule == Rule::kHostSync && IsWait(question.ask)) continue;
    if (IsWait(question.ask)) question = {};
    classic.own[host] = graph.measured(host);
  }
  return classic;
}

}  // namespace xsp
