#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>

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

  // What is in use in all, where the source tells so beside every operation: with what was
  // allocated before the recording.
  void Tell(TimeNs time, std::int64_t in_use) {
    over_time.Change(time, in_use - level);
    level = in_use;
    NotePeak(time);
  }

  // An operation beside which the level is told.
  void Count(bool is_free, std::uint64_t address, std::int64_t bytes) {
    if (is_free) {
      ++frees;
      unknown_frees += live.erase(address) == 0 ? 1 : 0;
      return;
    }
    ++allocations;
    allocated = SaturatingAdd(allocated, bytes);
    live[address] = bytes;
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

  // What a free releases is what was allocated at its address: not all exports tell its size, and
  // some tell nothing but that.
  void Free(TimeNs time, std::uint64_t address, std::int64_t bytes) {
    ++frees;
    if (address == kMissing<std::uint64_t>) {
      const std::int64_t released = std::min(bytes, level);
      level -= released;
      over_time.Change(time, -released);
      return;
    }
    const auto it = live.find(address);
    if (it == live.end()) {
      ++unknown_frees;
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
    const std::uint64_t bytes = memory.bytes[row], in_use = memory.pool_used_bytes[row];
    const bool frees = memory.operation[row] == MemoryOperation::kFree;
    const bool is_told =
        in_use != kMissing<std::uint64_t> && memory.pool[row] == kMissing<std::uint64_t>;
    if (!frees && bytes == kMissing<std::uint64_t>) return;
    if (is_told) {
      usage.Count(frees, memory.address[row], frees ? 0 : ClampToSigned(bytes));
      usage.Tell(in.trace.begin(e), ClampToSigned(in_use));
    } else if (frees) {
      usage.Free(in.trace.begin(e), memory.address[row],
                 bytes == kMissing<std::uint64_t> ? 0 : ClampToSigned(bytes));
    } else {
      usage.Allocate(in.trace.begin(e), memory.address[row], ClampToSigned(bytes));
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
