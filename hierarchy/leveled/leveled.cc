#include "hierarchy/leveled/leveled.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/enum_names.h"
#include "base/error.h"
#include "hierarchy/leveled/leveled_match.h"

namespace xsp {
namespace {

Level DeepestOf(const LevelSet& levels) {
  Level deepest = Level::kTrace;
  for (std::size_t i = 0; i < kLevelCount; ++i) {
    if (levels[i]) deepest = static_cast<Level>(i);
  }
  return deepest;
}

// Runs of the same levels, fewest levels first.
std::vector<Depth> DepthsOf(std::span<const RunProfile> runs) {
  std::vector<Depth> depths;
  for (std::uint32_t r = 0; r < runs.size(); ++r) {
    auto it = std::find_if(depths.begin(), depths.end(),
                           [&](const Depth& depth) { return depth.levels == runs[r].levels; });
    if (it == depths.end()) {
      it = depths.insert(depths.end(), Depth{});
      it->levels = runs[r].levels;
    }
    it->runs.push_back(r);
  }
  std::stable_sort(depths.begin(), depths.end(), [](const Depth& a, const Depth& b) {
    return a.levels.count() < b.levels.count();
  });
  return depths;
}

// Each depth must hold what the one before holds, or neither tells what the other costs.
void NameDepths(std::span<const RunProfile> runs, std::vector<Depth>& depths) {
  LevelSet before;
  for (std::size_t d = 0; d < depths.size(); ++d) {
    Depth& depth = depths[d];
    if (const LevelSet lost = before & ~depth.levels; lost.any()) {
      throw Error(runs[depths[d - 1].runs[0]].run + " holds " + NamesOf(lost) + ", which " +
                      runs[depth.runs[0]].run + " lacks, and the other way round " +
                      NamesOf(depth.levels & ~before) + ": neither is the deeper run",
                  "add a run that was profiled at all of these levels, and leave out one of the "
                  "two");
    }
    depth.level = DeepestOf(depth.levels & ~before);
    before = depth.levels;
  }
}

// The values of one place over the runs of a depth.
class DepthPlaces {
 public:
  DepthPlaces(std::span<const RunProfile> runs, const Depth& depth) {
    for (std::uint32_t r : depth.runs) {
      auto& places = of_run_.emplace_back();
      for (const RunNode& node : runs[r].nodes) places.emplace(KeyOf(node.level, node.path), &node);
    }
  }

  // Nothing where no run of the depth has the place.
  std::optional<double> LatencyOf(const LeveledNode& node, bool by_host, Statistic how) const {
    std::vector<double> values;
    for (const auto& places : of_run_) {
      const auto it = places.find(KeyOf(node.level, node.path));
      if (it == places.end()) continue;
      values.push_back(by_host ? it->second->host_ns : it->second->device_ns);
    }
    if (values.empty()) return std::nullopt;
    return Combine(std::move(values), how);
  }

 private:
  static std::string KeyOf(Level level, const std::string& path) {
    return std::to_string(static_cast<int>(level)) + path;
  }

  std::vector<std::unordered_map<std::string, const RunNode*>> of_run_;
};

// Latency from the shallowest depth that has the node, overhead from those below.
void Measure(const std::vector<DepthPlaces>& places, bool by_host, Statistic statistic,
             LeveledNode& node) {
  std::optional<double> before;
  for (std::uint32_t d = 0; d < places.size(); ++d) {
    const std::optional<double> latency = places[d].LatencyOf(node, by_host, statistic);
    if (before) {
      node.overhead_ns.push_back(latency ? std::optional(*latency - *before) : std::nullopt);
    } else if (latency) {
      node.depth = d;
      node.latency_ns = *latency;
    }
    if (latency) before = latency;
  }
}

void AddNodes(std::span<const RunProfile> runs, Statistic statistic, LeveledRuns& result) {
  std::vector<DepthPlaces> places;
  for (const Depth& depth : result.depths) places.emplace_back(runs, depth);
  const RunProfile& deepest = runs[result.depths.back().runs[0]];
  std::vector<std::uint32_t> place_of(deepest.nodes.size(), RunNode::kNone);
  for (std::uint32_t n = 0; n < deepest.nodes.size(); ++n) {
    const RunNode& from = deepest.nodes[n];
    if (from.level == Level::kRank) continue;
    if (from.count == 0) {
      ++result.irregular;
      continue;
    }
    LeveledNode node;
    node.parent = from.parent == RunNode::kNone ? RunNode::kNone : place_of[from.parent];
    node.level = from.level;
    node.path = from.path;
    node.shown_path = from.shown_path;
    node.count = from.count;
    Measure(places, result.by_host, statistic, node);
    place_of[n] = static_cast<std::uint32_t>(result.nodes.size());
    result.nodes.push_back(std::move(node));
  }
}

LevelUnit UnitOf(std::span<const RunProfile> runs) {
  if (runs.front().unit != StepSource::kNone) return LevelUnit::kStep;
  const RunProfile* without_device = nullptr;
  const RunProfile* without_ranges = nullptr;
  for (const RunProfile& run : runs) {
    if (run.ranges_ns <= 0) without_ranges = &run;
    if (run.gpu_ns <= 0) without_device = &run;
  }
  if (without_ranges == nullptr) return LevelUnit::kRanges;
  if (without_device == nullptr) return LevelUnit::kSpan;
  throw Error(without_ranges->run + " has no ranges and " + without_device->run +
                  " no device work: there is no time that both tell",
              "mark a step of the program with an NVTX range");
}

double LatencyOf(const RunProfile& run, LevelUnit unit) {
  switch (unit) {
    case LevelUnit::kStep:
      return run.step_ns;
    case LevelUnit::kRanges:
      return run.ranges_ns;
    case LevelUnit::kSpan:
      break;
  }
  return run.gpu_ns;
}

}  // namespace

std::string_view NameOf(LevelUnit unit) {
  constexpr EnumNames<LevelUnit::kSpan> kNames({"step", "ranges", "span"});
  return kNames[unit];
}

LeveledRuns LevelRuns(std::span<const RunProfile> runs, Statistic statistic) {
  for (const RunProfile& run : runs) CheckSameUnit(runs.front(), run);
  LeveledRuns result;
  result.unit = UnitOf(runs);
  result.depths = DepthsOf(runs);
  NameDepths(runs, result.depths);
  const std::uint32_t deepest = result.depths.back().runs[0];
  for (std::uint32_t r = 0; r < runs.size(); ++r) {
    if (r != deepest) CheckSameProgram(runs[r], runs[deepest]);
    result.by_host |= !runs[r].HasDeviceWork();
  }
  std::optional<double> before;
  for (Depth& depth : result.depths) {
    std::vector<double> latencies;
    for (std::uint32_t r : depth.runs) latencies.push_back(LatencyOf(runs[r], result.unit));
    depth.latency_ns = Combine(std::move(latencies), statistic);
    if (before) depth.overhead_ns = depth.latency_ns - *before;
    before = depth.latency_ns;
  }
  AddNodes(runs, statistic, result);
  return result;
}

}  // namespace xsp
