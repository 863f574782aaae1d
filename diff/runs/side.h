#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "diff/runs/run.h"
#include "diff/runs/series.h"
#include "hierarchy/totals/path_text.h"

namespace xsp {

// How many steps of some runs count, and what became of the others.
struct StepCounts {
  std::size_t found = 0;
  std::size_t counted = 0;
  std::size_t cold = 0;
  std::size_t outliers = 0;
  std::size_t left_out = 0;
};

// One side of a comparison: runs of the same thing, put together. A place is one for all runs in
// which it has the same path.
class Side {
 public:
  // All runs speak of the same unit.
  explicit Side(std::vector<Run> runs);

  const std::vector<Run>& runs() const { return runs_; }
  bool is_step() const { return runs_.front().is_step; }

  // Parents first; row 0 is the unit.
  const std::vector<RunPlace>& places() const { return places_; }
  // By place: those directly below it, in order.
  const std::vector<std::vector<std::uint32_t>>& children() const { return children_; }
  // The names from below the unit down to a place, joined by '/'. Empty for the unit.
  std::string Path(std::uint32_t place) const;

  // Figures of a place with one value for each kept step of each run.
  Series DeviceTime(std::uint32_t place) const;
  Series Count(std::uint32_t place) const;
  Series PathTime(std::uint32_t place, CostKind kind) const;
  Series Zeros() const;  // As many values, all 0.
  // Means over all kept steps of all runs.
  double MeanDeviceTime(std::uint32_t place) const { return device_sum_[place] / step_count_; }
  double MeanCount(std::uint32_t place) const { return count_[place] / step_count_; }
  double MeanPathTime(std::uint32_t place, CostKind kind) const {
    return path_sum_[place][static_cast<std::size_t>(kind)] / step_count_;
  }

  // Figures of the unit.
  Series UnitTime() const;
  Series Residual() const;
  Series OneTime() const;
  OneTimeSums OneTimeBy() const;  // The mean of it, by reason.
  Series BusyTime() const;
  Series IdleTime() const;  // Of all devices.
  Series Kernels() const;
  Series Launches() const;
  Series Syncs() const;
  // One value for each run.
  Series PerRun(std::optional<DurationNs> Run::*figure) const;
  Series PeakMemory() const;
  // Names of ranges that were open in some run, sorted; and for how long each was in a sample.
  std::vector<std::string> RangeNames() const;
  Series RangeTime(const std::string& name) const;
  // Time on the critical path of a kind, wherever.
  Series PathTime(CostKind kind) const;

  // Kept steps of all runs.
  double step_count() const { return step_count_; }
  StepCounts steps() const;  // Of all runs.
  // The mean step with the outliers; 0 where no step counts.
  double WarmMean() const;

 private:
  template <class T>
  Series Of(std::vector<T> Run::*figure) const;
  void AddRun(const Run& run);
  void SumUp();

  std::vector<Run> runs_;
  std::vector<RunPlace> places_;
  std::vector<std::vector<std::uint32_t>> children_;
  TreePaths paths_{0};
  std::vector<std::vector<std::uint32_t>> run_place_;  // By run, then place: its row there.
  std::vector<double> device_sum_, count_;             // By place, over all steps.
  std::vector<std::array<double, kCostKindCount>> path_sum_;
  double step_count_ = 0;
};

}  // namespace xsp
