#pragma once

#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "hierarchy/analyses/layer_times.h"
#include "hierarchy/analyses/profile.h"

namespace xsp {

// Puts a profile together; see MeasureProfile.
class ProfileBuilder {
 public:
  ProfileBuilder(const Hierarchy& hierarchy, const ProfileOptions& options);

  Profile Build();

 private:
  // A process and a device, the steps it takes part in, and what its rows are known by.
  struct Rank {
    ProcessId process;
    std::uint32_t device = 0;
    GpuId gpu;                                  // None: not known.
    std::vector<EventId> memory;                // Allocations and frees on the device.
    std::map<std::uint32_t, DeviceStep> steps;  // By step; 0 for the whole trace.
    // By the number of the layer's path and occurrence.
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> layer_rows;
    std::map<std::tuple<std::size_t, StringId, std::array<std::uint32_t, 6>, std::uint32_t>,
             std::size_t>
        kernel_rows;
  };

  bool IsChosen(std::uint32_t step) const { return options_.steps.Contains(step); }
  std::uint32_t KeyOf(std::uint32_t step) const { return options_.steps.is_whole() ? 0 : step; }
  void FindRanks();
  Rank* RankOf(EventId event);  // None if it is of no device that counts.
  void AddWork();
  void AddIdleLayers();
  TimeRange WholeTime() const;  // The GPU span; the program's where the GPU did nothing.
  void SetTimes();
  void MeasureRank(Rank& rank, RankProfile& result);
  void MeasureStep(Rank& rank, const DeviceStep& step, RankProfile& result);
  std::size_t LayerRowOf(Rank& rank, const LayerTimes& times,
                         std::map<std::uint32_t, std::uint32_t>& seen, RankProfile& result);
  void AddKernels(Rank& rank, const LayerTimes& times, std::size_t row, RankProfile& result);
  std::string ShapeOf(const LayerTimes& times) const;
  void AddMemory(const Rank& rank, RankProfile& result);
  EventId CallOfMemory(EventId memory) const;
  DurationNs UnitLength() const;
  GpuPeaks PeaksOfRank(const Rank& rank) const;
  void Finish(RankProfile& result) const;

  const Hierarchy& h_;
  const Trace& trace_;
  const ProfileOptions& options_;
  LayerMap layers_;
  KernelFigures figures_;
  std::vector<Rank> ranks_;
  // There may be as many ranks as events: nothing looks through all of them for each.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> rank_of_;  // By process, device.
  std::unordered_map<std::uint32_t, std::size_t> first_rank_of_;            // By process.
  DurationNs unit_ns_ = 0;
  std::unordered_map<NodeId, std::size_t> row_of_node_;    // Of the rank at hand.
  std::unordered_map<std::uint64_t, EventId> call_by_id_;  // For memory operations.
  std::vector<EventId> kernels_;                           // All that were counted.
};

}  // namespace xsp
