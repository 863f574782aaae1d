#include "hierarchy/selection/selection.h"

#include <type_traits>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "hierarchy/selection/chosen_steps.h"
#include "hierarchy/selection/filters.h"
#include "hierarchy/selection/nvtx_ranges.h"
#include "model/duration.h"
#include "model/spans.h"

namespace xsp {
namespace {

std::vector<TimeRange> TimesOfRanges(const Trace& trace, const Selection& selection) {
  std::vector<TimeRange> times;
  if (selection.nvtx.empty()) return times;
  for (EventId e : FindNvtxRanges(trace, selection.nvtx)) {
    times.push_back({trace.begin(e), trace.end(e)});
  }
  return times;
}

// An empty part would look like a trace in which nothing was recorded.
[[noreturn]] void RefuseEmpty(const Trace& trace, const Window& window) {
  std::string hint = "xsp info TRACE shows what was recorded";
  if (const std::optional<TimeRange> span = ProgramSpan(trace)) {
    hint =
        "the trace runs from " + FormatDuration(span->begin) + " to " + FormatDuration(span->end);
  }
  throw Error("nothing in the trace lies in this part of it: " + window.text, hint);
}

}  // namespace

bool Selection::HasNoFilter() const {
  return !time && nvtx.empty() && devices.empty() && processes.empty() && threads.empty() &&
         streams.empty();
}

Window DescribeSelection(const Selection& selection) {
  Window window;
  std::string text;
  auto add = [&](const char* option, const std::string& value, const std::string& words) {
    if (value.empty()) return;
    window.filters.emplace_back(option, value);
    text += (text.empty() ? "" : ", ") + words;
  };
  if (selection.time) {
    window.time = selection.time;
    const std::string words =
        FormatDuration(window.time->begin) + " to " + FormatDuration(window.time->end);
    add("time", selection.time_text.empty() ? words : selection.time_text, words);
  }
  add("nvtx", selection.nvtx, "range '" + selection.nvtx + "'");
  add("device", Joined(selection.devices, ","), "device " + Joined(selection.devices, ","));
  add("process", Joined(selection.processes, ","), "process " + Joined(selection.processes, ","));
  add("thread", Joined(selection.threads, ","), "thread " + Joined(selection.threads, ","));
  add("stream", Joined(selection.streams, ","), "stream " + Joined(selection.streams, ","));
  add("kind", selection.steps.kind, selection.steps.kind + " steps");
  if (!text.empty()) window.text = text;
  return window;
}

// The first thing said about the window: which steps.
void AddSteps(const Steps& steps, const std::vector<std::uint32_t>& chosen, Window& window) {
  const std::string words = StepNumbers(chosen) + " of " + std::to_string(steps.size());
  const bool whole = window.filters.empty();
  window.text = whole ? words : words + ", " + window.text;
  window.filters.emplace(window.filters.begin(), "steps",
                         AllStepNumbers(chosen) + " of " + std::to_string(steps.size()));
  const TimeRange time = {steps.steps[chosen.front()].time.begin,
                          steps.steps[chosen.back()].time.end};
  window.time = window.time ? window.time->Clip(time) : time;
}

EventMask MaskOf(const Trace& trace, const Selection& selection) {
  EventMask keep(trace.event_count(), 1);
  if (selection.time) LimitToTime(trace, *selection.time, keep);
  if (!selection.nvtx.empty()) LimitToRanges(trace, FindNvtxRanges(trace, selection.nvtx), keep);
  if (!selection.devices.empty()) LimitToDevices(trace, selection.devices, keep);
  if (!selection.streams.empty()) LimitToStreams(trace, selection.streams, keep);
  if (!selection.processes.empty()) LimitToProcesses(trace, selection.processes, keep);
  if (!selection.threads.empty()) LimitToThreads(trace, selection.threads, keep);
  return keep;
}

TracePart TakePart(Trace trace, const Selection& selection, const Steps* steps) {
  Window window = DescribeSelection(selection);
  if (selection.HasNoFilter() && selection.steps.Empty()) {
    return {std::move(trace), std::move(window)};
  }
  EventMask keep = MaskOf(trace, selection);
  if (!selection.steps.Empty()) {
    std::optional<Steps> found;
    if (steps == nullptr) steps = &found.emplace(FindSteps(trace));
    const std::vector<std::uint32_t> chosen = ChosenSteps(*steps, selection.steps);
    LimitToSteps(trace, *steps, chosen, keep);
    AddSteps(*steps, chosen, window);
  }
  Trace part = Select(trace, keep);
  if (part.event_count() == 0 && trace.event_count() > 0) RefuseEmpty(trace, window);
  return {std::move(part), std::move(window), TimesOfRanges(trace, selection)};
}

std::optional<DurationNs> TracePart::Length() const {
  const std::optional<TimeRange>& time = window.time;
  if (ranges.empty()) return time ? std::optional(time->Length()) : std::nullopt;
  std::vector<TimeRange> times = ranges;
  for (EventId work : trace.DeviceWork()) times.push_back({trace.begin(work), trace.end(work)});
  if (time) {
    for (TimeRange& part : times) part = part.Clip(*time);
    std::erase_if(times, [](const TimeRange& part) { return part.Empty(); });
  }
  return UnionLength(std::move(times));
}

}  // namespace xsp
