#include "sim/diagnosis/habits.h"

#include <algorithm>
#include <array>
#include <map>

#include "sim/diagnosis/diagnosis.h"
#include "sim/whatif.h"
#include "sim/whatifs/host/memory_calls.h"

namespace xsp {
namespace {

// Rows of kRules.
enum Row : std::size_t {
  kPageableCopies,
  kSyncCopies,
  kSyncMemsets,
  kSyncCalls,
  kSmallReads,
  kBlockingLaunches,
  kTinyLaunches,
  kAllocations,
  kMigrations,
  kRowCount
};

constexpr std::array<HabitRule, kRowCount> kRules = {{
    {"pageable-copies", "cuda_memcpy_async", "pageable copy", "pageable copies", "pinned",
     "pinned memory saves"},
    {"sync-copies", "cuda_memcpy_sync", "blocking copy", "blocking copies", "pinned",
     "pinned and async saves"},
    {"sync-memsets", "cuda_memset_sync", "blocking memset", "blocking memsets", "", ""},
    {"sync-calls", "cuda_api_sync", "wait of the host", "waits of the host", "no-sync",
     "skipping saves"},
    {"small-reads", "", "read that the host waits for", "reads that the host waits for", "no-sync",
     "not waiting saves"},
    {"blocking-launches", "", "launch that waits for its kernel",
     "launches that wait for their kernels", "no-sync", "without CUDA_LAUNCH_BLOCKING=1 saves"},
    {"tiny-launches", "", "tiny kernel", "tiny kernels", "cuda-graphs", "graphs save"},
    {"allocations", "", "allocation or release", "allocations and releases", "allocate-once",
     "allocating once saves"},
    {"page-migrations", "", "page migration", "page migrations", "prefetch-managed",
     "prefetching saves"},
}};

struct Sum {
  std::uint64_t count = 0;
  DurationNs ns = 0;
};

class HabitFinder {
 public:
  HabitFinder(const TaskGraph& graph, const std::vector<TimeRange>& times)
      : graph_(graph), trace_(*graph.trace), times_(times) {
    is_async_.resize(trace_.strings().size());
    memory_use_.resize(trace_.strings().size());
    for (EventId call : trace_.OfKind(EventKind::kApi)) {
      const StringId name = trace_.name_of(call);
      if (!name.valid() || is_async_[name.value] != 0) continue;
      const bool is_async = trace_.strings().Get(name).find("Async") != std::string_view::npos;
      is_async_[name.value] = is_async ? 2 : 1;
      memory_use_[name.value] = MemoryUseOf(trace_.strings().Get(name));
    }
  }

  std::array<Sum, kRowCount> Run() {
    for (TaskId host : graph_.host_tasks()) {
      const EventId call = graph_.event[host];
      if (!call.valid() || graph_.kind[host] != TaskKind::kCall) continue;
      if (!IsInTimes(trace_.begin(call))) continue;
      if (graph_.OpsOf(host).empty()) {
        if (IsSync(host)) Count(kSyncCalls, graph_.measured(host));
        const bool is_cold = (graph_.flags[host] & kCold) != 0;
        if (!is_cold && IsMemoryCall(call)) Count(kAllocations, graph_.measured(host));
        continue;
      }
      LookAtWork(host, call);
    }
    for (EventId e : trace_.OfKind(EventKind::kMigration)) {
      if (IsInTimes(trace_.begin(e))) Count(kMigrations, trace_.duration(e));
    }
    return sums_;
  }

 private:
  bool IsInTimes(TimeNs at) const {
    auto after = std::upper_bound(times_.begin(), times_.end(), at,
                                  [](TimeNs t, const TimeRange& range) { return t < range.begin; });
    return after != times_.begin() && std::prev(after)->Contains(at);
  }

  void Count(Row row, DurationNs ns) {
    ++sums_[row].count;
    sums_[row].ns += ns;
  }

  // A call may be without a name; then it is taken for one of those that wait.
  bool IsAsync(EventId call) const {
    const StringId name = trace_.name_of(call);
    return name.valid() && is_async_[name.value] == 2;
  }

  // Allocation and release, from a pool as well.
  bool IsMemoryCall(EventId call) const {
    const StringId name = trace_.name_of(call);
    return name.valid() && memory_use_[name.value] != MemoryUse::kNone;
  }

  bool IsSync(TaskId host) const {
    const Question& question = graph_.question[host];
    return (question.rule == Rule::kHostSync || question.rule == Rule::kPolling) &&
           IsWait(question.ask);
  }

