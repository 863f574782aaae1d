#include <algorithm>
#include <iterator>
#include <utility>

#include "hierarchy/totals/overlaps.h"
#include "hierarchy/totals/path_totals_builder.h"
#include "model/spans.h"

// What is known of paths only when all work, ranges and calls are in.
namespace xsp {

// Work of one step at the same time keeps what is above it busy once.
void PathTotalsBuilder::CountOverlapsOnce() {
  const Overlaps overlaps(nodes_);
  std::vector<PlacedWork> work;
  for (const std::vector<EventId>& list : work_) {
    for (std::size_t i = 0; i < list.size();) {
      const std::uint32_t step = KeyOf(h_.StepOfWork(list[i]));
      work.clear();
      for (; i < list.size() && KeyOf(h_.StepOfWork(list[i])) == step; ++i) {
        work.push_back(
            {{trace_.begin(list[i]), trace_.end(list[i])}, place_of_work_[list[i].value]});
      }
      overlaps.Find(work,
                    [&](PathId at, DurationNs twice) { SampleOf(at, step).device_busy -= twice; });
    }
  }
}

// A sample of what is below. Where there is none of its step, it goes to the end; SortSamples
// brings them into order.
void PathTotalsBuilder::AddTo(PathId above, const PathSample& sample, bool with_host) {
  std::vector<PathSample>& samples = samples_[above.value];
  auto at = samples.end();
  if (!samples.empty() && samples.back().step == sample.step) at = std::prev(samples.end());
  if (at == samples.end()) {
    const auto sorted = samples.begin() + static_cast<std::ptrdiff_t>(sorted_[above.value]);
    const auto found = std::partition_point(
        samples.begin(), sorted, [&](const PathSample& s) { return s.step < sample.step; });
    if (found != sorted && found->step == sample.step) at = found;
  }
  if (at == samples.end()) {
    at = samples.emplace(at);
    at->step = sample.step;
  }
  at->device_sum += sample.device_sum;
  at->device_busy += sample.device_busy;
  at->operations += sample.operations;
  at->launches += sample.launches;
  at->calls += sample.calls;
  if (with_host) at->host += sample.host;
}

// By step, one for each.
void PathTotalsBuilder::SortSamples(std::size_t node) {
  std::vector<PathSample>& samples = samples_[node];
  if (sorted_[node] == samples.size()) return;
  std::stable_sort(samples.begin(), samples.end(),
                   [](const PathSample& a, const PathSample& b) { return a.step < b.step; });
  std::size_t kept = 0;
  for (const PathSample& sample : samples) {
    if (kept > 0 && samples[kept - 1].step == sample.step) {
      samples[kept - 1].Add(sample);
    } else {
      samples[kept++] = sample;
    }
  }
  samples.resize(kept);
}

// From the leaves up: what a node holds of what is below. Nodes that no range stands behind have
// the host time of their children.
void PathTotalsBuilder::AddUp() {
  std::vector<std::uint8_t> has_own_host(nodes_.size());
  sorted_.resize(nodes_.size());
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    has_own_host[n] = nodes_[n].has_host ? 1 : 0;
    sorted_[n] = samples_[n].size();
  }
  for (std::size_t n = nodes_.size(); n-- > 0;) {
    SortSamples(n);
    if (n == 0) break;
    const PathNode& node = nodes_[n];
    PathNode& parent = nodes_[node.parent.value];
    const bool gives_host = node.has_host && node.level < Level::kApi &&
                            has_own_host[node.parent.value] == 0 && parent.level > Level::kStep &&
                            parent.level < Level::kApi;
    parent.has_host |= gives_host;
    for (const PathSample& sample : samples_[n]) AddTo(node.parent, sample, gives_host);
  }
}

void PathTotalsBuilder::CountBelow() {
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    std::vector<PathSample>& samples = samples_[n];
    const bool occurs = std::any_of(samples.begin(), samples.end(),
                                    [](const PathSample& sample) { return sample.count > 0; });
    if (nodes_[n].level <= Level::kStep || occurs) continue;
    for (PathSample& sample : samples) {
      sample.count = sample.operations > 0 ? sample.operations : sample.calls;
    }
  }
}

// The root and its ranks last as long as the steps, or the trace; what is outside of steps has the
// rest.
void PathTotalsBuilder::SetTimesAbove() {
  const std::vector<Step>& steps = h_.steps().steps;
  const std::optional<TimeRange> span = ProgramSpan(trace_);
  DurationNs in_steps = 0;
  for (const Step& step : steps) in_steps += step.time.Length();
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    PathNode& node = nodes_[n];
    if (node.level > Level::kStep) continue;
    if (!options_.steps.is_whole()) {
      if (node.level == Level::kStep) continue;
      for (std::uint32_t step : options_.steps.steps()) {
        PathSample& sample = SampleOf(PathId(n), step);
        sample.count = 1;
        sample.wall = steps[step].time.Length();
      }
    } else {
      PathSample& sample = SampleOf(PathId(n), Steps::kOutside);
      const bool is_outside = node.level == Level::kStep && sample.count == 0;
      if (node.level == Level::kStep && !is_outside) continue;
      const DurationNs whole = span ? span->Length() : in_steps;
      sample.wall = is_outside ? std::max<DurationNs>(0, whole - in_steps) : whole;
      sample.count = 1;
    }
    node.has_wall = true;
  }
}

void PathTotalsBuilder::Finish() {
  CountOverlapsOnce();
  AddUp();
  CountBelow();
  SetTimesAbove();
  std::size_t count = 0;
  for (const std::vector<PathSample>& samples : samples_) count += samples.size();
  result_.samples_.reserve(count);
  if (options_.keep_places) result_.places_ = std::move(place_of_work_);
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    PathNode& node = nodes_[n];
    node.first_sample_ = result_.samples_.size();
    for (const PathSample& sample : samples_[n]) {
      node.total.Add(sample);
      result_.samples_.push_back(sample);
    }
    node.last_sample_ = result_.samples_.size();
  }
}

}  // namespace xsp
