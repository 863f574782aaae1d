#include "base/suggest.h"

#include <algorithm>

namespace xsp {
namespace {

constexpr std::size_t kLongestCompared = 200;  // Names in traces may be enormous.

}  // namespace

std::size_t EditDistance(std::string_view a, std::string_view b) {
  // Rows of the table of distances between the beginnings of a and b: two back, one back, this one.
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, change});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::optional<std::string> Suggest(std::string_view wrong,
                                   std::span<const std::string> candidates) {
  if (wrong.empty() || wrong.size() > kLongestCompared) return std::nullopt;
  const std::size_t near_enough = std::max<std::size_t>(1, wrong.size() / 3);
  std::optional<std::string> best;
  std::size_t best_distance = near_enough + 1;
  std::vector<std::string> beginning_so;
  for (const std::string& candidate : candidates) {
    if (candidate.starts_with(wrong)) beginning_so.push_back(candidate);
    if (candidate.size() > kLongestCompared) continue;
    const std::size_t distance = EditDistance(wrong, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  if (!best && beginning_so.size() == 1) best = beginning_so.front();
  return best;
}

std::string DidYouMean(std::string_view wrong, std::span<const std::string> candidates) {
  const std::optional<std::string> meant = Suggest(wrong, candidates);
  return meant ? "did you mean '" + *meant + "'?" : std::string();
}

}  // namespace xsp
