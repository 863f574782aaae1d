#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graph/readings/critical_path.h"
#include "graph/task_places.h"

namespace xsp {

// Critical paths taken apart: by what they are made of, by where that belongs, and as runs.

// All pieces of one kind and name: kernels by class, copies by direction, calls by name; gaps and
// ways have no name.
struct PathPart {
  PathKind kind = PathKind::kStart;
  std::string name;
  DurationNs ns = 0;
  std::uint32_t pieces = 0;
};

// All pieces of one layer, or of one host range; "[no layer]", "[no range]" for the rest.
struct PathPlace {
  std::string name;
  DurationNs ns = 0;      // Of the path: both of these.
  DurationNs device = 0;  // Operations and the gaps between them.
  DurationNs host = 0;    // Calls, untraced host time, and the ways between host and device.
};

// A stretch of the path in which the host, or a device, decides without the other (but for short
// pieces).
struct PathRun {
  bool on_device = false;
  SimTime begin;
  SimTime end;
  std::uint32_t pieces = 0;
  std::string mostly;  // The part that took most of it: "kernel gemm".
  std::string range;   // The host range that took most of it; empty for none.
  TaskId longest;      // The task of its longest piece.
};

// Whether a piece is a device's time, else it is the host's.
bool IsOnDevice(PathKind kind);

std::string NameOfSegment(const TaskGraph& graph, const TaskPlaces& places,
                          const PathSegment& segment);

// "kernel gemm", "copy htod", "cudaLaunchKernel": what a task is counted under.
std::string GroupName(const TaskGraph& graph, const TaskPlaces& places, TaskId task);

// Each sums to the path's span; the longest first, ties by kind and name.
std::vector<PathPart> PartsOf(const TaskGraph& graph, const TaskPlaces& places,
                              const CriticalPath& path);
std::vector<PathPlace> LayersOf(const TaskPlaces& places, const CriticalPath& path);
std::vector<PathPlace> RangesOf(const TaskPlaces& places, const CriticalPath& path);

// In order of time; they fill the span. What is shorter than a hundredth of it joins what is
// around.
std::vector<PathRun> FoldPath(const TaskGraph& graph, const TaskPlaces& places,
                              const CriticalPath& path);

// The largest part that could be made faster: a latency cannot, and what comes only once needs not.
// Null if there is none.
const PathPart* LargestFixable(const std::vector<PathPart>& parts);
// The changes by which all tasks of such a part, on the path or not, cost nothing but what they do
// only once. Of untraced host
// time what the host was running: nobody knows how to shorten the rest.
Overlay WithoutPart(const TaskGraph& graph, const TaskPlaces& places, const PathPart& part);

}  // namespace xsp
