#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/whatifs/all.h"

// The host no longer waits for the device where the program could do without:
// explicit syncs, and reads of single values (.item(), .cpu() of a loss).
namespace xsp {
namespace {

constexpr WhatIfOption kNoSyncOptions[] = {
    {"copies", "small", "which blocking reads go, too: none, small (to 64 KB), all"}};

// A read of a value or two; larger ones bring results that somebody uses.
constexpr std::uint64_t kSmall = 64 * 1024;

std::uint64_t LargestCopy(const WhatIfValues& values) {
  const std::string& text = values.Text("copies");
  if (text == "none") return 0;
  return text == "all" ? UINT64_MAX : kSmall;
}

// A call that holds the host until a copy to it is done.
bool IsBlockingRead(const TaskGraph& graph, TaskId host, std::uint64_t most) {
  const TaskRange ops = graph.OpsOf(host);
  if (ops.empty() || !IsWait(graph.question[host].ask)) return false;
  const TaskId op = ops.front();
  const bool is_read =
      graph.kind[op] == TaskKind::kMemcpy && graph.op_class[graph.RowOf(op)] == OpClass::kDtoH;
  if (!is_read || !graph.event[op].valid()) return false;
  return graph.trace->copies().bytes[graph.trace->Row(graph.event[op])] <= most;
}

bool IsSync(const TaskGraph& graph, TaskId host) {
  return graph.kind[host] == TaskKind::kCall && graph.question[host].rule == Rule::kHostSync &&
         IsWait(graph.question[host].ask) && graph.OpsOf(host).empty();
}

// The host must know when all is done: the last wait of each thread stays where
// no step follows.
std::vector<TaskId> LastWaits(const Plan& plan) {
  std::vector<TaskId> last;
  if (plan.unit().is_step) return last;
  const TaskGraph& graph = plan.graph();
  for (const GraphThread& thread : graph.threads) {
    TaskId wait;
    for (TaskId host : thread.tasks()) {
      const bool is_call = graph.kind[host] == TaskKind::kCall;
      if (is_call && IsWait(graph.question[host].ask)) wait = host;
    }
    if (wait.valid()) last.push_back(wait);
  }
  return last;
}

Applied ApplyNoSync(Plan& plan, const WhatIfValues& values) {
  const TaskGraph& graph = plan.graph();
  const std::uint64_t most = LargestCopy(values);
  const std::vector<TaskId> last = LastWaits(plan);
  std::vector<TaskId> syncs, reads;
  for (TaskId host : graph.host_tasks()) {
    if (std::find(last.begin(), last.end(), host) != last.end()) continue;
    if (IsSync(graph, host)) syncs.push_back(host);
    if (most > 0 && IsBlockingRead(graph, host, most)) reads.push_back(host);
  }
  if (syncs.empty() && reads.empty()) {
    return Applied::No("the host never waits for the device in this part of the trace");
  }
  const ChangeId gone = plan.AddChange("waits of the host removed", "rule=host_sync");
  for (const TaskId call : syncs) plan.RemoveCall(call, gone);
  if (!reads.empty()) {
    const ChangeId read = plan.AddChange("reads of single values removed", "kind=memcpy DtoH");
    for (const TaskId call : reads) plan.RemoveCall(call, read);
  }
  plan.RestsOn(kStructural);
  plan.Assume("nothing that the host does next depends on what it waited for");
  plan.Caution("no trace tells whether the host needs what it waits for: look at each wait first");
  return Applied::Yes();
}

}  // namespace

const WhatIf kNoSync = {"no-sync",
                        "No host syncs",
                        "the host does not wait for the device: no syncs, no .item()",
                        kStructural,
                        "",
                        Effort::kLines,
                        kNoSyncOptions,
                        ApplyNoSync};

}  // namespace xsp
