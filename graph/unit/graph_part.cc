#include "graph/unit/graph_part.h"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>

#include "base/error.h"
#include "hierarchy/names/device_number.h"
#include "hierarchy/selection/chosen_steps.h"
#include "hierarchy/selection/filters.h"
#include "hierarchy/selection/nvtx_ranges.h"
#include "hierarchy/steps/kind_words.h"
#include "model/spans.h"

namespace xsp {
namespace {

// Each instance from its begin to its end, or to that of the last work launched in it; those that
// overlap are one.
std::vector<TimeRange> TimesAround(const Trace& trace, const std::vector<EventId>& ranges) {
  std::vector<TimeRange> times;
  times.reserve(ranges.size());
  for (EventId range : ranges) times.push_back({trace.begin(range), trace.end(range)});
  EventMask launched(trace.event_count(), 1);
  LimitToRanges(trace, ranges, launched);
  for (EventId work : trace.DeviceWork()) {
    const EventId call = trace.call_of(work);
    if (!launched[work.value] || !call.valid()) continue;
    times.push_back({trace.begin(call), trace.end(work)});
  }
  return Merged(std::move(times));
}

// Where a range stands, whatever its number: events get other numbers where some are taken out.
using RangePlace = std::tuple<TrackId, TimeNs, TimeNs>;

std::set<RangePlace> PlacesOf(const Trace& trace, const std::vector<EventId>& ranges) {
  std::set<RangePlace> places;
  for (EventId e : ranges) places.insert({trace.track_of(e), trace.begin(e), trace.end(e)});
  return places;
}

std::vector<EventId> RangesAt(const Trace& trace, const std::set<RangePlace>& places) {
  std::vector<EventId> ranges;
  for (EventKind kind : {EventKind::kNvtxPushPop, EventKind::kNvtxStartEnd}) {
    for (EventId e : trace.OfKind(kind)) {
      if (places.contains({trace.track_of(e), trace.begin(e), trace.end(e)})) ranges.push_back(e);
    }
  }
  return ranges;
}

// The processes with work on some devices, as a Selection names them. What others did, waiting for
// their own devices above all, is nothing that these devices wait for.
std::vector<std::string> ProcessesOn(const Trace& trace,
                                     const std::vector<std::uint32_t>& devices) {
  std::set<std::string> processes;
  for (EventId work : trace.DeviceWork()) {
    const auto device = DeviceNumber(trace, trace.track(trace.track_of(work)));
    if (!device || std::find(devices.begin(), devices.end(), *device) == devices.end()) continue;
    processes.insert(std::to_string(trace.processes()[trace.process_of(work).value].pid));
  }
  return {processes.begin(), processes.end()};
}

void Narrow(std::vector<TimeRange>& times, TimeRange to) {
  if (times.empty()) times.push_back(to);
  for (TimeRange& time : times) time = time.Clip(to);
  std::erase_if(times, [](const TimeRange& time) { return time.Empty(); });
  if (times.empty()) times.push_back({to.begin, to.begin});  // Nothing is left, not everything.
}

// Steps are a unit of their own; what is limited in time besides is stretches of time.
void ChooseSteps(const StepChoice& choice, GraphPart& part) {
  const std::vector<std::uint32_t> chosen = ChosenSteps(part.steps(), choice);
  if (!choice.NamesSteps() && !choice.says_all && part.request.times.empty()) {
    part.request.kind = choice.kind;  // Those of the kind that count.
    return;
  }
  if (choice.Empty()) {  // All of them, also those that do not count; too few are no unit.
    if (chosen.size() >= kStepsForUnit) part.request.steps = chosen;
    return;
  }
  AddSteps(part.steps(), chosen, part.window);
  const std::vector<Step>& steps = part.steps().steps;
  const TimeRange all = {steps[chosen.front()].time.begin, steps[chosen.back()].time.end};
  part.time = part.time ? part.time->Clip(all) : all;
  if (part.request.times.empty()) {
    part.request.steps = chosen;
    return;
  }
  std::vector<TimeRange> times;
  for (std::uint32_t step : chosen) {
    std::vector<TimeRange> in_step = part.request.times;
    Narrow(in_step, steps[step].time);
    times.insert(times.end(), in_step.begin(), in_step.end());
  }
  part.request.times = Merged(std::move(times));
}

void ExpectWork(const GraphPart& part) {
  const Trace& trace = *part.trace;
  const EventSpan work = trace.DeviceWork();
  if (work.empty()) {
    throw Error(part.window.filters.empty()
                    ? "the trace holds no work of a GPU: there is nothing to wait for"
                    : "no work of a GPU is left in this part of the trace: " + part.window.text,
                "xsp info TRACE shows what was recorded");
  }
  std::vector<TimeRange> times = part.request.times;
  if (times.empty() && part.time) times.push_back(*part.time);
  if (times.empty()) return;
  const bool has_work = std::any_of(times.begin(), times.end(), [&](const TimeRange& time) {
    for (EventId e : work) {
      if (time.Contains(trace.begin(e))) return true;
    }
    return false;
  });
  if (!has_work) {
    throw Error("no work of a GPU begins in this part of the trace: " + part.window.text,
                "xsp info TRACE shows its span and its steps");
  }
}

}  // namespace

GraphPart ChooseGraphPart(Trace trace, const Selection& selection, const KernelRules& rules) {
  Selection filters = selection;
  filters.time.reset();
  filters.nvtx.clear();
  filters.steps = {};
  if (!selection.devices.empty() && selection.processes.empty()) {
    filters.processes = ProcessesOn(trace, selection.devices);
  }
  std::vector<TimeRange> times;
  std::set<RangePlace> places;
  if (!selection.nvtx.empty()) {
    const std::vector<EventId> ranges = FindNvtxRanges(trace, selection.nvtx);
    times = TimesAround(trace, ranges);
    places = PlacesOf(trace, ranges);
  }
  GraphPart part;
  part.trace = std::make_unique<const Trace>(TakePart(std::move(trace), filters).trace);
  part.hierarchy = std::make_unique<const Hierarchy>(*part.trace, rules);
  if (!selection.nvtx.empty()) part.ranges = RangesAt(*part.trace, places);
  part.window = DescribeSelection(selection);
  if (selection.time) Narrow(times, *selection.time);
  part.request.times = times;
  if (!times.empty()) part.time = TimeRange{times.front().begin, times.back().end};
  const StepChoice& choice = selection.steps;
  if (!choice.Empty() || choice.says_all) ChooseSteps(choice, part);
  if (part.time) part.window.time = part.time;
  ExpectWork(part);
  return part;
}

std::optional<EventMask> EventsOfRanges(const GraphPart& part) {
  if (!part.ranges) return std::nullopt;
  EventMask events(part.trace->event_count(), 1);
  LimitToRanges(*part.trace, *part.ranges, events);
  return events;
}

Unit UnitOf(const TaskGraph& graph, GraphPart& part) {
  const Unit unit = ChooseUnit(graph, part.steps(), part.request);
  if (!unit.is_step) {
    const std::string kinds = KindWords(part.steps());
    if (!kinds.empty() && part.window.filters.empty()) part.window.text = kinds;
    return unit;
  }
  const std::vector<std::uint32_t>& counted = unit.steps.counted;
  part.window.time = {part.steps().steps[counted.front()].time.begin,
                      part.steps().steps[counted.back()].time.end};
  std::string words = WordsOf(unit.steps);
  for (const auto& [option, value] : part.window.filters) {
    if (option != "steps") words += ", " + option + " " + value;
  }
  part.window.text = words;
  return unit;
}

}  // namespace xsp
