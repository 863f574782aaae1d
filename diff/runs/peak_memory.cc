#include "diff/runs/peak_memory.h"

#include <algorithm>
#include <map>
#include <utility>

namespace xsp {

std::optional<std::uint64_t> PeakDeviceMemory(const Trace& trace) {
  const MemoryOperations& memory = trace.memory();
  std::map<std::pair<ProcessId, std::uint64_t>, std::uint64_t> live;  // Bytes by address.
  std::uint64_t level = 0;
  std::uint64_t peak = 0;
  bool any = false;
  for (EventId e : trace.OfKind(EventKind::kMemory)) {
    const std::uint32_t row = trace.Row(e);
    const MemoryKind kind = memory.memory_kind[row];
    if (kind != MemoryKind::kDevice && kind != MemoryKind::kManaged) continue;
    any = true;
    const std::pair key(trace.process_of(e), memory.address[row]);
    // What a free releases is what was allocated at its address: not all exports tell its size.
    if (const auto before = live.find(key); before != live.end()) {
      level -= before->second;
      live.erase(before);
    }
    if (memory.operation[row] != MemoryOperation::kAllocate) continue;
    const std::uint64_t bytes = memory.bytes[row];
    if (bytes == kMissing<std::uint64_t> || bytes > UINT64_MAX - level) continue;
    live[key] = bytes;
    level += bytes;
    peak = std::max(peak, level);
  }
  return any ? std::optional(peak) : std::nullopt;
}

}  // namespace xsp
