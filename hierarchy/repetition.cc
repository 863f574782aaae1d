#include "hierarchy/repetition.h"

#include <algorithm>
#include <array>
#include <bit>
#include <unordered_map>

namespace xsp {
namespace {

constexpr std::uint32_t kLeastRounds = 3;

// A mismatch outweighs this many matches, so a stretch bears one in twenty at most.
constexpr std::int64_t kMismatchCost = 20;

struct Gap {
  std::uint32_t length = 0;
  std::uint32_t votes = 0;
};

// Distances at which the same thing comes again, with the number of things that say so. A period
// of a sequence is such a distance for most of what it holds.
std::vector<Gap> CountGaps(std::span<const std::uint32_t> sequence) {
  std::unordered_map<std::uint32_t, std::uint32_t> last;
  std::vector<std::uint32_t> votes(sequence.size(), 0);
  for (std::uint32_t i = 0; i < sequence.size(); ++i) {
    auto [it, is_new] = last.try_emplace(sequence[i], i);
    if (!is_new) ++votes[i - it->second];
    it->second = i;
  }
  std::vector<Gap> gaps;
  for (std::uint32_t length = 1; length < votes.size(); ++length) {
    if (votes[length] > 0) gaps.push_back({length, votes[length]});
  }
  return gaps;
}

// The best-supported distances of each magnitude: many short ones must not hide a long one.
std::vector<std::uint32_t> CandidatePeriods(std::span<const std::uint32_t> sequence) {
  constexpr std::size_t kPerMagnitude = 6;
  std::array<std::vector<Gap>, 32> by_magnitude;
  const std::size_t longest = sequence.size() / kLeastRounds;
  for (const Gap& gap : CountGaps(sequence)) {
    if (gap.length <= longest && gap.votes + 1 >= kLeastRounds - 1) {
      by_magnitude[static_cast<std::size_t>(std::bit_width(gap.length) - 1)].push_back(gap);
    }
  }
  std::vector<std::uint32_t> periods;
  for (auto& gaps : by_magnitude) {
    std::stable_sort(gaps.begin(), gaps.end(),
                     [](const Gap& a, const Gap& b) { return a.votes > b.votes; });
    gaps.resize(std::min(gaps.size(), kPerMagnitude));
    for (const Gap& gap : gaps) periods.push_back(gap.length);
  }
  std::sort(periods.begin(), periods.end());
  return periods;
}

struct Stretch {
  Repetition repetition;
  std::int64_t score = 0;
};

// The stretch in which what stands at i mostly equals what stands one period later: the sub-array
// of largest score, where a match scores 1.
std::optional<Stretch> BestStretch(std::span<const std::uint32_t> sequence,
                                   std::span<const std::uint8_t> strict, std::uint32_t period) {
  std::int64_t score = 0, best_score = 0;
  std::uint32_t from = 0, best_from = 0, best_to = 0;
  for (std::uint32_t i = 0; i + period < sequence.size(); ++i) {
    const bool same = sequence[i] == sequence[i + period];
    const bool is_strict = !strict.empty() && (strict[i] != 0 || strict[i + period] != 0);
    score += same ? 1 : -kMismatchCost;
    if (score <= 0 || (!same && is_strict)) {
      score = 0;
      from = i + 1;
    } else if (score > best_score) {
      best_score = score;
      best_from = from;
      best_to = i + 1;
    }
  }
  const std::uint32_t rounds = best_to > best_from ? (best_to - best_from) / period + 1 : 0;
  if (rounds < kLeastRounds) return std::nullopt;
  return Stretch{{best_from, period, rounds}, best_score + period};
}

}  // namespace

std::optional<Repetition> FindRepetition(std::span<const std::uint32_t> sequence,
                                         std::span<const std::uint8_t> strict) {
  std::optional<Stretch> best;
  for (std::uint32_t period : CandidatePeriods(sequence)) {
    const std::optional<Stretch> found = BestStretch(sequence, strict, period);
    // Longer rounds must explain a tenth more.
    if (found && (!best || found->score * 10 > best->score * 11)) best = found;
  }
  return best ? std::optional(best->repetition) : std::nullopt;
}

std::vector<Repetition> FindInnerRepetitions(std::span<const std::uint32_t> sequence) {
  std::vector<Repetition> found;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pieces = {
      {0, static_cast<std::uint32_t>(sequence.size())}};
  // What is left and right of a repetition may repeat as well. A few rounds of this find what is
  // worth naming; each piece is looked at once.
  for (int depth = 0; depth < 6 && !pieces.empty(); ++depth) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> rest;
    for (const auto& [from, to] : pieces) {
      std::optional<Repetition> best = FindRepetition(sequence.subspan(from, to - from));
      if (!best || best->period * best->rounds < (to - from) / 20) continue;
      best->first += from;
      found.push_back(*best);
      rest.emplace_back(from, best->first);
      rest.emplace_back(best->end(), to);
    }
    pieces = std::move(rest);
  }
  std::sort(found.begin(), found.end(),
            [](const Repetition& a, const Repetition& b) { return a.first < b.first; });
  return found;
}

}  // namespace xsp
