#include "report/analyses/analysis_notes.h"

#include <algorithm>
#include <array>

#include "hierarchy/analyses/groups.h"
#include "model/recorder.h"
#include "report/tables/units.h"

namespace xsp {
namespace {

bool NeedsLayers(AnalysisId id) {
  const bool is_layer_level = id >= AnalysisId::kLayers && id <= AnalysisId::kMemoryByType;
  const bool is_joined = id >= AnalysisId::kLayerKernels && id <= AnalysisId::kLayerRoofline;
  return is_layer_level || is_joined || id == AnalysisId::kStages;
}

bool ShowsMemory(AnalysisId id) {
  return id == AnalysisId::kLayers || id == AnalysisId::kLayerMemory ||
         id == AnalysisId::kMemoryByType || id == AnalysisId::kStages;
}

bool ShowsKernels(AnalysisId id) { return id >= AnalysisId::kKernels && id != AnalysisId::kStages; }

bool ShowsOccupancy(AnalysisId id) {
  return id == AnalysisId::kKernels || id == AnalysisId::kKernelsByName ||
         id == AnalysisId::kLayerKernels || id == AnalysisId::kModelKernels;
}

bool ShowsMetrics(AnalysisId id) {
  return (ShowsKernels(id) && id != AnalysisId::kGpuVsHost) || id == AnalysisId::kStages;
}

bool ShowsRoofline(AnalysisId id) {
  return ShowsMetrics(id) && id != AnalysisId::kLayerMetrics && id != AnalysisId::kStages;
}

// Without these the analysis says nothing.
bool IsEssential(AnalysisId id, AnalysisNeed need) {
  switch (need) {
    case AnalysisNeed::kKernels:
    case AnalysisNeed::kLayers:
      return true;
    case AnalysisNeed::kMemory:
      return id == AnalysisId::kLayerMemory || id == AnalysisId::kMemoryByType;
    case AnalysisNeed::kMetrics:
      return id == AnalysisId::kRoofline || id == AnalysisId::kLayerRoofline ||
             id == AnalysisId::kLayerMetrics;
    case AnalysisNeed::kGraphs:
    case AnalysisNeed::kOccupancy:
    case AnalysisNeed::kPeak:
      return false;
  }
  return false;
}

GpuFigures AllFigures(const Profile& profile) {
  GpuFigures all;
  for (const RankProfile& rank : profile.ranks) all.Add(rank.gpu);
  return all;
}

Json SourceOrNull(std::uint8_t sources) {
  return sources == kFromNothing ? Json(nullptr) : Json(SourceWords(sources));
}

std::string StageRange(const Stage& stage) {
  return "layers " + std::to_string(stage.first_layer) + "-" + std::to_string(stage.last_layer);
}

}  // namespace

std::string WordsFor(AnalysisNeed need, const Profile& profile) {
  const auto with = [&](std::string_view option) { return ToRecord(profile.format, option); };
  switch (need) {
    case AnalysisNeed::kKernels:
      return "no kernels in this trace, record with " + with("--trace=cuda");
    case AnalysisNeed::kGraphs:
      return "kernels and layers of CUDA graphs: traced as one piece each, record with "
             "--cuda-graph-trace=node";
    case AnalysisNeed::kLayers:
      return "no layers in this trace, record with " +
             with("--trace=cuda,nvtx and emit_nvtx or layer ranges");
    case AnalysisNeed::kMemory:
      return "allocated memory: not in this trace, record with " + with("--cuda-memory-usage=true");
    case AnalysisNeed::kMetrics:
      return "flop and DRAM bytes: not in this trace, record with ncu --csv --page raw and give "
             "--ncu FILE, or with " +
             with("emit_nvtx(record_shapes=True)");
    case AnalysisNeed::kOccupancy:
      return "occupancy: the GPU's limits are not in this trace, give --ncu FILE";
    case AnalysisNeed::kPeak:
      return "what bounds a kernel: the GPU's peak is not in this trace, give --peak-flops and "
             "--peak-bandwidth";
  }
  return "";
}

std::vector<AnalysisNeed> Lacks(AnalysisId id, const Profile& profile, bool only_essential) {
  const GpuFigures all = AllFigures(profile);
  const bool has_metrics = all.Flops() || all.ReadBytes();
  const bool has_peak =
      std::all_of(profile.ranks.begin(), profile.ranks.end(),
                  [](const RankProfile& rank) { return rank.peaks.IdealIntensity().has_value(); });
  const bool has_latency = std::any_of(profile.ranks.begin(), profile.ranks.end(),
                                       [](const RankProfile& rank) { return rank.latency_ns > 0; });
  std::vector<AnalysisNeed> lacks;
  const auto check = [&](bool needed, bool present, AnalysisNeed need) {
    const bool counts = !only_essential || IsEssential(id, need);
    if (needed && !present && counts) lacks.push_back(need);
  };
  check(ShowsKernels(id), all.count > 0, AnalysisNeed::kKernels);
  check(id == AnalysisId::kModel, has_latency, AnalysisNeed::kKernels);
  check(ShowsKernels(id) || NeedsLayers(id), profile.whole_graphs == 0, AnalysisNeed::kGraphs);
  check(NeedsLayers(id), profile.layer_level != Level::kTrace, AnalysisNeed::kLayers);
  check(ShowsMemory(id), profile.has_memory, AnalysisNeed::kMemory);
  check(ShowsMetrics(id), has_metrics, AnalysisNeed::kMetrics);
  check(ShowsOccupancy(id), all.Occupancy() || all.count == 0, AnalysisNeed::kOccupancy);
  check(ShowsRoofline(id), has_peak || !has_metrics, AnalysisNeed::kPeak);
  return lacks;
}

Json SourcesToJson(AnalysisId id, const Profile& profile) {
  const GpuFigures all = AllFigures(profile);
  Json json = Json::object();
  if (NeedsLayers(id)) {
    const bool has_layers = profile.layer_level != Level::kTrace;
    json["layers"] = has_layers ? Json(NameOf(profile.layer_level)) : Json(nullptr);
  }
  if (ShowsMemory(id)) {
    json["allocated"] = profile.has_memory ? Json("cuda-memory-usage") : Json(nullptr);
  }
  if (ShowsMetrics(id)) {
    json["flops"] = SourceOrNull(all.flops_source);
    json["dram_bytes"] = SourceOrNull(all.bytes_source);
  }
  if (ShowsOccupancy(id)) {
    json["occupancy"] = SourceOrNull(all.OccupancySource());
  }
  Json lacks = Json::array();
  for (AnalysisNeed need : Lacks(id, profile, false)) lacks.push_back(WordsFor(need, profile));
  json["missing"] = std::move(lacks);
  return json;
}

std::string AnswersWords(const Profile& profile) {
  std::string yes, no;
  for (const AnalysisInfo& info : AllAnalyses()) {
    if (info.id == AnalysisId::kStages) continue;
    std::string& list = Lacks(info.id, profile, true).empty() ? yes : no;
    list += (list.empty() ? " " : ", ") + std::string(info.name);
  }
  std::string words = "This trace ";
  if (!yes.empty()) words += "answers" + yes;
  if (!no.empty()) words += (yes.empty() ? "lacks what" : "; it lacks what") + no + " need";
  return words + ". All rows of one: --analysis layers";
}

std::string LayerSumWords(const RankProfile& rank, const Profile& profile) {
  if (profile.layer_level == Level::kTrace) return "";
  double layers = 0, loose = 0;
  std::uint32_t count = 0;
  for (const LayerRow& row : rank.layers) {
    (row.is_layer ? layers : loose) += row.latency_ns;
    count += row.is_layer ? 1 : 0;
  }
  const auto words = [](double ns) { return FormatDuration(static_cast<DurationNs>(ns)); };
  const bool is_op = profile.layer_level == Level::kOp;
  std::string text = FormatCount(count) +
                     (is_op ? " operations (no layers are named)" : " layers") + " take " +
                     words(layers) + ", work in no layer " + words(loose);
  const double rest = rank.latency_ns - layers - loose;
  if (rest >= 0) text += ", the rest is " + words(rest);
  return text + " of " + words(rank.latency_ns) + (profile.is_step ? " per step" : " of GPU span");
}

std::string JoinWords(const Profile& profile) {
  if (!profile.has_counters) return "";
  const CounterJoin& join = profile.join;
  const auto share = [](double part, double whole) {
    return FormatPercent(whole > 0 ? part / whole : 0);
  };
  return "Counters joined for " +
         share(static_cast<double>(join.joined_calls), static_cast<double>(join.calls)) + " of " +
         FormatCount(static_cast<std::int64_t>(join.calls)) + " kernel calls, " +
         share(static_cast<double>(join.joined_time), static_cast<double>(join.time)) +
         " of their time";
}

std::string PeakWords(const GpuPeaks& peaks) {
  std::string text;
  if (peaks.fp32) {
    text = "peak " + FormatNumber(*peaks.fp32 / 1e12, 2) + " Tflop/s (fp32, no tensor cores)";
  }
  if (peaks.bytes_per_s) {
    text += (text.empty() ? "peak " : ", ") +
            FormatBandwidth(static_cast<std::uint64_t>(*peaks.bytes_per_s));
  }
  if (const auto ideal = peaks.IdealIntensity()) {
    text += ": memory-bound below " + FormatNumber(*ideal, 2) + " flop/byte";
  }
  return text;
}

std::string StageWords(const RankProfile& rank) {
  using Figure = std::optional<double> (*)(const Stage&);
  constexpr std::array<std::pair<const char*, Figure>, 4> kFigures = {
      {{"latency", [](const Stage& s) { return std::optional(s.latency_ns); }},
       {"allocation", [](const Stage& s) { return s.allocated_bytes; }},
       {"flop", [](const Stage& s) { return s.gpu.Flops(); }},
       {"memory access", [](const Stage& s) -> std::optional<double> {
          if (!s.gpu.ReadBytes()) return std::nullopt;
          return *s.gpu.ReadBytes() + *s.gpu.WriteBytes();
        }}}};
  const auto stages = StagesOf(rank);
  std::string text;
  for (const auto& [name, figure] : kFigures) {
    const auto dominant = DominantStage(stages, figure);
    if (!dominant) continue;
    text += (text.empty() ? "Most " : "; most ") + std::string(name) + ": the " +
            std::string(StageName(*dominant)) + " (" + StageRange(stages[*dominant]) + ")";
  }
  return text;
}

std::string OptimalWords(const std::vector<BatchProfile>& batches, const OptimalBatch& optimal,
                         std::optional<double> latency_target_ns) {
  if (batches.size() < 2) return "";
  const std::string batch = "batch " + std::to_string(*batches[optimal.place].batch);
  if (latency_target_ns) {
    const std::string target = FormatDuration(static_cast<DurationNs>(*latency_target_ns));
    return optimal.meets_target
               ? "Optimal: " + batch + ", the highest throughput within " + target
               : "No batch size keeps to " + target + "; " + batch + " comes nearest";
  }
  const auto gain = optimal.gain_of_last_doubling;
  const std::string percent = gain ? FormatPercent(*gain) : "";
  if (optimal.is_saturated) {
    return "Optimal: " + batch + ", the largest at which doubling brings no more than 5 % (" +
           percent + ")";
  }
  return "Largest: " + batch + (gain ? ", where doubling still brought " + percent : "") +
         "; measure larger ones to find the optimal batch size";
}

}  // namespace xsp
