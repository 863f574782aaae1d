#include "cli/window.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "cli/suggest.h"
#include "model/error.h"
#include "report/devices.h"
#include "report/units.h"

namespace xsp {
namespace {

// Where the '-' between two times stands: not a sign, and not inside an exponent.
std::size_t FindDash(std::string_view text) {
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '-' && text[i - 1] != 'e' && text[i - 1] != 'E') return i;
  }
  return std::string_view::npos;
}

// The unit at the end of a time, if it has one.
std::optional<TimeUnit> UnitOf(std::string_view text) {
  const std::size_t digit = text.find_last_of("0123456789. ");
  return TimeUnitFromName(digit == std::string_view::npos ? text : text.substr(digit + 1));
}

bool Overlaps(const Trace& trace, EventId e, const TimeRange& window) {
  const TimeNs begin = trace.begin(e), end = trace.end(e);
  return begin < window.end && (end > window.begin || (begin == end && begin == window.begin));
}

// An NVTX range as the user named it.
struct RangeName {
  std::string name;
  std::optional<std::string> domain;
  std::optional<std::size_t> index;
};

// Takes "/N" and "@DOMAIN" off the end.
RangeName SplitRangeName(std::string_view text) {
  RangeName range;
  if (const std::size_t slash = text.rfind('/'); slash != std::string_view::npos) {
    const char* first = text.data() + slash + 1;
    const char* last = text.data() + text.size();
    std::size_t index = 0;
    const auto [rest, error] = std::from_chars(first, last, index);
    if (error == std::errc() && rest == last) {
      range.index = index;
      text = text.substr(0, slash);
    }
  }
  if (const std::size_t at = text.rfind('@'); at != std::string_view::npos && at > 0) {
    range.domain = text.substr(at + 1);
    text = text.substr(0, at);
  }
  range.name = text;
  return range;
}

std::string_view DomainName(const Trace& trace, DomainId id) {
  const NvtxDomain& domain = trace.domain(id);
  return trace.strings().Get(domain.name, domain.number == 0 ? "NVTX" : "");
}

