#include "stats/selection.h"

#include <algorithm>
#include <map>

#include "base/enum_names.h"

namespace xsp {
namespace {

// Where the work that each CUDA call issued ran: the track of the first piece, by event.
std::vector<TrackId> TracksOfIssuedWork(const Trace& trace) {
  std::vector<TrackId> tracks(trace.event_count());
  for (EventId work : trace.DeviceWork()) {
    const EventId call = trace.call_of(work);
    if (call.valid() && !tracks[call.value].valid()) tracks[call.value] = trace.track_of(work);
  }
  return tracks;
}

std::string ThreadLabel(const Trace& trace, const Track& track) {
  std::string label = "pid " + std::to_string(trace.process(track.process).pid) + " tid " +
                      std::to_string(track.thread);
  const std::string_view name = trace.strings().Get(track.name);
  return name.empty() ? label : label + " " + std::string(name);
}

std::string StreamLabel(const Trace& trace, const Track& track) {
  return "pid " + std::to_string(trace.process(track.process).pid) + " device " +
         std::to_string(track.device) + " context " + std::to_string(track.context) + " stream " +
         std::to_string(track.stream);
}

std::string ProcessLabel(const Trace& trace, ProcessId id) {
  const Process& process = trace.process(id);
  const std::string_view name = trace.strings().Get(process.name);
  const std::string pid = "pid " + std::to_string(process.pid);
  return name.empty() ? pid : pid + " " + std::string(name);
}

std::string NumberedGpu(const Trace& trace, const Track& track, std::uint32_t number) {
  const std::string ordinal = number == kMissing<std::uint32_t> ? "?" : std::to_string(number);
  const std::string_view model =
      track.gpu.valid() ? trace.strings().Get(trace.gpus()[track.gpu.value].name) : "";
  return std::string(model.empty() ? "GPU" : model) + " (" + ordinal + ")";
}

std::optional<std::string> LabelOf(const Trace& trace, const Track& track, GroupBy by) {
  switch (by) {
    case GroupBy::kProcess:
      if (!track.process.valid()) return std::nullopt;
      return ProcessLabel(trace, track.process);
    case GroupBy::kThread:
      if (track.kind != TrackKind::kThread) return std::nullopt;
      return ThreadLabel(trace, track);
    case GroupBy::kStream:
      if (track.kind != TrackKind::kStream) return std::nullopt;
      return StreamLabel(trace, track);
    case GroupBy::kDevice:
      if (track.device == kMissing<std::uint32_t> && !track.gpu.valid()) return std::nullopt;
      return GpuLabel(trace, track);
    case GroupBy::kNothing:
      break;
  }
  return std::nullopt;
}

// The track that decides on an event's group.
TrackId DecidingTrack(const Trace& trace, EventId e, EventKind kind, GroupBy by,
                      const std::vector<TrackId>& issued) {
  const bool by_place = by == GroupBy::kDevice || by == GroupBy::kStream;
  if (kind == EventKind::kApi && by_place) return issued[e.value];
  if (IsDeviceWork(kind) && by == GroupBy::kThread) {
    const EventId call = trace.call_of(e);
    return call.valid() ? trace.track_of(call) : TrackId();
  }
  if (kind == EventKind::kSync && by == GroupBy::kStream) {
    return trace.syncs().stream[trace.Row(e, kind)];
  }
  return trace.track_of(e);
}

}  // namespace

TrackGroups::TrackGroups(const Trace& trace, GroupBy by) {
  std::map<std::string, std::size_t> numbers;
  for (const Track& track : trace.tracks()) {
    const std::optional<std::string> label = LabelOf(trace, track, by);
    if (!label) {
      group_of_.push_back(kNoGroup);
      continue;
    }
    const auto [it, is_new] = numbers.try_emplace(*label, labels_.size());
    if (is_new) labels_.push_back(*label);
    group_of_.push_back(it->second);
  }
}

std::size_t TrackGroups::Of(TrackId track) const {
  if (!track.valid()) return labels_.size();
  return std::min(group_of_[track.value], labels_.size());
}

std::size_t EventSelection::Count(EventKind kind) const {
  if (!all_) return events_[IndexOf(kind)].size();
  const EventSpan span = trace_->OfKind(kind);
  return span.last - span.first;
}

std::string_view ColumnNameOf(GroupBy by) {
  constexpr EnumNames<GroupBy::kThread> kNames({"", "Device", "Process", "Stream", "Thread"});
  return kNames[by];
}

std::vector<EventGroup> Split(const EventSelection& events, GroupBy by) {
  const Trace& trace = events.trace();
  const TrackGroups groups(trace, by);
  const std::vector<TrackId> issued = TracksOfIssuedWork(trace);
  std::vector<std::array<std::vector<EventId>, kEventKindCount>> parts(groups.labels().size() + 1);
  for (EventKind kind : AllEventKinds()) {
    events.ForEach(kind, [&](EventId e) {
      const std::size_t group = groups.Of(DecidingTrack(trace, e, kind, by, issued));
      parts[group][IndexOf(kind)].push_back(e);
    });
  }
  std::vector<EventGroup> result;
  for (std::size_t g = 0; g < parts.size(); ++g) {
    std::optional<std::string> label;
    if (g < groups.labels().size()) label = groups.labels()[g];
    result.push_back({std::move(label), EventSelection(trace, std::move(parts[g]))});
  }
  return result;
}

std::string DeviceLabel(const Trace& trace, const Track& track) {
  return NumberedGpu(trace, track, track.device);
}

std::string GpuLabel(const Trace& trace, const Track& track) {
  std::uint32_t number = track.device;
  if (track.gpu.valid()) {
    const std::uint32_t in_system = trace.gpus()[track.gpu.value].cuda_ordinal;
    if (in_system != kMissing<std::uint32_t>) number = in_system;
  }
  return NumberedGpu(trace, track, number);
}

}  // namespace xsp
