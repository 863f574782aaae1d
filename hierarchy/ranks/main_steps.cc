#include "hierarchy/ranks/main_steps.h"

#include <algorithm>
#include <cstdint>
#include <map>

namespace xsp {
namespace {

constexpr std::string_view kCountedRole = "counted";

}  // namespace

std::optional<std::string> MainKind(std::span<const RankTables> ranks) {
  std::map<std::string, std::int64_t> kinds;
  for (const RankTables& rank : ranks) {
    for (const RankStep& step : rank.steps) {
      if (step.role == kCountedRole) kinds[step.kind] += step.end_ns - step.begin_ns;
    }
  }
  const auto main = std::max_element(
      kinds.begin(), kinds.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (main == kinds.end()) return std::nullopt;
  return main->first;
}

std::vector<RankStep> CountedOfKind(const RankTables& rank, std::string_view kind) {
  std::vector<RankStep> steps;
  for (const RankStep& step : rank.steps) {
    if (step.role == kCountedRole && step.kind == kind) steps.push_back(step);
  }
  return steps;
}

}  // namespace xsp
