#include <map>
#include <string>
#include <vector>

#include "sim/whatifs/all.h"
#include "sim/whatifs/host/copies.h"
#include "sim/whatifs/host/reads.h"

// A loop reads a flag or a loss in every iteration, and the host waits for it each time: it reads
// every Nth only, and launches ahead in between.
namespace xsp {
namespace {

constexpr WhatIfOption kReadEveryOptions[] = {{"every", "10", "of so many reads one stays"}};

// A value or a few; what is larger is data that somebody uses.
constexpr std::uint64_t kValueBytes = 64;
// Fewer are no loop.
constexpr std::size_t kLeastReads = 4;

struct Read {
  TaskId read_call;
  TaskId wait;  // Where another call waits for it; the same where the read does.
};

// Per place in the program, in order.
using Reads = std::map<std::string, std::vector<Read>>;

Reads FindReads(const Plan& plan) {
  const TaskGraph& graph = plan.graph();
  Reads reads;
  for (TaskId host : graph.host_tasks()) {
    TaskId read = BlockingRead(graph, host);
    if (!read.valid()) {
      read = CopyBefore(graph, host);
      const bool is_read = read.valid() && graph.op_class[graph.RowOf(read)] == OpClass::kDtoH;
      if (!is_read || !graph.event[read].valid()) continue;
    }
    if (CopyBytes(graph, read) > kValueBytes || !plan.Counts(host)) continue;
    const TaskId call = graph.CallOf(read);
    const std::string operation(plan.facts().Operation(call));
    const std::string place = operation.empty() ? std::string(plan.facts().Name(call)) : operation;
    std::vector<Read>& of_place = reads[place + ", " + SizeWords(CopyBytes(graph, read)) +
                                        ", thread " + std::to_string(graph.lane[call])];
    const bool is_same = !of_place.empty() && of_place.back().read_call == call;
    if (is_same) {
      of_place.back().wait = host;
    } else {
      of_place.push_back({call, host});
    }
  }
  return reads;
}

// The last one of a loop tells that it is over, and stays, with every Nth before it.
void SkipReads(Plan& plan, const std::vector<Read>& reads, std::size_t every, ChangeId change,
               ChangeId waits) {
  for (std::size_t i = 0; i < reads.size(); ++i) {
    if ((reads.size() - 1 - i) % every == 0) continue;
    plan.RemoveCall(reads[i].read_call, change);
    if (reads[i].wait != reads[i].read_call) plan.RemoveCall(reads[i].wait, waits);
  }
}

Applied ApplyReadEvery(Plan& plan, const WhatIfValues& values) {
  const std::size_t every = std::max(2u, values.Count("every"));
  Reads reads = FindReads(plan);
  std::erase_if(reads, [](const auto& place) { return place.second.size() < kLeastReads; });
  if (reads.empty()) {
    return Applied::No("the host does not read single values again and again");
  }
  const ChangeId change = plan.AddChange("reads of single values", "kind=memcpy DtoH, to 64 B");
  const ChangeId waits = plan.AddChange("waits right behind them", "rule=host_sync");
  for (const auto& [place, of_place] : reads) SkipReads(plan, of_place, every, change, waits);
  plan.RestsOn(kStructural);
  plan.Caution("a loop that ends by what it reads runs up to " + std::to_string(every - 1) +
               " iterations longer");
  return Applied::Yes();
}

}  // namespace

const WhatIf kReadEvery = {
    "read-every",
    "Read the flag every N iterations",
    "of reads of single values in a loop every 10th stays",
    kStructural,
    "",
    Effort::kLines,
    {"read less often", "loss.item() every 10th step", "check for the end every 10th iteration"},
    kReadEveryOptions,
    ApplyReadEvery};

}  // namespace xsp