// All ranges of that name, in order of time.
std::vector<EventId> FindRanges(const Trace& trace, const RangeName& wanted) {
  std::vector<EventId> found;
  for (EventKind kind : {EventKind::kNvtxPushPop, EventKind::kNvtxStartEnd}) {
    for (EventId e : trace.OfKind(kind)) {
      if (trace.name(e) != wanted.name) continue;
      const DomainId domain = trace.nvtx().domain[trace.Row(e, kind)];
      if (!wanted.domain || DomainName(trace, domain) == *wanted.domain) found.push_back(e);
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [&](EventId a, EventId b) { return trace.begin(a) < trace.begin(b); });
  return found;
}

[[noreturn]] void NoSuchRange(const Trace& trace, const std::string& wanted) {
  std::set<std::string> names;
  for (EventKind kind : {EventKind::kNvtxPushPop, EventKind::kNvtxStartEnd}) {
    for (EventId e : trace.OfKind(kind)) names.insert(std::string(trace.name(e)));
  }
  if (names.empty()) throw Error("--nvtx '" + wanted + "': the trace has no NVTX ranges");
  const std::vector<std::string> candidates(names.begin(), names.end());
  throw Error("--nvtx '" + wanted + "': no such range in the trace",
              DidYouMean(SplitRangeName(wanted).name, candidates));
}

// The ranges that --nvtx means. A range may itself be called "load@2/3", so the whole text is
// tried as a name first.
std::vector<EventId> RangesOf(const Trace& trace, const std::string& text) {
  std::vector<EventId> found = FindRanges(trace, {text, {}, {}});
  if (!found.empty()) return found;
  const RangeName wanted = SplitRangeName(text);
  found = FindRanges(trace, wanted);
  if (found.empty()) NoSuchRange(trace, text);
  if (!wanted.index) return found;
  if (*wanted.index >= found.size()) {
    throw Error("--nvtx '" + text + "': there are only " + std::to_string(found.size()) +
                " such ranges, numbered from 0");
  }
  return {found[*wanted.index]};
}

void Unkeep(EventMask& keep, EventId e) { keep[e.value] = 0; }

void LimitToTime(const Trace& trace, const TimeRange& window, EventMask& keep) {
  for (std::size_t i = 0; i < keep.size(); ++i) {
    if (!Overlaps(trace, EventId(i), window)) keep[i] = 0;
  }
}

// Ranges of one process, as times: sorted and merged, so that a look-up is a binary search.
std::vector<TimeRange> MergedTimes(std::vector<TimeRange> times) {
  std::sort(times.begin(), times.end(),
            [](const TimeRange& a, const TimeRange& b) { return a.begin < b.begin; });
  std::vector<TimeRange> merged;
  for (const TimeRange& time : times) {
    if (!merged.empty() && time.begin <= merged.back().end) {
      merged.back().end = std::max(merged.back().end, time.end);
    } else {
      merged.push_back(time);
    }
  }
  return merged;
}

bool OverlapsAny(const Trace& trace, EventId e, const std::vector<TimeRange>& times) {
  // The last range that begins no later than the event ends is the only one that needs a look.
  auto after = std::upper_bound(times.begin(), times.end(), trace.end(e),
                                [](TimeNs t, const TimeRange& range) { return t < range.begin; });
  while (after != times.begin()) {
    --after;
    if (Overlaps(trace, e, *after)) return true;
    if (after->end <= trace.begin(e)) return false;
  }
  return false;
}

bool ContainedInAny(TimeNs t, const std::vector<TimeRange>& times) {
  auto after = std::upper_bound(times.begin(), times.end(), t,
                                [](TimeNs at, const TimeRange& range) { return at < range.begin; });
  return after != times.begin() && std::prev(after)->Contains(t);
}

void LimitToRanges(const Trace& trace, const std::vector<EventId>& ranges, EventMask& keep) {
  std::vector<std::vector<TimeRange>> by_process(trace.processes().size());
  for (EventId range : ranges) {
    const ProcessId process = trace.process_of(range);
    if (process.valid()) {
      by_process[process.value].push_back({trace.begin(range), trace.end(range)});
    }
  }
  for (auto& times : by_process) times = MergedTimes(std::move(times));
  for (std::size_t i = 0; i < keep.size(); ++i) {
    const EventId e(i);
    const ProcessId process = trace.process_of(e);
    if (!process.valid()) {
      keep[i] = 0;
      continue;
    }
    const std::vector<TimeRange>& times = by_process[process.value];
    const EventId call = trace.call_of(e);
    const bool launched_inside = call.valid() && ContainedInAny(trace.begin(call), times);
    if (!launched_inside && !OverlapsAny(trace, e, times)) keep[i] = 0;
  }
}

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

std::string Listed(const std::set<std::uint32_t>& numbers) {
  std::string text;
  for (std::uint32_t number : numbers) text += (text.empty() ? "" : ", ") + std::to_string(number);
  return text.empty() ? "none" : text;
}

// Every wanted number must be there.
void CheckKnown(const char* option, const std::vector<std::uint32_t>& wanted,
                const std::set<std::uint32_t>& known) {
  for (std::uint32_t number : wanted) {
    if (!known.contains(number)) {
      throw Error(std::string(option) + " " + std::to_string(number) + ": not in the trace",
                  "the trace has: " + Listed(known));
    }
  }
}

template <class T>
bool IsOneOf(const std::vector<T>& list, const T& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

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

void LimitToProcesses(const Trace& trace, const std::vector<std::string>& processes,
                      EventMask& keep) {
  const auto wanted = WantedProcesses(trace, processes);
  for (std::size_t i = 0; i < keep.size(); ++i) {
    const ProcessId process = trace.process_of(EventId(i));
    if (!process.valid() || !wanted[process.value]) keep[i] = 0;
  }
}

template <class T>
std::string Words(const std::vector<T>& values) {
  std::string text;
  for (const T& value : values) {
    if (!text.empty()) text += ",";
    if constexpr (std::is_integral_v<T>) {
      text += std::to_string(value);
    } else {
      text += value;
    }
  }
  return text;
}

Window DescribeWindow(const WindowOptions& options) {
  Window window;
  std::string text;
  auto add = [&](const char* option, const std::string& value, const std::string& words) {
    if (value.empty()) return;
    window.filters.emplace_back(option, value);
    text += (text.empty() ? "" : ", ") + words;
  };
  if (!options.time.empty()) {
    window.time = ParseTimeWindow(options.time);
    add("time", options.time,
        FormatDuration(window.time->begin) + " to " + FormatDuration(window.time->end));
  }
  add("nvtx", options.nvtx, "range '" + options.nvtx + "'");
  add("device", Words(options.devices), "device " + Words(options.devices));
  add("process", Words(options.processes), "process " + Words(options.processes));
  add("thread", Words(options.threads), "thread " + Words(options.threads));
  add("stream", Words(options.streams), "stream " + Words(options.streams));
  if (!text.empty()) window.text = text;
  return window;
}

}  // namespace

TimeRange ParseTimeWindow(std::string_view text) {
  const std::size_t dash = FindDash(text);
  if (dash != std::string_view::npos) {
    const std::string_view to_text = text.substr(dash + 1);
    const auto from = ParseDuration(text.substr(0, dash), UnitOf(to_text));
    const auto to = ParseDuration(to_text);
    if (from && to && *from < *to) return {*from, *to};
    if (from && to) throw Error("--time '" + std::string(text) + "': it ends before it begins");
  }
  throw Error("--time '" + std::string(text) + "' is not a stretch of time",
              "write it as 1.2s-3.4s; units: ns, us, ms, s");
}

EventMask MaskOf(const Trace& trace, const WindowOptions& options) {
  EventMask keep(trace.event_count(), 1);
  if (!options.time.empty()) LimitToTime(trace, ParseTimeWindow(options.time), keep);
  if (!options.nvtx.empty()) LimitToRanges(trace, RangesOf(trace, options.nvtx), keep);
  if (!options.devices.empty()) LimitToDevices(trace, options.devices, keep);
  if (!options.streams.empty()) LimitToStreams(trace, options.streams, keep);
  if (!options.processes.empty()) LimitToProcesses(trace, options.processes, keep);
  if (!options.threads.empty()) LimitToThreads(trace, options.threads, keep);
  return keep;
}

WindowedTrace ApplyWindow(Trace trace, const WindowOptions& options) {
  Window window = DescribeWindow(options);
  if (options.Empty()) return {std::move(trace), std::move(window)};
  return {Select(trace, MaskOf(trace, options)), std::move(window)};
}

}  // namespace xsp
