#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "model/building/trace_builder.h"
#include "model/details.h"
#include "model/event_kind.h"
#include "model/events.h"

namespace xsp {

// The rows of NVTX_EVENTS between reading and building. They wait until all are there: a range
// that is still open lasts until the latest time in the whole table, and the rows that name
// domains, categories and threads stand anywhere in it.
class NsysNvtxRows {
 public:
  // Events of one kind of one run.
  struct Part {
    Events events;
    Nvtx details;
    std::vector<std::uint32_t> open;  // Rows that have no end yet.

    void Append(Part part);
  };
  enum class Naming : std::uint8_t { kDomain, kCategory, kThread };
  // A row that gives a name to something.
  struct Name {
    Naming what;
    DomainId domain;             // Domains and categories.
    std::uint32_t category = 0;  // Categories.
    TrackId thread;              // Threads.
    StringId name;
    TimeNs time = 0;
    std::int64_t row = 0;
  };
  struct Run {
    std::uint64_t order = 0;
    std::array<Part, 3> parts;  // Push/pop, start/end, marks.
    std::vector<Name> names;
    TimeNs latest = 0;
    bool any = false;  // Whether `latest` means something.
  };

  NsysNvtxRows() = default;

  static constexpr std::array<EventKind, 3> kKinds = {
      EventKind::kNvtxPushPop, EventKind::kNvtxStartEnd, EventKind::kNvtxMark};

  // Takes the next run. Runs come in order, one at a time. `most_rows`: how many there may be in
  // all.
  void Append(Run run, std::size_t most_rows);

  // Closes open ranges, completes collectives by what their communicator's creation said,
  // hands over all events and sets the names.
  void Close(TraceBuilder& builder, std::string_view table);

 private:
  Run all_;
};

}  // namespace xsp
