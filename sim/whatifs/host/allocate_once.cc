#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "model/names/call_names.h"
#include "sim/whatifs/all.h"
#include "sim/whatifs/host/memory_calls.h"

// Memory is taken once and used again: allocation and release in a loop go, and with them their
// waits for the device.
namespace xsp {
namespace {

constexpr WhatIfOption kAllocateOptions[] = {
    {"least", "4", "allocations that a part must make to be worth it"}};

// The calls that a part of a program makes, and how they recur.
struct MemoryCalls {
  std::vector<TaskId> taken, given;
  // Of the unit: allocations, those of them that are no one-time cost, and launches.
  std::uint32_t allocations = 0, recurring = 0, launches = 0;
  DurationNs setup = 0;  // What those that happen only once take.

  // Whether a loop allocates. A program may do so without ever giving memory back before it ends:
  // then all of it looks like growth, but there is an allocation for every few launches. The pools
  // of frameworks grow by far fewer.
  bool Recur(std::uint32_t least) const {
    constexpr std::uint32_t kMany = 16, kLaunchesEach = 10;
    return recurring >= least ||
           (allocations >= std::max(kMany, least) && kLaunchesEach * allocations >= launches);
  }
};

MemoryCalls FindMemoryCalls(const Plan& plan) {
  const TaskGraph& graph = plan.graph();
  MemoryCalls calls;
  std::unordered_set<std::uint32_t> has_memory;  // Processes whose first allocation was seen.
  for (TaskId host : graph.host_tasks()) {
    const bool counts = plan.Counts(host);
    if (!graph.OpsOf(host).empty()) calls.launches += counts ? 1 : 0;
    const MemoryUse memory = MemoryUseOf(plan.facts().Name(host));
    if (memory == MemoryUse::kNone || !graph.OpsOf(host).empty()) continue;
    const bool is_cold = (graph.flags[host] & kCold) != 0;
    if (memory == MemoryUse::kTaken) {
      // The memory has to come from somewhere: the first allocation stays, as large as all.
      const std::uint32_t process = graph.threads[graph.lane[host]].process.value;
      if (!plan.unit().is_step && has_memory.insert(process).second) continue;
      calls.allocations += counts ? 1 : 0;
      calls.recurring += counts && !is_cold ? 1 : 0;
    }
    if (is_cold && counts) calls.setup += graph.own[host];
    (memory == MemoryUse::kTaken ? calls.taken : calls.given).push_back(host);
  }
  return calls;
}

Applied ApplyAllocateOnce(Plan& plan, const WhatIfValues& values) {
  const MemoryCalls calls = FindMemoryCalls(plan);
  if (!calls.Recur(std::max(1u, values.Count("least")))) {
    return Applied::No("memory is not allocated again and again in this part of the trace");
  }
  const ChangeId allocations =
      plan.AddChange("allocations", "name=*Malloc*|*MemAlloc*|*HostAlloc*");
  for (const TaskId call : calls.taken) plan.RemoveCall(call, allocations);
  if (!calls.given.empty()) {
    const ChangeId releases = plan.AddChange("releases", "name=*Free*");
    for (const TaskId call : calls.given) plan.RemoveCall(call, releases);
  }
  plan.RestsOn(kStructural);
  plan.Assume("buffers are allocated once, as large as ever needed, or come from a pool");
  // Some of these calls set up more than memory, and whoever comes first then pays for it.
  constexpr double kMuch = 0.05;
  if (static_cast<double>(calls.setup) > kMuch * static_cast<double>(plan.unit().measured)) {
    plan.Caution("a part of it is what such calls set up once: that may only move elsewhere");
  }
  return Applied::Yes();
}

}  // namespace

MemoryUse MemoryUseOf(std::string_view name) {
  const std::string_view call = BareCallName(name);
  for (const std::string_view taken : {"Malloc", "MemAlloc", "HostAlloc", "MemHostAlloc"}) {
    if (call.starts_with(taken)) return MemoryUse::kTaken;
  }
  for (const std::string_view given : {"Free", "MemFree"}) {
    if (call.starts_with(given)) return MemoryUse::kGivenBack;
  }
  return MemoryUse::kNone;
}

const WhatIf kAllocateOnce = {"allocate-once",
                              "Allocate once",
                              "no allocation and release in the loop, nor their waits",
                              kStructural,
                              "",
                              Effort::kLines,
                              {"allocate once", "reuse buffers (out=), no empty_cache()",
                               "allocate before the loop, or cudaMallocAsync with a pool"},
                              kAllocateOptions,
                              ApplyAllocateOnce,
                              /*is_advice=*/true,
                              /*classic=*/nullptr,
                              /*changes_one_time=*/OneTimeScope::kMemory};

}  // namespace xsp
