#include "stats/nvtx_index.h"

#include <algorithm>

namespace xsp {
namespace {

// Where the rows of each track begin once they are sorted by track: counting sort, first half.
template <class Rows, class TrackOf>
std::vector<std::uint32_t> FirstOfTracks(const Rows& rows, std::size_t tracks, TrackOf track_of) {
  std::vector<std::uint32_t> first(tracks + 1, 0);
  for (const auto& row : rows) ++first[track_of(row).value + 1];
  for (std::size_t t = 0; t < tracks; ++t) first[t + 1] += first[t];
  return first;
}

// The rows sorted by track, else in the same order: counting sort, second half.
template <class Row, class TrackOf>
std::vector<Row> SortedByTrack(std::span<const Row> rows, const std::vector<std::uint32_t>& first,
                               TrackOf track_of) {
  std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
  std::vector<Row> sorted(rows.size());
  for (const Row& row : rows) sorted[next[track_of(row).value]++] = row;
  return sorted;
}

TimeRange TimeOf(const Trace& trace, EventId e) { return {trace.begin(e), trace.end(e)}; }

}  // namespace

NvtxIndex::NvtxIndex(const Trace& trace) : trace_(trace) {
  for (EventKind kind : {EventKind::kNvtxPushPop, EventKind::kNvtxStartEnd}) {
    for (EventId e : trace.OfKind(kind)) {
      if (trace.nvtx().end_thread[trace.Row(e, kind)].valid()) continue;
      ranges_.push_back({e, kind, trace.track_of(e)});
    }
  }
  SortRanges();
  const std::size_t tracks = trace.tracks().size();
  for (std::size_t t = 0; t < tracks; ++t) FindParents(first_of_track_[t], first_of_track_[t + 1]);
}

void NvtxIndex::SortRanges() {
  const auto before = [&](const NvtxRange& a, const NvtxRange& b) {
    const TimeRange time_a = TimeOf(trace_, a.event), time_b = TimeOf(trace_, b.event);
    if (time_a.begin != time_b.begin) return time_a.begin < time_b.begin;
    if (time_a.end != time_b.end) return time_a.end > time_b.end;
    return RangeId(a) < RangeId(b);
  };
  const auto thread_of = [](const NvtxRange& range) { return range.thread; };
  first_of_track_ = FirstOfTracks(ranges_, trace_.tracks().size(), thread_of);
  ranges_ = SortedByTrack<NvtxRange>(ranges_, first_of_track_, thread_of);
  for (std::size_t t = 0; t + 1 < first_of_track_.size(); ++t) {
    const auto first = ranges_.begin() + first_of_track_[t];
    const auto last = ranges_.begin() + first_of_track_[t + 1];
    if (!std::is_sorted(first, last, before)) std::sort(first, last, before);
  }
}

void NvtxIndex::FindParents(std::uint32_t first, std::uint32_t last) {
  std::vector<std::uint32_t> push_pops;
  std::vector<TimeRange> times;
  for (std::uint32_t i = first; i < last; ++i) {
    if (ranges_[i].kind != EventKind::kNvtxPushPop) continue;
    push_pops.push_back(i);
    times.push_back(TimeOf(trace_, ranges_[i].event));
  }
  const std::vector<std::uint32_t> parents = Parents(times);
  for (std::size_t i = 0; i < push_pops.size(); ++i) {
    if (parents[i] == kNoInterval) continue;
    NvtxRange& range = ranges_[push_pops[i]];
    range.parent = push_pops[parents[i]];
    NvtxRange& parent = ranges_[range.parent];
    range.level = parent.level + 1;  // Parents come first, so theirs is known.
    ++parent.children;
    parent.children_time += times[i].Length();
  }
}

std::uint32_t NvtxIndex::RangeId(const NvtxRange& range) const {
  const std::uint32_t row = trace_.Row(range.event, range.kind);
  const std::uint32_t source_row = trace_.nvtx().source_row[row];
  return source_row == kMissing<std::uint32_t> ? row + 1 : source_row;
}

std::vector<std::uint32_t> NvtxIndex::InnermostOfCalls() const {
  const EventSpan span = trace_.OfKind(EventKind::kApi);
  std::vector<EventId> all;
  all.reserve(span.last - span.first);
  for (EventId call : span) all.push_back(call);
  const CallsByThread by_thread = SortCallsByThread(trace_, all);

  std::vector<std::uint32_t> result(all.size(), kNoInterval);
  for (std::size_t t = 0; t < trace_.tracks().size(); ++t) {
    const auto [first, last] = OfThread(TrackId(t));
    const std::span<const EventId> calls = by_thread.OfThread(TrackId(t));
    if (first == last || calls.empty()) continue;
    std::vector<TimeRange> outer, inner;
    for (std::uint32_t i = first; i < last; ++i) outer.push_back(TimeOf(trace_, ranges_[i].event));
    for (EventId call : calls) inner.push_back(TimeOf(trace_, call));
    const std::vector<std::uint32_t> tightest = TightestEnclosing(outer, inner);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (tightest[i] != kNoInterval) result[calls[i].value - span.first] = first + tightest[i];
    }
  }
  return result;
}

CallsByThread SortCallsByThread(const Trace& trace, std::span<const EventId> calls) {
  const auto track_of = [&](EventId call) { return trace.track_of(call); };
  CallsByThread result;
  result.first_of_track = FirstOfTracks(calls, trace.tracks().size(), track_of);
  result.calls = SortedByTrack<EventId>(calls, result.first_of_track, track_of);
  return result;
}

}  // namespace xsp
