#include "graph/rules/default_stream.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "graph/draft.h"

namespace xsp {
namespace {

// The rows of contexts, devices and streams while they are added. Files exist that have ten
// thousands of each: nothing here walks over all of them.
class Rows {
 public:
  explicit Rows(Draft& draft) : draft_(draft), graph_(draft.graph) {
    for (const Context& c : draft.trace.contexts()) {
      null_streams_.emplace(c.process, c.id, c.null_stream);
    }
  }

  // The row of a context; added if new.
  std::uint32_t ContextOf(const Track& track) {
    const auto [it, added] = contexts_.try_emplace({track.process, track.context},
                                                   static_cast<std::uint32_t>(contexts_.size()));
    if (added) graph_.contexts.push_back({track.process, track.context, {}, Draft::kNone});
    return it->second;
  }

  // The row of a stream, a new one if it is not there. Rows of waits may name another device than
  // the stream's work does, so a stream is known by process, context and number.
  std::uint32_t StreamOf(TrackId id) {
    const Track& track = draft_.trace.track(id);
    const std::uint32_t context = ContextOf(track);
    const auto row = static_cast<std::uint32_t>(graph_.streams.size());
    const auto [it, added] = streams_.try_emplace({context, track.stream}, row);
    if (!added) return it->second;
    const GraphStream stream{
        id, context, DeviceOf(track), IsNullStream(track),
        track.flag == StreamFlag::kBlocking || track.flag == StreamFlag::kUnknown};
    graph_.contexts[context].streams.push_back(row);
    if (stream.is_null) graph_.contexts[context].null_stream = row;
    graph_.streams.push_back(stream);
    return row;
  }

 private:
  // The row of a GPU; added if new. Processes that share a GPU share its row where the trace knows.
  std::uint32_t DeviceOf(const Track& track) {
    const bool knows_gpu = track.gpu.valid();
    const auto [it, added] = devices_.try_emplace(
        {track.gpu, knows_gpu ? ProcessId() : track.process, knows_gpu ? 0 : track.device},
        static_cast<std::uint32_t>(graph_.devices.size()));
    if (added) graph_.devices.push_back({track.process, track.device, track.gpu, 0});
    return it->second;
  }

  bool IsNullStream(const Track& track) const {
    return track.flag == StreamFlag::kNull ||
           null_streams_.contains({track.process, track.context, track.stream});
  }

  Draft& draft_;
  TaskGraph& graph_;
  std::map<std::pair<ProcessId, std::uint32_t>, std::uint32_t> contexts_;  // By (process, number).
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> streams_;  // (context, number).
  std::map<std::tuple<GpuId, ProcessId, std::uint32_t>, std::uint32_t> devices_;
  std::set<std::tuple<ProcessId, std::uint32_t, std::uint32_t>> null_streams_;
};

// Operations of a stream in order of begin, as (begin, end).
using Spans = std::vector<std::pair<TimeNs, TimeNs>>;

// Whether an operation of `a` overlaps one of the default stream. `ends[i]` is the latest end of
// its operations up to i.
bool Overlap(const Spans& a, const Spans& of_default, const std::vector<TimeNs>& ends) {
  return std::any_of(a.begin(), a.end(), [&](const std::pair<TimeNs, TimeNs>& op) {
    const auto after = std::upper_bound(ends.begin(), ends.end(), op.first);
    return after != ends.end() &&
           of_default[static_cast<std::size_t>(after - ends.begin())].first < op.second;
  });
}

std::vector<TimeNs> LatestEnds(const Spans& spans) {
  std::vector<TimeNs> ends;
  for (const auto& [begin, end] : spans) {
    ends.push_back(ends.empty() ? end : std::max(ends.back(), end));
  }
  return ends;
}

// Streams of unknown sort that were seen to run beside the default stream are not ordered against
// it. Exports do not always tell how a stream was made. CUDA's default is a blocking stream, so
// that is assumed; a single overlap shows that it was made with cudaStreamNonBlocking. Left
// ordered, it would wait in every simulation for work that it never waited for.
void FindConcurrentStreams(Draft& draft) {
  TaskGraph& graph = draft.graph;
  const Trace& trace = draft.trace;
  auto null_of = [&](const GraphStream& stream) {
    return graph.contexts[stream.context].null_stream;
  };
  std::vector<std::uint32_t> unknown;
  for (std::uint32_t i = 0; i < graph.streams.size(); ++i) {
    const GraphStream& stream = graph.streams[i];
    const bool is_unknown = trace.track(stream.track).flag == StreamFlag::kUnknown;
    if (is_unknown && !stream.is_null && null_of(stream) != Draft::kNone) unknown.push_back(i);
  }
  if (unknown.empty()) return;

  std::vector<Spans> spans(graph.streams.size());
  for (EventId op : trace.DeviceWork()) {
    const std::uint32_t stream = draft.stream_of_track[trace.track_of(op).value];
    if (stream != Draft::kNone) spans[stream].emplace_back(trace.begin(op), trace.end(op));
  }
  for (auto& list : spans) std::sort(list.begin(), list.end());
  std::map<std::uint32_t, std::vector<TimeNs>> ends;  // By default stream.
  for (std::uint32_t i : unknown) {
    GraphStream& stream = graph.streams[i];
    const std::uint32_t null = null_of(stream);
    const auto [it, added] = ends.try_emplace(null);
    if (added) it->second = LatestEnds(spans[null]);
    if (Overlap(spans[i], spans[null], it->second)) stream.is_blocking = false;
  }
}

}  // namespace

// Streams that have work come first, since a stream may be named by several tracks and takes its
// device and kind from the first. Tracks of waits alone may name another device.
void AddStreams(Draft& draft) {
  const Trace& trace = draft.trace;
  draft.stream_of_track.assign(trace.tracks().size(), Draft::kNone);
  std::vector<bool> has_work(trace.tracks().size());
  for (EventId op : trace.DeviceWork()) has_work[trace.track_of(op).value] = true;
  std::vector<std::uint32_t> tracks;
  for (std::uint32_t i = 0; i < trace.tracks().size(); ++i) {
    if (trace.track(TrackId(i)).kind == TrackKind::kStream) tracks.push_back(i);
  }
  std::stable_sort(tracks.begin(), tracks.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return has_work[a] && !has_work[b]; });
  Rows rows(draft);
  for (std::uint32_t i : tracks) draft.stream_of_track[i] = rows.StreamOf(TrackId(i));
  FindConcurrentStreams(draft);
}

}  // namespace xsp
