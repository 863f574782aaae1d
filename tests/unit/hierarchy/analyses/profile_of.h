#pragma once

#include <numeric>
#include <string_view>
#include <vector>

#include "hierarchy/analyses/profile.h"
#include "tests/support/timeline.h"

namespace xsp::test {

// The profile of a timeline: the mean of all its steps, or the whole of it where it has none.
inline Profile ProfileOfText(std::string_view timeline,
                             const std::vector<KernelCounters>& counters = {}) {
  const Trace trace = MakeTrace(timeline);
  const Hierarchy hierarchy(trace);
  ProfileOptions options;
  options.counters = counters;
  if (hierarchy.steps().size() > 0) {
    std::vector<std::uint32_t> all(hierarchy.steps().size());
    std::iota(all.begin(), all.end(), 0u);
    options.steps = std::move(all);
  }
  return MeasureProfile(hierarchy, options);
}

// The row of a layer by its path; throws std::out_of_range.
inline const LayerRow& LayerAt(const Profile& profile, std::string_view path) {
  for (const LayerRow& row : profile.ranks.at(0).layers) {
    if (row.path == path) return row;
  }
  throw std::out_of_range(std::string(path));
}

}  // namespace xsp::test
