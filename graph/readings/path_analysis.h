#pragma once

#include <optional>
#include <vector>

#include "graph/readings/path_parts.h"
#include "graph/trust/trust.h"
#include "graph/unit/unit.h"

namespace xsp {

// The path that is left once the largest part of the first one costs nothing.
struct NextPath {
  PathPart without;
  DurationNs total = 0;         // How long one unit takes then.
  std::vector<PathPart> parts;  // Sum to it.
};

// Everything there is to say about what decided how long a unit took. Where the unit is a step,
// times are means over the simulated run: with the error and Unit::OtherSteps() they sum to the
// measured step.
struct PathAnalysis {
  Unit unit;
  DurationNs total = 0;  // How long one unit takes in replay,
  DurationNs error = 0;  // and what that is short of the measured time of the simulated run.
  // Each sums to `total`.
  std::vector<PathPart> parts;
  std::vector<PathPlace> layers;
  std::vector<PathPlace> ranges;
  Overlap overlap;  // Of the measured time.
  Trust trust;

  CriticalPath path;          // Of all steps of the unit, one after the other.
  std::uint32_t example = 0;  // The step of median length among them,
  std::vector<PathRun> runs;  // and its path. Of a span: the whole.
  Schedule replay;
  PerTask<DurationNs> slack;     // Per task, until the end of the unit.
  std::optional<NextPath> next;  // None if nothing on the path can be made faster.
};

PathAnalysis AnalyzePath(const TaskGraph& graph, const TaskPlaces& places, const Steps& steps,
                         const Unit& unit);

}  // namespace xsp
