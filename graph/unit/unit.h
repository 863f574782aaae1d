#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "graph/task_graph.h"
#include "graph/unit/gpu_span.h"
#include "hierarchy/steps/steps.h"

namespace xsp {

// What figures speak of: the mean step of a run of steady steps, or a span of the GPU's time.
//
// One definition for replay, critical path, idle time, leverage, forecasts and comparisons, chosen
// in one place (ChooseUnit). Steps are spoken of where the trace has at least kStepsForUnit steady
// ones, else the GPU span.
struct Unit {
  bool is_step = false;

  // Steps: the run [first_step, first_step + step_count) of Steps::steps, whole periods of it where
  // the trace is long enough. The `fill` steps before it are simulated with it and count for
  // nothing: in them the device falls behind the host, or catches up, as it does in steady state.
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
  TimeRange time;           // From the first border to the last.
  DurationNs measured = 0;  // How long one unit took: the mean step of the run, or the span.
  // Each steady step, in order (each that was asked for, where some were): the runs of the program
  // that statistics are made of. Of a span: itself.
  std::vector<DurationNs> samples;

  std::uint32_t end_step() const { return first_step + step_count; }
  bool IsInParts(TimeNs begin) const;
  // What was summed over the unit's steps, for one of them.
  DurationNs Mean(DurationNs sum) const {
    return is_step ? sum / static_cast<DurationNs>(step_count) : sum;
  }
};

// Divides figures that were summed over a unit's steps, one after the other, so that the means sum
// to the mean of the sum: tables add up to the nanosecond.
class UnitMeans {
 public:
  explicit UnitMeans(const Unit& unit) : count_(unit.is_step ? unit.step_count : 1) {}

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
  DurationNs Floor(DurationNs sum) const { return sum / count_ - (sum % count_ < 0 ? 1 : 0); }

  DurationNs count_;
  DurationNs total_ = 0;
};

// Which part of the trace was asked for; by default none: the steady steps, else the whole span.
struct UnitRequest {
  std::vector<std::uint32_t> steps = {};  // Consecutive, ascending.
  std::vector<TimeRange> times = {};      // Spans, one after the other; they win over steps.
};

// The run is the one of median length among those that fit, so that one odd step does not speak for
// all; as many steps as are cheap to simulate a thousand times. Steps that were asked for are taken
// as they are.
Unit ChooseUnit(const TaskGraph& graph, const Steps& steps, const UnitRequest& request = {});

// The measured times that the unit is made of: each step, neighbours joined; the span; or, where
// parts were asked for, these as they are, so that what goes on at their edges is cut there.
std::vector<TimeRange> TimesOf(const Steps& steps, const Unit& unit);

// The GPU span of what begins within a stretch of time, as a unit; or those of several stretches.
Unit SpanUnit(const TaskGraph& graph, TimeRange part = kAllTime);
Unit SpanUnit(const TaskGraph& graph, const std::vector<TimeRange>& parts);

// Where the unit lies in a simulation of the graph, of a slice of it, or of an edited one: each of
// its steps, or its span, on the host's clock. Borders are found anew in every simulation
// (step_borders.h).
std::vector<SimSpan> SpansOf(const TaskGraph& graph, const Schedule& schedule, const Steps& steps,
                             const Unit& unit);
// How long one unit takes there: the mean of the steps.
DurationNs LengthOf(const Unit& unit, const std::vector<SimSpan>& spans);

}  // namespace xsp
