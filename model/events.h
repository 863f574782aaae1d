#pragma once

#include <cstdint>

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
template <template <class> class Of>
struct EventFields {
  Of<TimeNs> begin;
  Of<TimeNs> end;
  Of<TrackId> track;
  Of<StringId> name;
  Of<std::uint32_t> correlation;
  Of<EventId> call;
  Of<std::uint8_t> flags;

  template <class... As, class F>
  static constexpr void Columns(F&& f) {
    f(Column{"begin_ns", "ns", "When it began, on the trace's clock."}, &As::begin...);
    f(Column{"end_ns", "ns", "When it ended; equal to begin_ns for an instant."}, &As::end...);
    f(Column{"track", "", "Where it happened: a row of tracks."}, &As::track...);
    f(Column{"name", "", "Its name, a row of strings. Kernels: the full demangled signature.",
             Nulls::kAllowed},
      &As::name...);
    f(Column{"correlation", "", "The id that links a call with its work, per process; 0: none."},
      &As::correlation...);
    f(Column{"call", "", "The CUDA call that issued this work, wait or record: a row of events.",
             Nulls::kAllowed},
      &As::call...);
    f(Column{"flags", "",
             "1: unfinished, the end is the end of the recording; 2: the source's end lay before "
             "its begin, so it counts as an instant."},
      &As::flags...);
  }
};
using Events = TraceTable<EventFields>;

}  // namespace xsp
