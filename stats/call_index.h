#pragma once

#include <cstdint>
#include <vector>

#include "model/trace.h"

namespace xsp {

// All rows of CUDA calls by process and correlation id, as NVIDIA's reports join them: the second
// row that --cudabacktrace writes for a call counts as another call, and so does a later call under
// a reused id. Everyone else wants Trace::call_of.
class CallIndex {
 public:
  explicit CallIndex(const Trace& trace);

  // Calls f(row) for each row of the call that issued this work, in the order of the trace.
  template <class F>
  void ForEach(EventId work, F&& f) const {
    const std::uint32_t correlation = trace_.events().correlation[work.value];
    if (correlation == 0 || slots_.empty()) return;
    EventId row = slots_[SlotOf(trace_.process_of(work), correlation)];
    for (; row.valid(); row = next_[row.value - first_row_]) f(row);
  }

 private:
  std::size_t SlotOf(ProcessId process, std::uint32_t correlation) const;

  const Trace& trace_;
  std::uint32_t first_row_ = 0;
  std::vector<EventId> slots_;  // First row under each key; open addressing.
  std::vector<EventId> next_;   // The next row under the same key, by row.
};

}  // namespace xsp
