#include "hierarchy/selection/filters.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/suggest.h"
#include "base/text.h"
#include "hierarchy/names/device_number.h"
#include "hierarchy/names/name_patterns.h"

namespace xsp {
namespace {

void Unkeep(EventMask& keep, EventId e) { keep[e.value] = 0; }

// Drops device work on other tracks, and the calls and waits that belong to it.
template <class OnWantedTrack>
void LimitDeviceWork(const Trace& trace, OnWantedTrack wanted, EventMask& keep) {
  EventMask issues_wanted(keep.size()), issues_other(keep.size());
  for (EventId e : trace.DeviceWork()) {
    const bool is_wanted = wanted(trace.track(trace.track_of(e)));
    if (!is_wanted) Unkeep(keep, e);
    const EventId call = trace.call_of(e);
    if (call.valid()) (is_wanted ? issues_wanted : issues_other)[call.value] = 1;
  }
  for (std::size_t i = 0; i < keep.size(); ++i) {
    if (issues_other[i] && !issues_wanted[i]) keep[i] = 0;
  }
}

// A range that the program or its framework wrote, not a library of itself.
bool IsNamedRange(const Trace& trace, EventId event) {
  const EventKind kind = trace.KindOf(event);
  if (!IsNvtxRange(kind)) return false;
  const NvtxDomain& domain = trace.domain(trace.nvtx().domain[trace.Row(event, kind)]);
  return KindOfDomain(trace.strings().Get(domain.name)) != DomainKind::kLibrary;
}

// Every wanted number must be there.
void CheckKnown(const char* option, const std::vector<std::uint32_t>& wanted,
                const std::set<std::uint32_t>& known) {
  for (std::uint32_t number : wanted) {
    if (!known.contains(number)) {
      throw Error(std::string(option) + " " + std::to_string(number) + ": not in the trace",
                  "the trace has: " + (known.empty() ? "none" : Joined(known, ", ")));
    }
  }
}

template <class T>
bool IsOneOf(const std::vector<T>& list, const T& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

// The processes meant by "1234" or "python".
std::vector<std::uint8_t> WantedProcesses(const Trace& trace,
                                          const std::vector<std::string>& wanted) {
  std::vector<std::uint8_t> is_wanted(trace.processes().size());
  for (const std::string& text : wanted) {
    bool found = false;
    std::vector<std::string> candidates;
    for (std::size_t i = 0; i < is_wanted.size(); ++i) {
      const Process& process = trace.processes()[i];
      candidates.push_back(std::to_string(process.pid));
      candidates.emplace_back(trace.strings().Get(process.name));
      if (candidates[2 * i] != text && candidates[2 * i + 1] != text) continue;
      is_wanted[i] = 1;
      found = true;
    }
    if (!found) {
      throw Error("--process " + text + ": not in the trace", DidYouMean(text, candidates));
    }
  }
  return is_wanted;
}

}  // namespace

void LimitToDevices(const Trace& trace, const std::vector<std::uint32_t>& devices,
                    EventMask& keep) {
  std::set<std::uint32_t> known;
  for (const Track& track : trace.tracks()) {
    if (auto number = DeviceNumber(trace, track)) known.insert(*number);
  }
  CheckKnown("--device", devices, known);
  auto wanted = [&](const Track& track) {
    const auto number = DeviceNumber(trace, track);
    return number && IsOneOf(devices, *number);
  };
  LimitDeviceWork(trace, wanted, keep);
  for (std::size_t i = 0; i < keep.size(); ++i) {
    const Track& track = trace.track(trace.track_of(EventId(i)));
    if (DeviceNumber(trace, track) && !wanted(track)) keep[i] = 0;
  }
}

void LimitToStreams(const Trace& trace, const std::vector<std::uint32_t>& streams,
                    EventMask& keep) {
  std::set<std::uint32_t> known;
  for (const Track& track : trace.tracks()) {
    if (track.kind == TrackKind::kStream) known.insert(track.stream);
  }
  CheckKnown("--stream", streams, known);
  LimitDeviceWork(
      trace, [&](const Track& track) { return IsOneOf(streams, track.stream); }, keep);
}

void LimitToThreads(const Trace& trace, const std::vector<std::uint32_t>& threads,
                    EventMask& keep) {
  std::set<std::uint32_t> known;
  for (const Track& track : trace.tracks()) {
    if (track.kind == TrackKind::kThread) known.insert(track.thread);
  }
  CheckKnown("--thread", threads, known);
  auto on_thread = [&](EventId e) {
    return IsOneOf(threads, trace.track(trace.track_of(e)).thread);
  };
  for (std::size_t i = 0; i < keep.size(); ++i) {
    const EventId e(i), call = trace.call_of(e);
    if (!on_thread(e) && !(call.valid() && on_thread(call))) keep[i] = 0;
  }
}

void LimitToProcesses(const Trace& trace, const std::vector<std::string>& processes,
                      EventMask& keep) {
  const auto wanted = WantedProcesses(trace, processes);
  for (std::size_t i = 0; i < keep.size(); ++i) {
    const ProcessId process = trace.process_of(EventId(i));
    if (!process.valid() || !wanted[process.value]) keep[i] = 0;
  }
}

double ShareInNamedRanges(const Trace& trace, const HostRanges& ranges) {
  DurationNs all = 0, inside = 0;
  for (EventId work : trace.DeviceWork()) {
    const EventId call = trace.call_of(work);
    if (!call.valid()) continue;
    all += trace.duration(work);
    std::uint32_t range = ranges.OfCall(call).range;
    while (range != HostRanges::kNone && !IsNamedRange(trace, ranges.event(range))) {
      range = ranges.parent(range).range;
    }
    if (range != HostRanges::kNone) inside += trace.duration(work);
  }
  return all == 0 ? 0 : static_cast<double>(inside) / static_cast<double>(all);
}

void LeaveOutRanges(const Trace& trace, EventMask& keep) {
  for (EventKind kind : {EventKind::kNvtxPushPop, EventKind::kNvtxStartEnd}) {
    for (EventId range : trace.OfKind(kind)) Unkeep(keep, range);
  }
}

}  // namespace xsp
