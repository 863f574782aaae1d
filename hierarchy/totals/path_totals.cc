#include "hierarchy/totals/path_totals.h"

#include <algorithm>

#include "hierarchy/totals/path_text.h"
#include "hierarchy/totals/path_totals_builder.h"

namespace xsp {

void PathSample::Add(const PathSample& other) {
  count += other.count;
  operations += other.operations;
  launches += other.launches;
  calls += other.calls;
  device_sum += other.device_sum;
  device_busy += other.device_busy;
  host += other.host;
  wall += other.wall;
  elapsed += other.elapsed;
}

PathTotals::PathTotals(const Hierarchy& hierarchy, PathOptions options)
    : hierarchy_(&hierarchy), options_(std::move(options)), ranks_(hierarchy, options_.ranks) {
  PathTotalsBuilder(*this).Build();
}

std::span<const PathSample> PathTotals::Samples(PathId id) const {
  const PathNode& node = (*this)[id];
  return std::span(samples_).subspan(node.first_sample_, node.last_sample_ - node.first_sample_);
}

PathSample PathTotals::SampleAt(PathId id, std::uint32_t step) const {
  const std::span<const PathSample> samples = Samples(id);
  const auto it = std::partition_point(samples.begin(), samples.end(),
                                       [&](const PathSample& s) { return s.step < step; });
  if (it != samples.end() && it->step == step) return *it;
  PathSample empty;
  empty.step = step;
  return empty;
}

std::vector<DurationNs> PathTotals::PerStep(PathId id, DurationNs PathSample::*figure) const {
  if (options_.steps.is_whole()) return {(*this)[id].total.*figure};
  const std::span<const PathSample> samples = Samples(id);
  std::vector<DurationNs> values;
  values.reserve(options_.steps.steps().size());
  auto it = samples.begin();
  for (std::uint32_t step : options_.steps.steps()) {
    const bool is_there = it != samples.end() && it->step == step;
    values.push_back(is_there ? (*it).*figure : 0);
    if (is_there) ++it;
  }
  return values;
}

std::string PathTotals::Path(PathId id) const {
  auto parent_of = [&](std::uint32_t n) {
    const std::uint32_t parent = nodes_[n].parent.value;
    return parent == 0 ? TreePaths::kNone : parent;
  };
  if (id.value == 0) return "";
  return PathOf(id.value, parent_of, [&](std::uint32_t n) { return Name(PathId(n)); });
}

bool PathTotals::IsBelow(PathId id, PathId ancestor) const {
  while (id.valid() && id != ancestor) id = (*this)[id].parent;
  return id == ancestor;
}

}  // namespace xsp
