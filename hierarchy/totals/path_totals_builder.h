#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "hierarchy/steps/finish_times.h"
#include "hierarchy/totals/path_index.h"
#include "hierarchy/totals/path_totals.h"

namespace xsp {

// Sums up a hierarchy, rank by rank. Work, ranges and calls each add to the samples of their own
// node; what sums hold of what is below is added at the end, from the leaves up. Whatever the depth
// of the paths and the number of ranks, it takes time in proportion to what there is (busy times: a
// factor of its logarithm).
class PathTotalsBuilder {
 public:
  explicit PathTotalsBuilder(PathTotals& result);
  void Build();

 private:
  // The step under which a sample is kept.
  std::uint32_t KeyOf(std::uint32_t step) const {
    return options_.steps.is_whole() ? Steps::kOutside : step;
  }
  PathSample& SampleOf(PathId node, std::uint32_t step);

  void FindPlacesOfNodes();
  void AddRankNodes();
  PathId Child(PathId parent, Level level, NameId name, Source source);
  bool IsRecorded(std::uint32_t node) const;
  PathId NodeFor(std::uint32_t rank, NodeId node);
  PathId PlaceFor(std::uint32_t rank, NodeId node);
  PathId PlaceForWork(std::uint32_t rank, EventId work);

  void AddWork(std::uint32_t rank, std::vector<EventId>& work);
  void AddOperation(PathId leaf, EventId work, std::uint32_t step, bool is_launch);
  void ForgetPlaces();
  void AddHostTime(PathId at, std::uint32_t step, DurationNs host, DurationNs wall);
  void AddRanges(std::uint32_t rank);
  void AddRangeAt(std::uint32_t rank, NodeId node);
  void AddRange(PathId at, NodeId node);
  void AddSteps(std::uint32_t rank);
  void AddCallsWithoutWork();

  // path_totals_finish.cc: what is known only when all work, ranges and calls are in.
  void CountOverlapsOnce();
  void AddUp();
  void AddTo(PathId above, const PathSample& sample, bool with_host);
  void SortSamples(std::size_t node);
  void CountBelow();
  void SetTimesAbove();
  void Finish();

  PathTotals& result_;
  const Hierarchy& h_;
  const Trace& trace_;
  const PathOptions& options_;
  const Ranks& ranks_;
  std::vector<PathNode>& nodes_;
  NameId unattributed_;
  NameId step_name_;
  PathIndex index_;
  std::vector<std::uint8_t> call_is_counted_;  // By call: seen as the launch of some work.
  std::vector<FinishTimes> finish_;            // By process; empty without elapsed times.
  // By hierarchy node:
  std::vector<TimeNs> device_end_;      // End of its last device work.
  std::vector<std::uint32_t> step_of_;  // The step it lies in.
  std::vector<ProcessId> process_of_;   // The process it belongs to.
  std::vector<PathId> path_of_;         // For the rank at hand; see kUnknown.
  std::vector<NodeId> placed_;          // Those that have one.
  std::vector<NodeId> chain_;           // Scratch of NodeFor.
  std::vector<std::vector<NodeId>> nodes_of_process_;
  // By rank: its work, in the order of steps and begins, and where that was placed.
  std::vector<std::vector<EventId>> work_;
  std::vector<PathId> place_of_work_;  // By device work.
  // By path:
  std::vector<std::vector<PathSample>> samples_;
  std::vector<std::size_t> sorted_;  // How many of its samples are in the order of steps.
  std::vector<TimeNs> wall_until_;
  std::vector<TimeNs> host_until_;
  std::vector<PathId> last_child_;
};

}  // namespace xsp
