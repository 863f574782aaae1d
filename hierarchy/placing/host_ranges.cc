#include "hierarchy/placing/host_ranges.h"

#include <algorithm>
#include <array>
#include <limits>

#include "hierarchy/names/name_patterns.h"

namespace xsp {
namespace {

constexpr std::array<EventKind, 5> kRangeKinds = {EventKind::kNvtxPushPop, EventKind::kNvtxStartEnd,
                                                  EventKind::kMpi, EventKind::kLibrary,
                                                  EventKind::kDirective};

// Whether a range is a frame of the Python stack: hundreds of them lie around each operation, and
// say where the code stands, not what it does. Modules are layers.
bool IsStackFrame(const Trace& trace, EventId e, EventKind kind) {
  if (!IsNvtxRange(kind) || trace.OperatorOf(e) != Trace::kNoOperator) return false;
  const NvtxDomain& domain = trace.domain(trace.nvtx().domain[trace.Row(e, kind)]);
  return KindOfDomain(trace.strings().Get(domain.name)) == DomainKind::kPython;
}

// The ranges open on one thread, innermost last. Ranges of different domains need not nest, so an
// ended one may lie below an open one: it is passed over when looking and dropped when on top.
class OpenRanges {
 public:
  struct Entry {
    std::uint32_t range;
    TimeNs end;
  };

  void DropEnded(TimeNs now) {
    while (!open_.empty() && open_.back().end <= now) open_.pop_back();
  }

  // The innermost range that holds what ends at `end`.
  std::uint32_t Holding(TimeNs end) const {
    // Thousands of start/end ranges may be open at once, each outlasting the one before; looking
    // through all of them for each new one would take quadratic time.
    constexpr std::size_t kFarthest = 256;
    std::size_t looked = 0;
    for (auto it = open_.rbegin(); it != open_.rend() && looked < kFarthest; ++it, ++looked) {
      if (it->end >= end) return it->range;
    }
    return HostRanges::kNone;
  }

  void Push(std::uint32_t range, TimeNs end) { open_.push_back({range, end}); }

