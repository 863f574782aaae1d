#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hierarchy/hierarchy.h"
#include "hierarchy/level.h"
#include "hierarchy/steps/step_set.h"
#include "hierarchy/totals/ranks.h"

namespace xsp {

// A path: the levels and names that lead from the root down to some place of the program, such as
// step / forward / block 3 / aten::mm / gemm. A row of PathTotals::nodes().
using PathId = Id<struct PathTag>;

// Which part of a trace is summed up, and what counts as a place.
struct PathOptions {
  // Some steps: they are occurrences of one path called "step", with a sample for each. The whole
  // trace: a path per step and one for [outside steps], each with one sample.
  StepSet steps = {};
  bool with_calls = true;     // Whether CUDA calls are nodes between host ranges and device work.
  bool with_inferred = true;  // Whether phases, layers and classes that nobody recorded are nodes,
                              // and [unattributed] for what no range holds.
  RankSplit ranks = RankSplit::kDevice;
  bool with_elapsed = false;  // Whether PathSample::elapsed is measured.
  bool keep_places = false;   // Whether the path of each piece of work and each call is remembered.
};

// What happened at one path in one step, with everything below it. Times are integer nanoseconds.
struct PathSample {
  std::uint32_t step = Steps::kOutside;  // Steps::kOutside where samples are not by step.

  // Occurrences: of a range, a call, an operation. Where nothing occurs as such (classes of work,
  // [unattributed]) the operations in it; the calls where there are none.
  std::uint32_t count = 0;
  std::uint32_t operations = 0;  // Device operations.
  std::uint32_t launches = 0;    // CUDA calls that issued device work.
  std::uint32_t calls = 0;       // CUDA calls; 0 without PathOptions::with_calls.

  DurationNs device_sum = 0;   // Kernels, copies, migrations, memsets.
  DurationNs device_busy = 0;  // Union of device work; whole graphs count. Over devices: the sum.
  // Time of the host in it; the sum of what is below for what no range stands behind.
  DurationNs host = 0;
  // Ranges: the time in which one was open, from the host's begin to the end of the host's part or
  // of its device work, whichever is later. Steps: their time. Calls and device work: the sum of
  // their durations.
  DurationNs wall = 0;
  // Ranges, with PathOptions::with_elapsed: from the moment at which the host's part has begun and
  // the work launched earlier has finished to the same moment for its end. What steps go by, too.
  DurationNs elapsed = 0;

  void Add(const PathSample& other);
};

// One path.
struct PathNode {
  PathId parent;
  PathId first_child;  // Children in the order of their first appearance.
  PathId next_sibling;
  NameId name;
  Level level = Level::kTrace;
  Source source = Source::kNone;
  bool has_wall = false;  // Else it has no extent of its own ([unattributed]): wall is 0.
  bool has_host = false;  // Else (device work) host is 0.
  PathSample total;       // Over all chosen steps; divide by PathTotals::divisor() for a mean.

  std::optional<DurationNs> Wall() const {
    return has_wall ? std::optional(total.wall) : std::nullopt;
  }
  std::optional<DurationNs> Host() const {
    return has_host ? std::optional(total.host) : std::nullopt;
  }

 private:
  friend class PathTotals;
  friend class PathTotalsBuilder;
  std::size_t first_sample_ = 0;
  std::size_t last_sample_ = 0;
};

// The hierarchy summed up by path and step: the one place where this is done. Tree, level and diff
// all read it; what analyze sums instead, and why, stands in analyses/layer_times.h.
//
// Root, then ranks (nodes of their own only where there are several), then steps, then what the
// hierarchy holds, down to device work by name. At every node and in every sample, the device sums
// of the children add up to the node's (device work itself has no children), and so do operations,
// launches and calls. Refers to the hierarchy, which must outlive it.
class PathTotals {
 public:
  PathTotals(const Hierarchy& hierarchy, PathOptions options);

  const Hierarchy& hierarchy() const { return *hierarchy_; }
  const PathOptions& options() const { return options_; }
  // The number of steps summed up; 1 for a whole trace.
  std::uint32_t divisor() const { return options_.steps.divisor(); }

  // Row 0 is the root; parents come before their children.
  const std::vector<PathNode>& nodes() const { return nodes_; }
  const PathNode& operator[](PathId id) const { return nodes_[id.value]; }
  const PathNode& root() const { return nodes_[0]; }

  // The ranks that were summed up, and the node of each: the root where there is only one.
  const Ranks& ranks() const { return ranks_; }
  PathId NodeOfRank(std::size_t rank) const { return rank_nodes_[rank]; }

  // By step, ascending; steps in which nothing happened there have none.
  std::span<const PathSample> Samples(PathId id) const;
  // The sample of one step; an empty one where nothing happened there.
  PathSample SampleAt(PathId id, std::uint32_t step) const;
  // A figure of all chosen steps, in their order, 0 where nothing happened: what statistics need.
  std::vector<DurationNs> PerStep(PathId id, DurationNs PathSample::*figure) const;

  std::string_view Name(PathId id) const { return hierarchy_->names().Text((*this)[id].name); }
  // The names from below the root down to a node, joined by '/'.
  std::string Path(PathId id) const;
  bool IsBelow(PathId id, PathId ancestor) const;  // Or the ancestor itself.

  // With with_elapsed: from the first begin of a range, in the sense of PathSample::elapsed, to the
  // last end; none where there are no ranges.
  const std::optional<TimeRange>& elapsed_span() const { return elapsed_span_; }

  // By device work: its path; none for work of other steps. Empty without keep_places.
  const std::vector<PathId>& places() const { return places_; }
  // The path of a CUDA call; none for calls of other steps. With keep_places and with_calls.
  PathId PlaceOfCall(EventId call) const { return call_places_[call.value - first_call_]; }
  // Device sum by the fact that gave the work its place. Adds up to the root's.
  const std::array<DurationNs, kSourceCount>& coverage() const { return coverage_; }

 private:
  friend class PathTotalsBuilder;

  const Hierarchy* hierarchy_;
  PathOptions options_;
  Ranks ranks_;
  std::vector<PathId> rank_nodes_;
  std::vector<PathNode> nodes_;
  std::vector<PathSample> samples_;  // By node, then by step.
  std::vector<PathId> places_;
  std::vector<PathId> call_places_;  // By call.
  std::uint32_t first_call_ = 0;
  std::optional<TimeRange> elapsed_span_;
  std::array<DurationNs, kSourceCount> coverage_{};
};

}  // namespace xsp
