#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "model/spans.h"
#include "stats/distribution.h"
#include "stats/level_over_time.h"
#include "stats/reports/reports.h"
#include "stats/rounding.h"

namespace xsp {
namespace {

constexpr std::size_t kMemoryParts = 20;

// Allocated memory of one kind, of one process on one device.
struct Usage {
  std::int64_t level = 0;  // Bytes, at the end of the trace.
  std::int64_t peak = 0;
  TimeNs peak_time = 0;
  std::int64_t allocated = 0;  // All allocations together.
  std::int64_t allocations = 0;
  std::int64_t frees = 0;
  std::int64_t unknown_frees = 0;  // Of what was allocated before the recording began.
  LevelOverTime over_time;
  std::unordered_map<std::uint64_t, std::int64_t> live;  // Bytes by address.
  std::int64_t before = 0;  // Allocated before the recording, and not yet freed.
  bool is_told = false;     // What is in use has been told once.

  // What is in use in all, as the source tells beside an operation: the rest was there before.
  void Tell(TimeNs time, std::int64_t in_use) {
    if (std::exchange(is_told, true) || in_use <= level) return;
    before = in_use - level;
    over_time.Change(time, before);
    level = in_use;
    NotePeak(time);
  }

  void NotePeak(TimeNs time) {
    if (level <= peak) return;
    peak = level;
    peak_time = time;
  }

  void Allocate(TimeNs time, std::uint64_t address, std::int64_t bytes) {
    ++allocations;
    allocated = SaturatingAdd(allocated, bytes);
    live[address] = bytes;
    level = SaturatingAdd(level, bytes);
    over_time.Change(time, bytes);
    NotePeak(time);
  }

  // What a free releases is what was allocated at its address: not all exports tell its size.
  // Of what was there before it is the size that is told, 0 where none is.
  void Free(TimeNs time, std::uint64_t address, std::int64_t bytes) {
    ++frees;
    const auto it = live.find(address);
    if (it == live.end()) {
      ++unknown_frees;
      const std::int64_t released = std::min(bytes, before);
      before -= released;
      level -= released;
      over_time.Change(time, -released);
      return;
    }
    level -= it->second;
    over_time.Change(time, -it->second);
    live.erase(it);
  }
};

std::int64_t ClampToSigned(std::uint64_t bytes) {
  return static_cast<std::int64_t>(std::min<std::uint64_t>(bytes, INT64_MAX));
}

using UsageKey = std::tuple<ProcessId, std::uint32_t, MemoryKind>;  // Process, device, kind.
using Usages = std::map<UsageKey, Usage>;

Usages CollectUsage(const ReportInput& in) {
  Usages usages;
  const MemoryOperations& memory = in.trace.memory();
  in.events.ForEach(EventKind::kMemory, [&](EventId e) {
    const std::uint32_t row = in.trace.Row(e, EventKind::kMemory);
    const Track& track = in.trace.track(in.trace.track_of(e));
    Usage& usage = usages[{track.process, track.device, memory.memory_kind[row]}];
    const std::uint64_t bytes = memory.bytes[row];
    if (memory.operation[row] == MemoryOperation::kFree) {
      usage.Free(in.trace.begin(e), memory.address[row],
                 bytes == kMissing<std::uint64_t> ? 0 : ClampToSigned(bytes));
    } else if (bytes != kMissing<std::uint64_t>) {
      usage.Allocate(in.trace.begin(e), memory.address[row], ClampToSigned(bytes));
    }
    const std::uint64_t in_use = memory.pool_used_bytes[row];
    const bool has_pool = memory.pool[row] != kMissing<std::uint64_t>;
    if (in_use != kMissing<std::uint64_t> && !has_pool) {
      usage.Tell(in.trace.begin(e), ClampToSigned(in_use));
    }
  });
  return usages;
}

double InMegabytes(std::int64_t bytes) { return Megabytes(static_cast<double>(bytes)); }

}  // namespace

StatsTable MemoryUsage(const ReportInput& in) {
  StatsTable table("memory", "Allocated device memory",
                   {{"PID", StatsKind::kId},
                    {"DevId", StatsKind::kId},
                    {"Memory Kind", StatsKind::kText},
                    {"Peak", StatsKind::kMegabytes},
                    {"Peak At", StatsKind::kTime},
                    {"At End", StatsKind::kMegabytes},
                    {"Allocated", StatsKind::kMegabytes},
                    {"Allocations", StatsKind::kInteger},
                    {"Frees", StatsKind::kInteger},
                    {"Frees of Unknown", StatsKind::kInteger}});
  for (const auto& [key, usage] : CollectUsage(in)) {
    const auto& [process, device, kind] = key;
    table.AddRow(in.trace.process(process).pid, device, MemoryKindLabel(kind),
                 InMegabytes(usage.peak), usage.peak_time, InMegabytes(usage.level),
                 InMegabytes(usage.allocated), usage.allocations, usage.frees, usage.unknown_frees);
  }
  return table;
}

StatsTable MemoryOverTime(const ReportInput& in) {
  StatsTable table("memory_over_time", "Allocated device memory over time",
                   {{"PID", StatsKind::kId},
                    {"DevId", StatsKind::kId},
                    {"Memory Kind", StatsKind::kText},
                    {"Start", StatsKind::kTime},
                    {"Duration", StatsKind::kTime},
                    {"At End", StatsKind::kMegabytes},
                    {"Max", StatsKind::kMegabytes}});
  const std::optional<TimeRange> span = ProgramSpan(in.trace);
  if (!span) return table;
  Usages usages = CollectUsage(in);
  for (auto& [key, usage] : usages) {
    const auto& [process, device, kind] = key;
    for (const LevelOverTime::Part& part : usage.over_time.Parts(*span, kMemoryParts)) {
      table.AddRow(in.trace.process(process).pid, device, MemoryKindLabel(kind), part.time.begin,
                   part.time.Length(), InMegabytes(part.last), InMegabytes(part.max));
    }
  }
  return table;
}

}  // namespace xsp
