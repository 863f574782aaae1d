#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "diff/runs/kept_steps.h"
#include "diff/runs/run.h"
#include "hierarchy/totals/path_totals.h"

namespace xsp {

// The places of a run, made from its totals by path: without steps (their occurrences are the
// samples), with calls beside the device work that they launch, not above it.
class RunPlaces {
 public:
  // `kept`: none where the unit is the span. `totals` has calls and keeps places.
  RunPlaces(const PathTotals& totals, const std::optional<KeptSteps>& kept, Run& run);

  // The place of a piece of device work, or of a CUDA call; the unit's where it has none.
  std::uint32_t OfWork(EventId work) const { return PlaceOf(totals_.places()[work.value]); }
  std::uint32_t OfCall(EventId call) const { return PlaceOf(totals_.PlaceOfCall(call)); }
  // A phase directly below the unit, made if need be.
  std::uint32_t Phase(std::string_view name) { return Child(0, Level::kPhase, name); }

 private:
  std::uint32_t PlaceOf(PathId path) const { return path.valid() ? place_of_[path.value] : 0; }
  std::uint32_t Child(std::uint32_t parent, Level level, std::string_view name);
  std::uint32_t PlaceFor(PathId path);
  void AddSamples(const std::optional<KeptSteps>& kept);
  void DescribeKernels();

  const PathTotals& totals_;
  Run& run_;
  std::vector<std::uint32_t> place_of_;  // By path.
  std::map<std::tuple<std::uint32_t, Level, std::string>, std::uint32_t> index_;
};

// By step of the trace: the sample it belongs to; kNoSample for those that are not kept.
inline constexpr std::uint32_t kNoSample = 0xffffffff;
std::vector<std::uint32_t> SamplesOfSteps(const std::optional<KeptSteps>& kept,
                                          std::size_t step_count);

}  // namespace xsp
