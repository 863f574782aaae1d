#include "hierarchy/run_profile.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "hierarchy/finish_times.h"
#include "hierarchy/step_candidates.h"
#include "hierarchy/tree_index.h"
#include "model/error.h"
#include "model/spans.h"

namespace xsp {
namespace {

// Fills a profile from one hierarchy.
class Profiler {
 public:
  Profiler(const Hierarchy& hierarchy, const std::vector<std::uint32_t>& steps, NameForm names,
           RunProfile& profile)
      : h_(hierarchy), trace_(hierarchy.trace()), form_(names), short_(trace_), profile_(profile) {
    chosen_.assign(h_.steps().size(), 0);
    for (std::uint32_t step : steps) chosen_[step] = 1;
    for (const LaunchedWork& launched : LaunchOrder(trace_)) finish_.emplace_back(trace_, launched);
    node_of_.assign(h_.nodes().size(), kUnknown);
    FindRanks();
  }

  void AddRanges() {
    const Nodes& nodes = h_.nodes();
    for (std::uint32_t n = 0; n < nodes.size(); ++n) {
      if (!IsRecorded(n) || !IsChosen(StepOf(NodeId(n)))) continue;
      const std::uint32_t at = NodeFor(NodeId(n));
      RunNode& node = profile_.nodes[at];
      const FinishTimes& finish = finish_[ProcessOf(n).value];
      const TimeNs begin = finish.Boundary(nodes.host_begin[n]);
      const TimeNs end = finish.Boundary(nodes.host_end[n]);
      node.host_ns += static_cast<double>(nodes.host_end[n] - nodes.host_begin[n]);
      node.device_ns += static_cast<double>(end - begin);
      ++node.count;
      first_ = std::min(first_, begin);
      last_ = std::max(last_, end);
      Hold(node.level);
    }
  }

  void AddWork() {
    for (EventId work : trace_.DeviceWork()) {
      if (!IsChosen(h_.StepOfWork(work))) continue;
      std::uint32_t parent = NodeFor(h_.NodeOfWork(work));
      if (parent == RunNode::kNone) parent = RankOf(trace_.process_of(work));
      RunNode& node = profile_.nodes[Child(parent, Level::kDevice, h_.NameOfWork(work))];
      if (node.count == 0 && trace_.OfKind(EventKind::kKernel).Contains(work)) {
        ShowAs(node, KernelName(trace_, work, form_, short_));
      }
      const auto duration = static_cast<double>(trace_.duration(work));
      node.host_ns += duration;
      node.device_ns += duration;
      ++node.count;
      ++profile_.device_operations;
      const GpuId gpu = trace_.track(trace_.track_of(work)).gpu;
      if (gpu.valid()) gpus_.insert(gpu);
      Hold(Level::kDevice);
    }
    for (EventId call : trace_.OfKind(EventKind::kApi)) {
      if (IsChosen(h_.StepOfCall(call))) Hold(Level::kApi);
    }
  }

  void Finish() {
    const auto steps = static_cast<double>(std::max<std::size_t>(profile_.steps, 1));
    for (RunNode& node : profile_.nodes) {
      node.host_ns /= steps;
      node.device_ns /= steps;
      node.count = static_cast<std::uint64_t>(static_cast<double>(node.count) / steps + 0.5);
    }
    profile_.device_operations /= steps;
    NameGpus();
    Hold(profile_.unit == StepSource::kNone ? Level::kTrace : Level::kStep);
    if (first_ <= last_) profile_.ranges_ns = static_cast<double>(last_ - first_);
    if (const auto span = GpuSpan(trace_)) profile_.gpu_ns = static_cast<double>(span->Length());
    for (std::uint32_t step = 0; step < chosen_.size(); ++step) {
      if (chosen_[step] == 0) continue;
      profile_.step_ns += static_cast<double>(h_.steps().steps[step].time.Length()) / steps;
    }
  }

 private:
  void NameGpus() {
    std::map<std::string_view, int> counts;
    for (GpuId gpu : gpus_) {
      ++counts[trace_.strings().Get(trace_.gpus()[gpu.value].name, "unnamed GPU")];
    }
    for (const auto& [name, count] : counts) {
      profile_.gpus += profile_.gpus.empty() ? "" : ", ";
      if (count > 1) profile_.gpus += std::to_string(count) + " x ";
      profile_.gpus += name;
    }
  }

  static constexpr std::uint32_t kUnknown = 0xfffffffe;

  bool IsChosen(std::uint32_t step) const {
    if (chosen_.empty()) return true;
    return step != Steps::kOutside && chosen_[step] != 0;
  }

  std::uint32_t StepOf(NodeId node) const {
    return chosen_.empty() ? Steps::kOutside : h_.StepAbove(node);
  }

