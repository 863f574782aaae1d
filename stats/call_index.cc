#include "stats/call_index.h"

#include <bit>

#include "base/hash.h"

namespace xsp {

CallIndex::CallIndex(const Trace& trace) : trace_(trace) {
  first_row_ = trace.OfKind(EventKind::kApi).first;
  const std::uint32_t last_row = trace.OfKind(EventKind::kApiBacktrace).last;
  const std::size_t rows = last_row - first_row_;
  if (rows == 0) return;
  slots_.resize(std::bit_ceil(rows * 2));
  rows_.resize(slots_.size());
  next_.resize(rows);
  // From the back, so that each chain runs in the order of the trace.
  for (std::uint32_t value = last_row; value-- > first_row_;) {
    const EventId row(value);
    const std::uint32_t correlation = trace.events().correlation[value];
    if (correlation == 0) continue;
    const std::size_t slot = SlotOf(trace.process_of(row), correlation);
    next_[value - first_row_] = slots_[slot];
    slots_[slot] = row;
    ++rows_[slot];
  }
}

std::size_t CallIndex::SlotOf(ProcessId process, std::uint32_t correlation) const {
  const std::uint64_t key = (std::uint64_t{process.value} << 32) | correlation;
  std::size_t slot = SlotHash(key);
  const std::size_t mask = slots_.size() - 1;
  for (slot &= mask;; slot = (slot + 1) & mask) {
    const EventId row = slots_[slot];
    if (!row.valid()) return slot;
    if (trace_.events().correlation[row.value] == correlation &&
        trace_.process_of(row) == process) {
      return slot;
    }
  }
}

}  // namespace xsp
