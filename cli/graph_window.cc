#include "cli/graph_window.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <string>

#include "cli/chosen_steps.h"
#include "cli/nvtx_ranges.h"
#include "cli/window.h"
#include "model/error.h"
#include "report/devices.h"

namespace xsp {
namespace {

// From the first of the ranges to the end of the last, or of the last work launched in one.
TimeRange TimeOfRanges(const Trace& trace, const std::vector<EventId>& ranges) {
  TimeRange time{trace.begin(ranges.front()), trace.end(ranges.front())};
  for (EventId range : ranges) {
    time.begin = std::min(time.begin, trace.begin(range));
    time.end = std::max(time.end, trace.end(range));
  }
  auto in_a_range = [&](EventId call) {
    return std::any_of(ranges.begin(), ranges.end(), [&](EventId range) {
      return trace.process_of(range) == trace.process_of(call) &&
             trace.begin(range) <= trace.begin(call) && trace.begin(call) < trace.end(range);
    });
  };
  const TimeRange host = time;
  for (EventId work : trace.DeviceWork()) {
    const EventId call = trace.call_of(work);
    if (!call.valid() || trace.end(work) <= time.end || !host.Contains(trace.begin(call))) continue;
    if (in_a_range(call)) time.end = trace.end(work);
  }
  return time;
}

// The processes with work on some devices, as --process takes them. What others did, waiting for
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

void Narrow(std::optional<TimeRange>& time, TimeRange to) { time = time ? time->Clip(to) : to; }

void ChooseSteps(const StepOptions& options, GraphPart& part) {
  const std::vector<std::uint32_t> chosen = ChosenSteps(part.steps(), options);
  if (chosen.back() - chosen.front() + 1 != chosen.size()) {
    throw Error(
        "--steps " + options.steps + ": waits can be followed through consecutive steps only",
        "write it as 7 or 5-15");
  }
  AddSteps(part.steps(), chosen, part.window);
  Narrow(part.time, {part.steps().steps[chosen.front()].time.begin,
                     part.steps().steps[chosen.back()].time.end});
  part.request.steps = chosen;
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
  if (!part.time) return;
  bool has_work = false;
  for (EventId e : work) has_work |= part.time->Contains(trace.begin(e));
  if (!has_work) {
    throw Error("no work of a GPU begins in this part of the trace: " + part.window.text,
                "xsp info TRACE shows its span and its steps");
  }
}

}  // namespace

GraphPart ChooseGraphPart(Trace trace, const WindowOptions& options, const StepOptions& steps,
                          const KernelRules& rules) {
  WindowOptions filters = options;
  filters.time.clear();
  filters.nvtx.clear();
  if (!options.devices.empty() && options.processes.empty()) {
    filters.processes = ProcessesOn(trace, options.devices);
  }
  std::optional<TimeRange> time;
  if (!options.nvtx.empty()) {
    time = TimeOfRanges(trace, FindNvtxRanges(trace, options.nvtx));
  }
  GraphPart part;
  part.trace = std::make_unique<const Trace>(ApplyWindow(std::move(trace), filters, {}).trace);
  part.hierarchy = std::make_unique<const Hierarchy>(*part.trace, rules);
  part.time = time;
  part.window = DescribeWindow(options);
  if (!options.time.empty()) Narrow(part.time, ParseTimeWindow(options.time));
  const bool has_time = part.time.has_value();
  if (!steps.Empty()) ChooseSteps(steps, part);
  if (has_time) part.request.time = part.time;
  if (part.time) part.window.time = part.time;
  ExpectWork(part);
  return part;
}

Unit UnitOf(const TaskGraph& graph, GraphPart& part) {
  const Unit unit = ChooseUnit(graph, part.steps(), part.request);
  if (!unit.is_step) return unit;
  part.window.time = unit.time;
  std::vector<std::uint32_t> run(unit.step_count);
  std::iota(run.begin(), run.end(), unit.first_step);
  std::string words = (run.size() > 1 ? "mean of " : "") + StepWords(part.steps(), run);
  if (part.request.steps.empty()) {
    words += " (" + std::to_string(run.size()) + " of " + std::to_string(unit.samples.size()) +
             " steady" +
             (unit.period > 1 ? ", period " + std::to_string(unit.period) : std::string()) + ")";
  }
  for (const auto& [option, value] : part.window.filters) {
    if (option != "steps") words += ", " + option + " " + value;
  }
  part.window.text = words;
  return unit;
}

}  // namespace xsp