  // Ranges, and layers between recorded hooks; not steps, nor what was inferred.
  bool IsRecorded(std::uint32_t n) const {
    const Nodes& nodes = h_.nodes();
    if (nodes.level[n] <= Level::kStep) return false;
    return nodes.event[n].valid() ||
           (nodes.source[n] == Source::kRange && nodes.host_begin[n] < nodes.host_end[n]);
  }

  ProcessId ProcessOf(std::uint32_t n) const {
    const Nodes& nodes = h_.nodes();
    NodeId at(n);
    while (nodes.level[at.value] != Level::kRank) at = nodes.parent[at.value];
    return ProcessId(at.value - h_.NodeOfProcess(ProcessId(0u)).value);
  }

  // Process ids differ from run to run: where several took part they go by their order.
  void FindRanks() {
    ranks_.assign(trace_.processes().size(), RunNode::kNone);
    std::vector<std::uint32_t> taking_part;
    for (std::uint32_t p = 0; p < trace_.processes().size(); ++p) {
      if (h_.HasHostEvents(ProcessId(p))) taking_part.push_back(p);
    }
    if (taking_part.size() < 2) return;
    for (std::uint32_t p : taking_part) {
      ranks_[p] = static_cast<std::uint32_t>(profile_.nodes.size());
      RunNode rank;
      rank.level = Level::kRank;
      rank.name = "rank " + std::to_string(profile_.nodes.size());
      rank.path = rank.name;
      profile_.nodes.push_back(rank);
    }
  }

  std::uint32_t RankOf(ProcessId process) const { return ranks_[process.value]; }

  // The profile's node of the innermost recorded range at or above a node of the hierarchy.
  std::uint32_t NodeFor(NodeId node) {
    const Nodes& nodes = h_.nodes();
    chain_.clear();
    while (nodes.level[node.value] > Level::kStep && node_of_[node.value] == kUnknown) {
      chain_.push_back(node);
      node = nodes.parent[node.value];
    }
    std::uint32_t at = node_of_[node.value];
    if (nodes.level[node.value] <= Level::kStep) at = RankOf(ProcessOfTop(node));
    for (; !chain_.empty(); chain_.pop_back()) {
      const std::uint32_t n = chain_.back().value;
      if (IsRecorded(n)) at = Child(at, nodes.level[n], nodes.name[n]);
      node_of_[n] = at;
    }
    return at;
  }

  ProcessId ProcessOfTop(NodeId top) const {
    return top == h_.root() ? ProcessId(0u) : ProcessOf(top.value);
  }

  std::uint32_t Child(std::uint32_t parent, Level level, NameId name) {
    const auto fresh = static_cast<std::uint32_t>(profile_.nodes.size());
    // The index takes small numbers for parents: 0 is the step.
    const std::uint32_t above = parent == RunNode::kNone ? 0 : parent + 1;
    const std::uint32_t found = index_.FindOrAdd(above, level, name, fresh);
    if (found != fresh) return found;
    RunNode node;
    node.parent = parent;
    node.level = level;
    node.name = h_.names().Text(name);
    node.path = parent == RunNode::kNone ? "" : profile_.nodes[parent].path + "/";
    node.path += node.name;
    node.shown_path = node.path;
    profile_.nodes.push_back(std::move(node));
    return fresh;
  }

  void ShowAs(RunNode& node, const std::string& name) const {
    node.shown_path.resize(node.shown_path.size() - node.name.size());
    node.shown_path += name;
  }

  void Hold(Level level) { profile_.levels.set(static_cast<std::size_t>(level)); }

  const Hierarchy& h_;
  const Trace& trace_;
  NameForm form_;
  ShortNames short_;
  RunProfile& profile_;
  std::vector<std::uint8_t> chosen_;  // By step.
  std::vector<FinishTimes> finish_;   // By process.
  std::vector<std::uint32_t> ranks_;  // By process: its node.
  TreeIndex index_;
  std::vector<std::uint32_t> node_of_;  // By node of the hierarchy.
  std::vector<NodeId> chain_;           // Scratch of NodeFor.
  std::set<GpuId> gpus_;
  TimeNs first_ = std::numeric_limits<TimeNs>::max();
  TimeNs last_ = std::numeric_limits<TimeNs>::min();
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
  RunProfile profile;
  profile.run = std::move(run);
  profile.unit = hierarchy.steps().source;
  profile.steps = steps.size();
  Profiler profiler(hierarchy, steps, names, profile);
  profiler.AddRanges();
  profiler.AddWork();
  profiler.Finish();
  if (profile.step_ns <= 0 && profile.ranges_ns <= 0 && profile.gpu_ns <= 0) {
    throw Error(profile.run + ": there are neither steps nor ranges nor device work in this run",
                "mark a step of the program with an NVTX range, and record with --trace=nvtx or "
                "--trace=cuda,nvtx");
  }
  return profile;
}

}  // namespace xsp