 private:
  std::vector<Entry> open_;
};

}  // namespace

HostRanges::HostRanges(const Trace& trace) {
  MergeRanges(trace);
  FindMainThreads(trace);
  Sweep(trace);
}

void HostRanges::MergeRanges(const Trace& trace) {
  const Events& events = trace.events();
  auto before = [&](EventId a, EventId b) {
    if (events.begin[a.value] != events.begin[b.value]) {
      return events.begin[a.value] < events.begin[b.value];
    }
    return events.end[a.value] > events.end[b.value];
  };
  for (EventKind kind : kRangeKinds) {
    const auto middle = static_cast<std::ptrdiff_t>(events_.size());
    for (EventId e : trace.OfKind(kind)) {
      if (!IsStackFrame(trace, e, kind)) events_.push_back(e);
    }
    // Rows of a kind are sorted by begin already; what is left are ties.
    if (!std::is_sorted(events_.begin() + middle, events_.end(), before)) {
      std::stable_sort(events_.begin() + middle, events_.end(), before);
    }
    std::inplace_merge(events_.begin(), events_.begin() + middle, events_.end(), before);
  }
}

std::uint32_t HostRanges::IndexOf(const Trace& trace, EventId event) const {
  auto it = std::lower_bound(events_.begin(), events_.end(), trace.begin(event),
                             [&](EventId e, TimeNs begin) { return trace.begin(e) < begin; });
  for (; it != events_.end() && trace.begin(*it) == trace.begin(event); ++it) {
    if (*it == event) return static_cast<std::uint32_t>(it - events_.begin());
  }
  return kNone;
}

// The thread that bears the process's number, if it has ranges (the first thread of a program on
// Linux does); else the one whose push/pop ranges are open longest.
void HostRanges::FindMainThreads(const Trace& trace) {
  std::vector<DurationNs> open_time(trace.tracks().size(), 0);
  std::vector<TimeNs> covered_to(trace.tracks().size(), std::numeric_limits<TimeNs>::min());
  for (EventId e : trace.OfKind(EventKind::kNvtxPushPop)) {
    const std::uint32_t track = trace.track_of(e).value;
    const TimeNs from = std::max(trace.begin(e), covered_to[track]);
    if (trace.end(e) > from) open_time[track] += trace.end(e) - from;
    covered_to[track] = std::max(covered_to[track], trace.end(e));
  }
  main_thread_.resize(trace.processes().size());
  for (std::uint32_t t = 0; t < trace.tracks().size(); ++t) {
    const Track& track = trace.tracks()[t];
    if (track.kind != TrackKind::kThread || open_time[t] == 0 || !track.process.valid()) continue;
    TrackId& main = main_thread_[track.process.value];
    const bool is_first = track.thread == trace.process(track.process).pid;
    const bool main_is_first =
        main.valid() && trace.track(main).thread == trace.process(track.process).pid;
    if (!main.valid() || is_first || (!main_is_first && open_time[t] > open_time[main.value])) {
      main = TrackId(t);
    }
  }
}

// One pass over ranges, calls and graph objects in order of time, with a stack per thread.
void HostRanges::Sweep(const Trace& trace) {
  const Events& events = trace.events();
  const EventSpan calls = trace.OfKind(EventKind::kApi);
  const EventSpan objects = trace.OfKind(EventKind::kGraphObject);
  first_call_ = calls.first;
  first_graph_object_ = objects.first;
  parent_.assign(events_.size(), kNone);
  of_call_.assign(calls.size(), kNone);
  of_graph_object_.assign(objects.size(), kNone);

  std::vector<OpenRanges> open(trace.tracks().size());
  std::vector<TrackId> speaker(trace.tracks().size());  // Whose ranges count if a thread has none.
  for (std::uint32_t t = 0; t < trace.tracks().size(); ++t) {
    const Track& track = trace.tracks()[t];
    if (!track.process.valid() || IsLoaderThread(trace.strings().Get(track.name))) continue;
    if (TrackId main = MainThread(track.process); main != TrackId(t)) speaker[t] = main;
  }

  auto find = [&](std::uint32_t event) {
    const TrackId track = events.track[event];
    const TimeNs begin = events.begin[event];
    open[track.value].DropEnded(begin);
    const std::uint32_t own = open[track.value].Holding(events.end[event]);
    if (own != kNone || !speaker[track.value].valid()) return own;
    OpenRanges& main = open[speaker[track.value].value];
    main.DropEnded(begin);
    const std::uint32_t other = main.Holding(events.end[event]);
    return other == kNone ? kNone : other | kTemporalBit;
  };
  auto push = [&](std::uint32_t range) {
    const std::uint32_t event = events_[range].value;
    parent_[range] = find(event);
    open[events.track[event].value].Push(range, events.end[event]);
    if (!trace.OfKind(EventKind::kNvtxStartEnd).Contains(EventId(event))) return;
    const TrackId end_thread = trace.nvtx().end_thread[trace.Row(EventId(event))];
    if (end_thread.valid()) open[end_thread.value].Push(range, events.end[event]);
  };

  std::uint32_t range = 0;
  std::uint32_t object = objects.first;
  auto open_until = [&](TimeNs time) {
    for (; range < events_.size() && events.begin[events_[range].value] <= time; ++range) {
      push(range);
    }
  };
  for (std::uint32_t call = calls.first; call < calls.last; ++call) {
    for (; object < objects.last && events.begin[object] < events.begin[call]; ++object) {
      open_until(events.begin[object]);
      of_graph_object_[object - objects.first] = find(object);
    }
    open_until(events.begin[call]);
    of_call_[call - calls.first] = find(call);
  }
  for (; object < objects.last; ++object) {
    open_until(events.begin[object]);
    of_graph_object_[object - objects.first] = find(object);
  }
  open_until(std::numeric_limits<TimeNs>::max());
}

}  // namespace xsp
