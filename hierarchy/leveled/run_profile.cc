#include "hierarchy/leveled/run_profile.h"

#include <map>
#include <set>

#include "base/error.h"
#include "hierarchy/totals/path_text.h"
#include "hierarchy/totals/path_totals.h"
#include "model/spans.h"

namespace xsp {
namespace {

// "2 x NVIDIA A100, ...": the GPUs that did the work of some steps.
std::string GpusOf(const Hierarchy& hierarchy, const StepSet& steps) {
  const Trace& trace = hierarchy.trace();
  std::set<GpuId> gpus;
  for (EventId work : trace.DeviceWork()) {
    const GpuId gpu = trace.track(trace.track_of(work)).gpu;
    if (gpu.valid() && steps.Contains(hierarchy.StepOfWork(work))) gpus.insert(gpu);
  }
  std::map<std::string_view, int> counts;
  for (GpuId gpu : gpus) {
    ++counts[trace.strings().Get(trace.gpus()[gpu.value].name, "unnamed GPU")];
  }
  std::string text;
  for (const auto& [name, count] : counts) {
    text += text.empty() ? "" : ", ";
    if (count > 1) text += std::to_string(count) + " x ";
    text += name;
  }
  return text;
}

bool HasCalls(const Hierarchy& hierarchy, const StepSet& steps) {
  for (EventId call : hierarchy.trace().OfKind(EventKind::kApi)) {
    if (steps.Contains(hierarchy.StepOfCall(call))) return true;
  }
  return false;
}

// A path as a place of the program: without the step, which all have in common, and with ranks by
// their order, for process ids differ from run to run.
class Places {
 public:
  Places(const PathTotals& totals, NameForm names, RunProfile& profile)
      : totals_(totals), labels_(totals.hierarchy().trace(), names), profile_(profile) {}

  void AddAll() {
    node_of_.assign(totals_.nodes().size(), RunNode::kNone);
    for (std::uint32_t n = 1; n < totals_.nodes().size(); ++n) Add(PathId(n));
  }

 private:
  void Add(PathId id) {
    const PathNode& path = totals_[id];
    const std::uint32_t parent = node_of_[path.parent.value];
    node_of_[id.value] = parent;
    if (path.level == Level::kStep) return;
    node_of_[id.value] = static_cast<std::uint32_t>(profile_.nodes.size());
    const auto steps = static_cast<double>(totals_.divisor());
    const bool is_work = path.level == Level::kDevice;
    RunNode node;
    node.parent = parent;
    node.level = path.level;
    node.name = path.level == Level::kRank ? "rank " + std::to_string(ranks_++) : totals_.Name(id);
    const PathText above = parent == RunNode::kNone ? PathText() : paths_[parent];
    const std::string_view label =
        is_work ? labels_.OfName(StringId(path.name.value)) : std::string_view();
    node.path = paths_.emplace_back(above.Below(node.name)).text();
    node.shown_path = label.empty() ? node.path : above.Below(label).text();
    // Work has its duration; what runs at the same time counts each.
    node.host_ns = static_cast<double>(is_work ? path.total.wall : path.total.host) / steps;
    node.device_ns = static_cast<double>(is_work ? path.total.wall : path.total.elapsed) / steps;
    node.count = static_cast<std::uint64_t>(path.total.count / steps + 0.5);
    if (path.level > Level::kStep) profile_.levels.set(static_cast<std::size_t>(path.level));
    profile_.nodes.push_back(std::move(node));
  }

  const PathTotals& totals_;
  const KernelLabels labels_;
  RunProfile& profile_;
  std::vector<std::uint32_t> node_of_;  // By path; of a step that of its rank.
  std::vector<PathText> paths_;         // By place.
  std::uint32_t ranks_ = 0;
};

}  // namespace

std::string NamesOf(const LevelSet& levels) {
  std::string names;
  for (std::size_t i = 0; i < kLevelCount; ++i) {
    if (!levels[i]) continue;
    names += names.empty() ? "" : ", ";
    names += NameOf(static_cast<Level>(i));
  }
  return names;
}

RunProfile ProfileOf(const Hierarchy& hierarchy, const std::vector<std::uint32_t>& steps,
                     std::string run, NameForm names) {
  const bool has_steps = hierarchy.steps().source != StepSource::kNone;
  const StepSet chosen = has_steps ? StepSet(steps) : StepSet();
  const PathTotals totals(hierarchy, {.steps = chosen,
                                      .with_calls = false,
                                      .with_inferred = false,
                                      .ranks = RankSplit::kProcess,
                                      .with_elapsed = true});
  RunProfile profile;
  profile.run = std::move(run);
  profile.unit = hierarchy.steps().source;
  profile.steps = steps.size();
  profile.levels.set(static_cast<std::size_t>(has_steps ? Level::kStep : Level::kTrace));
  if (HasCalls(hierarchy, chosen)) profile.levels.set(static_cast<std::size_t>(Level::kApi));
  Places(totals, names, profile).AddAll();
  profile.device_operations =
      static_cast<double>(totals.root().total.operations) / totals.divisor();
  profile.gpus = GpusOf(hierarchy, chosen);
  if (const auto& span = totals.elapsed_span()) {
    profile.ranges_ns = static_cast<double>(span->Length());
  }
  const Trace& trace = hierarchy.trace();
  if (const auto span = GpuSpan(trace)) profile.gpu_ns = static_cast<double>(span->Length());
  for (std::uint32_t step : chosen.steps()) {
    profile.step_ns +=
        static_cast<double>(hierarchy.steps().steps[step].time.Length()) / chosen.divisor();
  }
  if (profile.step_ns <= 0 && profile.ranges_ns <= 0 && profile.gpu_ns <= 0) {
    throw Error(profile.run + ": there are neither steps nor ranges nor device work in this run",
                "mark a step of the program with an NVTX range, and record with --trace=nvtx or "
                "--trace=cuda,nvtx");
  }
  return profile;
}

}  // namespace xsp
