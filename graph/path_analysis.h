#pragma once

#include <optional>
#include <vector>

#include "graph/assessment.h"
#include "graph/path_parts.h"

namespace xsp {

// The path that is left once the largest part of the first one costs nothing.
struct NextPath {
  PathPart without;
  CriticalPath path;
  std::vector<PathPart> parts;
};

// Everything there is to say about what decided how long a unit took.
struct PathAnalysis {
  Unit unit;
  CriticalPath path;     // Of the replay.
  DurationNs error = 0;  // What the replay is short of the measured time.
  std::vector<PathPart> parts;
  std::vector<PathPlace> layers;
  std::vector<PathPlace> ranges;
  std::vector<PathRun> runs;
  Overlap overlap;
  Schedule replay;
  std::vector<DurationNs> slack;  // Per task, until the end of the path.
  std::optional<NextPath> next;   // None if nothing on the path can be made faster.
};

PathAnalysis AnalyzePath(const TaskGraph& graph, const TaskPlaces& places, const Unit& unit);

}  // namespace xsp
