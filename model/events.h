#pragma once

#include <cstdint>
#include <vector>

#include "model/column.h"
#include "model/ids.h"
#include "model/time.h"

namespace xsp {

// What an importer had to say about one event. Bits of Events::flags.
enum EventFlag : std::uint8_t {
  // The recording ended before the event did; its end is the end of what was recorded.
  kUnfinished = 1,
  // The source gave an end before the begin. The event counts as an instant: it has no duration.
  kBadEnd = 2,
};

// What all events have in common, as columns: row i of each vector is event i. In a finished trace
// the rows of one kind stand together (in the order of EventKind) and are sorted by begin.
struct Events {
  std::vector<TimeNs> begin;
  std::vector<TimeNs> end;
  std::vector<TrackId> track;
  std::vector<StringId> name;
  std::vector<std::uint32_t> correlation;
  std::vector<EventId> call;
  std::vector<std::uint8_t> flags;

  bool operator==(const Events&) const = default;

  template <class F>
  static constexpr void Columns(F&& f) {
    f(Column{"begin_ns", "ns", "When it began, on the trace's clock.", &Events::begin});
    f(Column{"end_ns", "ns", "When it ended; equal to begin_ns for an instant.", &Events::end});
    f(Column{"track", "", "Where it happened: a row of tracks.", &Events::track});
    f(Column{"name", "", "Its name, a row of strings. Kernels: the full demangled signature.",
             &Events::name, Nulls::kAllowed});
    f(Column{"correlation", "", "The id that links a call with its work, per process; 0: none.",
             &Events::correlation});
    f(Column{"call", "", "The CUDA call that issued this work, wait or record: a row of events.",
             &Events::call, Nulls::kAllowed});
    f(Column{"flags", "",
             "1: unfinished, the end is the end of the recording; 2: the source's end lay before "
             "its begin, so it counts as an instant.",
             &Events::flags});
  }
};

}  // namespace xsp
