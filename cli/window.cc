#include "cli/window.h"

#include <charconv>

#include "cli/chosen_steps.h"
#include "cli/nvtx_ranges.h"
#include "cli/window_filters.h"
#include "model/error.h"
#include "model/spans.h"
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

}  // namespace

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

// The first thing said about the window: which steps.
void AddSteps(const Steps& steps, const std::vector<std::uint32_t>& chosen, Window& window) {
  const std::string words = StepWords(steps, chosen);
  const bool whole = window.filters.empty();
  window.text = whole ? words : words + ", " + window.text;
  window.filters.emplace(window.filters.begin(), "steps", AllStepWords(steps, chosen));
  const TimeRange time = {steps.steps[chosen.front()].time.begin,
                          steps.steps[chosen.back()].time.end};
  window.time = window.time ? window.time->Clip(time) : time;
}

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
  if (!options.nvtx.empty()) LimitToRanges(trace, FindNvtxRanges(trace, options.nvtx), keep);
  if (!options.devices.empty()) LimitToDevices(trace, options.devices, keep);
  if (!options.streams.empty()) LimitToStreams(trace, options.streams, keep);
  if (!options.processes.empty()) LimitToProcesses(trace, options.processes, keep);
  if (!options.threads.empty()) LimitToThreads(trace, options.threads, keep);
  return keep;
}

// An empty part would look like a trace in which nothing was recorded.
[[noreturn]] static void RefuseEmpty(const Trace& trace, const Window& window) {
  std::string hint = "xsp info TRACE shows what was recorded";
  if (const std::optional<TimeRange> span = ProgramSpan(trace)) {
    hint =
        "the trace runs from " + FormatDuration(span->begin) + " to " + FormatDuration(span->end);
  }
  throw Error("nothing in the trace lies in this part of it: " + window.text, hint);
}

WindowedTrace ApplyWindow(Trace trace, const WindowOptions& options,
                          const StepOptions& step_options) {
  Window window = DescribeWindow(options);
  if (options.Empty() && step_options.Empty()) return {std::move(trace), std::move(window)};
  EventMask keep = MaskOf(trace, options);
  if (!step_options.Empty()) {
    const Steps steps = FindSteps(trace);
    const std::vector<std::uint32_t> chosen = ChosenSteps(steps, step_options);
    LimitToSteps(trace, steps, chosen, keep);
    AddSteps(steps, chosen, window);
  }
  Trace part = Select(trace, keep);
  if (part.event_count() == 0 && trace.event_count() > 0) RefuseEmpty(trace, window);
  return {std::move(part), std::move(window)};
}

}  // namespace xsp
