#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hierarchy/analyses/catalog.h"
#include "hierarchy/analyses/runs.h"
#include "report/tables/json.h"

namespace xsp {

// What an analysis needs that a trace may lack.
enum class AnalysisNeed : std::uint8_t {
  kKernels,
  kGraphs,
  kLayers,
  kMemory,
  kMetrics,
  kOccupancy,
  kPeak
};

// "flop and DRAM bytes: not in this trace, record with ...".
std::string WordsFor(AnalysisNeed need, const Profile& profile);

// What the analysis would show and the profile does not have. `only_essential` leaves out columns
// without which it still says something.
std::vector<AnalysisNeed> Lacks(AnalysisId id, const Profile& profile, bool only_essential);

// By figure, where it comes from; null for what is not known. Only the analysis' own figures.
Json SourcesToJson(AnalysisId id, const Profile& profile);

// "This trace answers A1 A2 ...".
std::string AnswersWords(const Profile& profile);

// How the layers and the rest add up to the step; empty where there are no layers.
std::string LayerSumWords(const RankProfile& rank, const Profile& profile);

// "Counters joined for 98.2 % of 1,204 kernel calls, 99.9 % of their time"; empty without counters.
std::string JoinWords(const Profile& profile);

// "peak 19.5 Tflop/s (fp32, no tensor cores), 1555.2 GB/s, ideal 12.53 flop/byte".
std::string PeakWords(const GpuPeaks& peaks);

// "middle (layers 5-8) has most of the latency; ..."; empty without layers.
std::string StageWords(const RankProfile& rank);

// Why a batch size is the optimal one; empty where there is only one.
std::string OptimalWords(const std::vector<BatchProfile>& batches, const OptimalBatch& optimal,
                         std::optional<double> latency_target_ns);

}  // namespace xsp
