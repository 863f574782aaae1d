#pragma once

#include <cstdint>
#include <vector>

#include "model/trace.h"

namespace xsp {

// All rows of CUDA calls by process and correlation id, as NVIDIA's reports join them: the second
// row that --cudabacktrace writes for a call counts as another call, and so does a later call under
// a reused id. Everyone else wants Trace::call_of, and so does work under an id that more rows have
// than any program's: joined with all of them, some megabytes of a file would make billions of
// rows.
class CallIndex {
 public:
  explicit CallIndex(const Trace& trace);

  // Calls f(row) for each row of the call that issued this work, in the order of the trace.
  template <class F>
  void ForEach(EventId work, F&& f) const {
    const std::uint32_t correlation = trace_.events().correlation[work.value];
    if (correlation == 0 || slots_.empty()) return;
    const std::size_t slot = SlotOf(trace_.process_of(work), correlation);
    EventId row = slots_[slot];
    if (rows_[slot] > kMostRows) {
      row = trace_.call_of(work);
      if (row.valid()) f(row);
      return;
    }
    for (; row.valid(); row = next_[row.value - first_row_]) f(row);
  }

 private:
  static constexpr std::uint32_t kMostRows = 64;

  std::size_t SlotOf(ProcessId process, std::uint32_t correlation) const;

  const Trace& trace_;
  std::uint32_t first_row_ = 0;
  std::vector<EventId> slots_;       // First row under each key; open addressing.
  std::vector<std::uint32_t> rows_;  // How many there are, by slot.
  std::vector<EventId> next_;        // The next row under the same key, by row.
};

}  // namespace xsp
