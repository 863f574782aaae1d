#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "model/time.h"

namespace xsp {

// Who makes data ready for the loads of one thread, beside it: worker processes, a thread, a
// prefetcher. Loads of one producer are those of one thread and one range name.
struct GraphProducer {
  std::string name;          // Of the range, numbers left out.
  std::uint32_t thread = 0;  // Whose loads they are: a row of TaskGraph::threads.
  std::uint32_t loads = 0;
  std::uint32_t waited = 0;  // Of these, those that waited for their batch.
  DurationNs interval = 0;   // From one load to the next, on average.
  bool is_known = false;     // It is waited for so often that its speed shows; else the interval
                             // is the slowest it can have been: it may be faster.
};

// What a load waits for: its batch is there an interval after an earlier load of the same producer
// was. Between two loads that both waited the producer was busy all the time, so what lies between
// their finishes is how long it takes; loads between them found their batch ready, as the workers
// of a pool deliver all at once.
struct GraphBatch {
  std::uint32_t producer = 0;  // A row of GraphFrame::producers.
  std::uint32_t back = 0;      // How many loads before; 0: the batch is there.
  DurationNs interval = 0;
  DurationNs alone = 0;   // How long it waits where that load is not part of the graph.
  bool is_bound = false;  // Only where producers are as slow as they can be (Overlay).

  // The same where a batch takes its producer another time: it is there so much sooner, or later.
  DurationNs AloneAt(DurationNs other_interval) const {
    const bool waits = back > 0 && !is_bound;
    return waits ? std::max<DurationNs>(0, alone + other_interval - interval) : 0;
  }
  void SetInterval(DurationNs ns) {
    alone = AloneAt(ns);
    interval = ns;
  }
};

}  // namespace xsp
