#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hierarchy/leveled/run_profile.h"
#include "hierarchy/leveled/run_statistic.h"

namespace xsp {

// Leveled experimentation, after XSP: a profiler measures its own level well and slows down what
// lies above it. So the same program is run several times, each time profiled to another depth:
// a level's latency comes from the runs in which nothing deeper was recorded, and what a deeper
// level costs is the difference between two depths.

// The runs that recorded the same levels. Of a level that they add, they are the first to tell.
struct Depth {
  LevelSet levels;                  // That the runs hold.
  Level level = Level::kTrace;      // The deepest one that shallower runs do not hold.
  std::vector<std::uint32_t> runs;  // Indices of the runs, ascending.
  double latency_ns = 0;            // Of the unit.
  // What these levels add to the unit: the difference to the depth before; none for the first.
  std::optional<double> overhead_ns;
};

// A place of the program, found in every depth that holds its level.
struct LeveledNode {
  std::uint32_t parent = RunNode::kNone;
  Level level = Level::kTrace;
  std::string path;
  std::string shown_path;   // See RunNode.
  std::uint64_t count = 0;  // In one step.
  std::uint32_t depth = 0;  // The shallowest that holds it: where its latency comes from.
  double latency_ns = 0;
  // What each deeper depth adds to it, from depth + 1 on; none where a depth does not have it.
  std::vector<std::optional<double>> overhead_ns;
};

// What the latency of a run is: that of a step; where no run has steps, the time from the first
// range to the end of the last; where not all have ranges, the span of the device work.
enum class LevelUnit : std::uint8_t { kStep = 0, kRanges, kSpan };
std::string_view NameOf(LevelUnit unit);  // "step", "ranges", "span".

struct LeveledRuns {
  LevelUnit unit = LevelUnit::kStep;
  std::vector<Depth> depths;       // From shallow to deep; each holds all levels of those before.
  std::vector<LeveledNode> nodes;  // Parents first, else in order of first appearance.
  bool by_host = false;  // A run has no device work, so ranges go by the host's time everywhere.
  std::uint32_t irregular = 0;  // Places left out: they come in fewer than half of the steps.
};

// Puts runs of one program together. Throws Error, saying what differs, for runs that do not match:
// other ranges, other counts, another GPU, steps found in another way, levels of which none holds
// the other's.
LeveledRuns LevelRuns(std::span<const RunProfile> runs, Statistic statistic);

}  // namespace xsp