  void LookAtWork(TaskId host, EventId call) {
    const TaskRange ops = graph_.OpsOf(host);
    const TaskId op = ops.front();
    const EventId work = graph_.event[op];
    if (!work.valid()) return;
    if (graph_.question[host].rule == Rule::kBlockingLaunch) {
      Count(kBlockingLaunches, graph_.measured(host) - graph_.own[host]);
    }
    const bool is_async = IsAsync(call);
    if (graph_.kind[op] == TaskKind::kMemcpy) LookAtCopy(op, call, is_async);
    if (graph_.kind[op] == TaskKind::kMemset && !is_async) {
      Count(kSyncMemsets, trace_.duration(call));
    }
    // Launches of a whole graph are what a cure looks like.
    const bool is_one = ops.size() == 1;
    if (graph_.kind[op] == TaskKind::kKernel && is_one && (graph_.flags[host] & kWaited) == 0 &&
        trace_.duration(work) < graph_.own[host] && (graph_.flags[host] & kCold) == 0) {
      Count(kTinyLaunches, trace_.duration(call));
    }
  }

  void LookAtCopy(TaskId op, EventId call, bool is_async) {
    const OpClass of = graph_.op_class[graph_.RowOf(op)];
    if (of != OpClass::kHtoD && of != OpClass::kDtoH) return;
    const EventId work = graph_.event[op];
    const std::uint32_t row = trace_.Row(work, EventKind::kMemcpy);
    const MemoryKind memory =
        (of == OpClass::kHtoD ? trace_.copies().source_kind : trace_.copies().target_kind)[row];
    // Data is copied; a value or a few are read to decide something.
    constexpr std::uint64_t kSmall = 64 << 10;
    const bool is_small = of == OpClass::kDtoH && trace_.copies().bytes[row] <= kSmall;
    if (is_small && IsWait(graph_.question[graph_.CallOf(op)].ask)) {
      return Count(kSmallReads, trace_.duration(call));
    }
    if (!is_async) return Count(kSyncCopies, trace_.duration(call));
    if (memory == MemoryKind::kPageable) Count(kPageableCopies, trace_.duration(work));
  }

  const TaskGraph& graph_;
  const Trace& trace_;
  const std::vector<TimeRange>& times_;
  std::vector<std::uint8_t> is_async_;  // By name: 0 no call, 1 no, 2 yes.
  std::vector<MemoryUse> memory_use_;   // By name.
  std::array<Sum, kRowCount> sums_{};
};

// A forecast per what-if: several rules may have the same one.
std::optional<double> GainOf(const Workbench& workbench, std::string_view option) {
  const std::size_t equals = option.find('=');
  const WhatIf* whatif = FindWhatIf(option.substr(0, equals));
  if (whatif == nullptr) return std::nullopt;
  const std::string_view values = equals == option.npos ? "" : option.substr(equals + 1);
  const ChosenWhatIf chosen{whatif, WhatIfValues(whatif->name, whatif->options, values)};
  const Forecast forecast = workbench.Run({&chosen, 1});
  return forecast.applies ? 1 - 1 / forecast.Speedup() : 0;
}

}  // namespace

std::span<const HabitRule> AllHabitRules() { return kRules; }

std::vector<Habit> FindHabits(const TaskGraph& graph, const Unit& unit,
                              const std::vector<TimeRange>& times) {
  const std::array<Sum, kRowCount> sums = HabitFinder(graph, times).Run();
  const UnitMeans means = UnitMeans::OfCounted(unit);
  std::vector<Habit> habits;
  for (std::size_t row = 0; row < kRowCount; ++row) {
    if (sums[row].count == 0) continue;
    habits.push_back({&kRules[row], means.Count(static_cast<std::uint32_t>(sums[row].count)),
                      unit.MeanOfCounted(sums[row].ns), std::nullopt});
  }
  return habits;
}

void SimulateHabits(const Workbench& workbench, std::vector<Habit>& habits) {
  std::map<std::string_view, Habit*> longest;
  for (Habit& habit : habits) {
    if (habit.rule->whatif.empty()) continue;
    Habit*& best = longest.try_emplace(habit.rule->whatif, &habit).first->second;
    if (habit.ns > best->ns) best = &habit;
  }
  for (const auto& [option, habit] : longest) habit->gain = GainOf(workbench, option);
  std::stable_sort(habits.begin(), habits.end(), [](const Habit& a, const Habit& b) {
    return a.gain.value_or(-1) > b.gain.value_or(-1);
  });
}

}  // namespace xsp
