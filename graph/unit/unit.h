#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "graph/task_graph.h"
#include "graph/unit/gpu_span.h"
#include "hierarchy/steps/counted_steps.h"
#include "hierarchy/steps/steps.h"

namespace xsp {

// What figures speak of: the mean step of those that count, or a span of the GPU's time.
//
// One definition for replay, critical path, idle time, leverage, forecasts and comparisons, chosen
// in one place (ChooseUnit). Steps are spoken of where the trace has at least kStepsForUnit counted
// ones, else the GPU span.
//
// Figures that were measured are means over all counted steps. What is simulated again and again is
// a short run of them; how far that is from the mean step is told apart (OtherSteps).
struct Unit {
  bool is_step = false;

  CountedSteps steps;  // Steps: those that measured figures are means over, and the others.

  // The run [first_step, first_step + step_count) of Steps::steps that is simulated: whole periods,
  // where the trace is long enough, of which the mean is nearest to the typical step. The `fill`
  // steps before it are simulated with it and count for nothing: in them the device falls behind
  // the host, or catches up, as it does in steady state.
  std::uint32_t first_step = 0;
  std::uint32_t step_count = 0;
  std::uint32_t fill = 0;
  std::uint32_t period = 1;

  // A span: from the first to the last of the operations that were measured to begin in a part of
  // the time; where there are several parts, one after the other, their spans together.
  std::vector<TimeRange> parts = {};
  std::vector<SpanMargins> margins = {};  // By part.
  bool is_asked_for = false;              // The parts were, else they are all time.

  // As measured, on the trace's clock.
  TimeRange time;               // What is simulated, from the first border to the last.
  DurationNs measured = 0;      // How long one unit took: the typical step, or the span.
  DurationNs run_measured = 0;  // How long a step of the simulated run took; of a span the same.
  // Of `measured`, what passed in one-time costs while no device worked; by reason.
  std::array<DurationNs, kOneTimeReasonCount> one_time_by = {};

  DurationNs OneTime() const {
    return std::accumulate(one_time_by.begin(), one_time_by.end(), DurationNs{0});
  }

  std::uint32_t end_step() const { return first_step + step_count; }
  bool IsInParts(TimeNs begin) const;
  // By how much the typical step is longer than those that are simulated.
  DurationNs OtherSteps() const { return measured - run_measured; }
  // What was summed over the counted steps, or over the simulated run, for one of them.
  DurationNs MeanOfCounted(DurationNs sum) const {
    return sum / static_cast<DurationNs>(counted_size());
  }
  DurationNs MeanOfRun(DurationNs sum) const { return sum / static_cast<DurationNs>(run_size()); }
  // How many steps such sums are over; 1 for a span.
  std::size_t counted_size() const { return is_step ? steps.counted.size() : 1; }
  std::size_t run_size() const { return is_step ? step_count : 1; }
};

// Divides figures that were summed over steps, one after the other, so that the means sum
// to the mean of the sum: tables add up to the nanosecond.
class UnitMeans {
 public:
  static UnitMeans OfCounted(const Unit& unit) { return UnitMeans(unit.counted_size()); }
  static UnitMeans OfRun(const Unit& unit) { return UnitMeans(unit.run_size()); }

  DurationNs Next(DurationNs sum) {
    const DurationNs before = Floor(total_);
    total_ += sum;
    return Floor(total_) - before;
  }
  // A number of things, rounded, but never to none: these need not add up.
  std::uint32_t Count(std::uint32_t count) const {
    const DurationNs mean = (count + count_ / 2) / count_;
    return count == 0 ? 0 : static_cast<std::uint32_t>(std::max<DurationNs>(1, mean));
  }

 private:
  explicit UnitMeans(std::size_t steps) : count_(static_cast<DurationNs>(steps)) {}
  DurationNs Floor(DurationNs sum) const { return sum / count_ - (sum % count_ < 0 ? 1 : 0); }

  DurationNs count_;
  DurationNs total_ = 0;
};

// Which part of the trace was asked for; by default none: the counted steps, else the whole span.
struct UnitRequest {
  std::vector<std::uint32_t> steps = {};  // Ascending.
  std::string kind = {};                  // The counted steps of this kind; empty: of the main one.
  std::vector<TimeRange> times = {};      // Spans, one after the other; they win over steps.
};

// As many steps are simulated as are cheap to simulate a thousand times. Steps that were asked for
// are counted as they are.
Unit ChooseUnit(const TaskGraph& graph, const Steps& steps, const UnitRequest& request = {});

// The times over which measured figures are summed: each counted step, neighbours joined; the span;
// or, where parts were asked for, these as they are, so that what goes on at their edges is cut
// there.
std::vector<TimeRange> MeasuredTimes(const Steps& steps, const Unit& unit);

// The GPU span of what begins within a stretch of time, as a unit; or those of several stretches.
Unit SpanUnit(const TaskGraph& graph, TimeRange part = kAllTime);
Unit SpanUnit(const TaskGraph& graph, const std::vector<TimeRange>& parts);

// Where the unit lies in a simulation of the graph, of a slice of it, or of an edited one: each of
// its steps, or its span, on the host's clock. Borders are found anew in every simulation
// (step_borders.h).
std::vector<SimSpan> SpansOf(const TaskGraph& graph, const Schedule& schedule, const Steps& steps,
                             const Unit& unit);
// How long one unit takes there: the mean of the run's steps.
DurationNs LengthOf(const Unit& unit, const std::vector<SimSpan>& spans);

}  // namespace xsp
