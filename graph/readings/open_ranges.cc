#include "graph/readings/open_ranges.h"

#include <algorithm>
#include <limits>

namespace xsp {
namespace {

using Piece = OpenRanges::Piece;

// Ranges of one thread, in order of begin, as pieces in which one of them is the innermost (the
// last to have begun).
class Sweep {
 public:
  void Add(TimeRange time, std::string_view name) {
    CloseUntil(time.begin);
    if (!open_.empty()) Emit(time.begin);
    at_ = time.begin;
    open_.push_back({time, name, false});
  }

  std::vector<Piece> Finish() {
    CloseUntil(std::numeric_limits<TimeNs>::max());
    return std::move(pieces_);
  }

 private:
  // The innermost range so far ends its piece here.
  void Emit(TimeNs until) {
    if (at_ < until) pieces_.push_back({{at_, until}, open_.back().name, false});
    at_ = std::max(at_, until);
  }

  void CloseUntil(TimeNs time) {
    while (!open_.empty() && open_.back().time.end <= time) {
      Emit(open_.back().time.end);
      open_.pop_back();
    }
  }

  std::vector<Piece> open_;
  std::vector<Piece> pieces_;
  TimeNs at_ = 0;
};

// The parts of `pieces` within a stretch, with nameless ones in the holes.
std::vector<Piece> Cut(const std::vector<Piece>* pieces, TimeRange time) {
  std::vector<Piece> result;
  TimeNs at = time.begin;
  if (pieces != nullptr) {
    auto it = std::partition_point(pieces->begin(), pieces->end(), [&](const Piece& piece) {
      return piece.time.end <= time.begin;
    });
    for (; it != pieces->end() && it->time.begin < time.end; ++it) {
      const TimeRange part = it->time.Clip(time);
      if (at < part.begin) result.push_back({{at, part.begin}, {}, false});
      result.push_back({part, it->name, false});
      at = part.end;
    }
  }
  if (at < time.end) result.push_back({{at, time.end}, {}, false});
  return result;
}

}  // namespace

OpenRanges::OpenRanges(const Hierarchy& hierarchy, bool with_os_calls) : hierarchy_(hierarchy) {
  const Trace& trace = hierarchy.trace();
  const HostRanges& ranges = hierarchy.ranges();
  const NameTable& names = hierarchy.names();
  std::map<TrackId, Sweep> sweeps;
  auto add = [&](EventId event, std::string_view name) {
    sweeps[trace.track_of(event)].Add({trace.begin(event), trace.end(event)}, name);
  };
  const EventSpan calls = with_os_calls ? trace.OfKind(EventKind::kOsrt) : EventSpan();
  EventId call(calls.first);
  // Both are sorted by begin; of equal begin the range comes first, as what holds the call.
  auto add_calls_until = [&](TimeNs time) {
    for (; call.value < calls.last && trace.begin(call) < time; ++call.value) {
      add(call, trace.name(call));
    }
  };
  for (std::uint32_t i = 0; i < ranges.size(); ++i) {
    const EventId event = ranges.event(i);
    add_calls_until(trace.begin(event));
    add(event, names.Text(names.OfRange(trace.name_of(event)).name));
  }
  add_calls_until(std::numeric_limits<TimeNs>::max());
  for (auto& [track, sweep] : sweeps) pieces_[track] = sweep.Finish();
}

std::vector<OpenRanges::Piece> OpenRanges::During(TrackId thread, TimeRange time) const {
  auto of = [&](TrackId track) -> const std::vector<Piece>* {
    const auto it = pieces_.find(track);
    return it == pieces_.end() ? nullptr : &it->second;
  };
  const ProcessId process = hierarchy_.trace().track(thread).process;
  const TrackId main = process.valid() ? hierarchy_.ranges().MainThread(process) : TrackId();
  if (!main.valid() || main == thread) return Cut(of(thread), time);
  std::vector<Piece> result;
  for (const Piece& piece : Cut(of(thread), time)) {
    if (!piece.name.empty()) {
      result.push_back(piece);
      continue;
    }
    for (Piece of_main : Cut(of(main), piece.time)) {
      of_main.of_main = !of_main.name.empty();
      result.push_back(of_main);
    }
  }
  return result;
}

std::string_view OpenRanges::MostOf(TrackId thread, TimeRange time) const {
  std::map<std::string_view, DurationNs> sums;
  for (const Piece& piece : During(thread, time)) sums[piece.name] += piece.time.Length();
  const auto most = std::max_element(
      sums.begin(), sums.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == sums.end() ? std::string_view() : most->first;
}

}  // namespace xsp
