#include <algorithm>

#include "hierarchy/totals/path_totals_builder.h"
#include "model/spans.h"

// What is known of paths only when all work, ranges and calls are in.
namespace xsp {

// From the leaves up: what a node holds of what is below. Nodes that no range stands behind have
// the host time of their children.
void PathTotalsBuilder::AddUp() {
  std::vector<std::uint8_t> has_own_host(nodes_.size());
  for (std::size_t n = 0; n < nodes_.size(); ++n) has_own_host[n] = nodes_[n].has_host ? 1 : 0;
  for (std::size_t n = nodes_.size(); n-- > 1;) {
    const PathNode& node = nodes_[n];
    PathNode& parent = nodes_[node.parent.value];
    const bool gives_host = node.has_host && node.level < Level::kApi &&
                            has_own_host[node.parent.value] == 0 && parent.level > Level::kStep &&
                            parent.level < Level::kApi;
    parent.has_host |= gives_host;
    const bool gives_busy = parent.level == Level::kTrace && ranks_.size() > 1;
    for (const PathSample& sample : samples_[n]) {
      PathSample& above = SampleOf(node.parent, sample.step);
      above.device_sum += sample.device_sum;
      above.operations += sample.operations;
      above.launches += sample.launches;
      above.calls += sample.calls;
      if (gives_host) above.host += sample.host;
      if (gives_busy) above.device_busy += sample.device_busy;
    }
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
  AddUp();
  CountBelow();
  SetTimesAbove();
  std::size_t count = 0;
  for (const std::vector<PathSample>& samples : samples_) count += samples.size();
  result_.samples_.reserve(count);
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
