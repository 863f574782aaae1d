#include "graph/default_stream.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "graph/draft.h"

namespace xsp {
namespace {

// The row of a GPU; added if new. Processes that share a GPU share its row where the trace knows.
std::uint32_t DeviceOf(TaskGraph& graph, const Track& track) {
  for (std::uint32_t i = 0; i < graph.devices.size(); ++i) {
    const GraphDevice& device = graph.devices[i];
    const bool same_gpu = track.gpu.valid() && device.gpu == track.gpu;
    const bool same_ordinal = !track.gpu.valid() && !device.gpu.valid() &&
                              device.process == track.process && device.ordinal == track.device;
    if (same_gpu || same_ordinal) return i;
  }
  graph.devices.push_back({track.process, track.device, track.gpu, 0});
  return static_cast<std::uint32_t>(graph.devices.size() - 1);
}

// The row of a stream, or kNone. Rows of waits may name another device than the stream's work does,
// so a stream is known by process, context and number.
std::uint32_t FindStream(const Draft& draft, std::uint32_t context, const Track& track) {
  for (std::uint32_t stream : draft.graph.contexts[context].streams) {
    if (draft.trace.track(draft.graph.streams[stream].track).stream == track.stream) return stream;
  }
  return Draft::kNone;
}

std::uint32_t ContextOf(TaskGraph& graph, const Track& track) {
  for (std::uint32_t i = 0; i < graph.contexts.size(); ++i) {
    const GraphContext& context = graph.contexts[i];
    if (context.process == track.process && context.number == track.context) return i;
  }
  graph.contexts.push_back({track.process, track.context, {}, Draft::kNone});
  return static_cast<std::uint32_t>(graph.contexts.size() - 1);
}

bool IsNullStream(const Trace& trace, const Track& track) {
  if (track.flag == StreamFlag::kNull) return true;
  return std::any_of(trace.contexts().begin(), trace.contexts().end(), [&](const Context& c) {
    return c.process == track.process && c.id == track.context && c.null_stream == track.stream;
  });
}

// Operations of a stream in order of begin, as (begin, end).
using Spans = std::vector<std::pair<TimeNs, TimeNs>>;

bool Overlap(const Spans& a, const Spans& b) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (a[i].first < b[j].second && b[j].first < a[i].second) return true;
    (a[i].second <= b[j].second ? i : j)++;
  }
  return false;
}

// Streams of unknown sort that were seen to run beside the default stream are not ordered against
// it.
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
  for (std::uint32_t i : unknown) {
    GraphStream& stream = graph.streams[i];
    if (Overlap(spans[i], spans[null_of(stream)])) stream.is_blocking = false;
  }
}

}  // namespace

void AddStreams(Draft& draft) {
  TaskGraph& graph = draft.graph;
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
  for (std::uint32_t i : tracks) {
    const Track& track = trace.track(TrackId(i));
    const std::uint32_t context = ContextOf(graph, track);
    std::uint32_t& row = draft.stream_of_track[i];
    row = FindStream(draft, context, track);
    if (row != Draft::kNone) continue;
    row = static_cast<std::uint32_t>(graph.streams.size());
    GraphStream stream{TrackId(i), context, DeviceOf(graph, track), IsNullStream(trace, track),
                       track.flag == StreamFlag::kBlocking || track.flag == StreamFlag::kUnknown};
    graph.contexts[context].streams.push_back(static_cast<std::uint32_t>(graph.streams.size()));
    if (stream.is_null) {
      graph.contexts[context].null_stream = static_cast<std::uint32_t>(graph.streams.size());
    }
    graph.streams.push_back(stream);
  }
  FindConcurrentStreams(draft);
}

}  // namespace xsp
