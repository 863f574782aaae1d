#include "hierarchy/analyses/profile.h"

#include <algorithm>

#include "hierarchy/analyses/profile_builder.h"
#include "hierarchy/steps/step_candidates.h"
#include "hierarchy/totals/ranks.h"
#include "model/spans.h"

namespace xsp {

ProfileBuilder::ProfileBuilder(const Hierarchy& hierarchy, const ProfileOptions& options)
    : h_(hierarchy),
      trace_(hierarchy.trace()),
      options_(options),
      layers_(hierarchy, options.steps),
      figures_(hierarchy, options.counters) {}

Profile ProfileBuilder::Build() {
  FindRanks();
  AddWork();
  AddIdleLayers();
  SetTimes();
  unit_ns_ = UnitLength();
  Profile profile;
  profile.is_step = !options_.steps.is_whole();
  profile.steps = options_.steps.divisor();
  profile.layer_level = layers_.level();
  profile.format = trace_.info().format;
  profile.has_memory = !trace_.OfKind(EventKind::kMemory).empty();
  for (EventId graph : trace_.OfKind(EventKind::kGraphSpan)) {
    profile.whole_graphs += IsChosen(h_.StepOfWork(graph)) ? 1 : 0;
  }
  for (Rank& rank : ranks_) MeasureRank(rank, profile.ranks.emplace_back());
  profile.has_counters = !options_.counters.empty();
  profile.join = figures_.Join(kernels_);
  return profile;
}

// Processes without device work are left out, unless there is no device work at all.
void ProfileBuilder::FindRanks() {
  const bool has_work = !trace_.DeviceWork().empty();
  for (const xsp::Rank& rank : Ranks(h_, RankSplit::kDevice)) {
    if (has_work && rank.device == xsp::Rank::kAnyDevice) continue;
    ranks_.emplace_back();
    ranks_.back().process = rank.process;
    ranks_.back().device = rank.device;
    rank_of_.try_emplace({rank.process.value, rank.device}, ranks_.size() - 1);
    first_rank_of_.try_emplace(rank.process.value, ranks_.size() - 1);
  }
  for (const Track& track : trace_.tracks()) {
    const auto rank = rank_of_.find({track.process.value, track.device});
    if (rank == rank_of_.end() || !track.gpu.valid()) continue;
    GpuId& gpu = ranks_[rank->second].gpu;
    if (!gpu.valid()) gpu = track.gpu;
  }
  for (EventId memory : trace_.OfKind(EventKind::kMemory)) {
    if (Rank* rank = RankOf(memory)) rank->memory.push_back(memory);
  }
}

ProfileBuilder::Rank* ProfileBuilder::RankOf(EventId event) {
  const Track& track = trace_.track(trace_.track_of(event));
  const auto rank = rank_of_.find({trace_.process_of(event).value, track.device});
  return rank == rank_of_.end() ? nullptr : &ranks_[rank->second];
}

void ProfileBuilder::AddWork() {
  for (const LaunchedWork& launched : LaunchOrder(trace_)) {
    for (EventId work : launched.work) {
      const std::uint32_t step = h_.StepOfWork(work);
      Rank* const rank = IsChosen(step) ? RankOf(work) : nullptr;
      if (rank != nullptr) rank->steps[KeyOf(step)].work.push_back(work);
    }
  }
}

// Layers in which nothing was launched count for the first device of their process.
void ProfileBuilder::AddIdleLayers() {
  const Nodes& nodes = h_.nodes();
  std::vector<std::uint8_t> is_busy(nodes.size(), 0);  // It or something in it has work.
  const auto mark = [&](NodeId n) {
    for (; n.valid() && is_busy[n.value] == 0; n = nodes.parent[n.value]) is_busy[n.value] = 1;
  };
  for (EventId e : trace_.DeviceWork()) mark(h_.NodeOfWork(e));
  for (NodeId n : h_.TopDown()) {
    const bool is_inner = layers_.PlaceOf(n) == LayerMap::Place{n, true};
    const NodeId parent = nodes.parent[n.value];
    if (is_inner && parent.valid()) mark(parent);  // What holds a layer is no innermost one.
  }
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    const bool is_layer = layers_.PlaceOf(NodeId(n)) == LayerMap::Place{NodeId(n), true};
    if (!is_layer || is_busy[n] != 0 || !nodes.event[n].valid()) continue;
    const std::uint32_t step = h_.StepAbove(NodeId(n));
    const ProcessId process = trace_.process_of(nodes.event[n]);
    const auto rank = first_rank_of_.find(process.value);
    if (rank == first_rank_of_.end() || !IsChosen(step)) continue;
    ranks_[rank->second].steps[KeyOf(step)].idle_layers.push_back(NodeId(n));
  }
  for (Rank& rank : ranks_) {
    for (auto& [key, step] : rank.steps) {
      std::stable_sort(step.idle_layers.begin(), step.idle_layers.end(), [&](NodeId a, NodeId b) {
        return nodes.host_begin[a.value] < nodes.host_begin[b.value];
      });
    }
  }
}

TimeRange ProfileBuilder::WholeTime() const {
  if (const std::optional<TimeRange> span = GpuSpan(trace_)) return *span;
  return ProgramSpan(trace_).value_or(TimeRange{});
}

void ProfileBuilder::SetTimes() {
  const TimeRange whole = WholeTime();
  for (Rank& rank : ranks_) {
    for (auto& [key, step] : rank.steps) {
      step.time = options_.steps.is_whole() ? whole : h_.steps().steps[key].time;
    }
  }
}

DurationNs ProfileBuilder::UnitLength() const {
  if (options_.steps.is_whole()) return WholeTime().Length();
  DurationNs sum = 0;
  for (std::uint32_t step : options_.steps.steps()) sum += h_.steps().steps[step].time.Length();
  return sum;
}

GpuPeaks ProfileBuilder::PeaksOfRank(const Rank& rank) const {
  GpuPeaks peaks;
  if (rank.gpu.valid()) {
    const Gpu& gpu = trace_.gpus()[rank.gpu.value];
    peaks = PeaksOf(gpu, gpu.name.valid() ? trace_.strings()[gpu.name] : std::string_view());
  }
  if (options_.peak_flops) peaks.fp32 = options_.peak_flops;
  if (options_.peak_bandwidth) peaks.bytes_per_s = options_.peak_bandwidth;
  return peaks;
}

Profile MeasureProfile(const Hierarchy& hierarchy, const ProfileOptions& options) {
  return ProfileBuilder(hierarchy, options).Build();
}

}  // namespace xsp
