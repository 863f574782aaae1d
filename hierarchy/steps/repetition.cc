#include "hierarchy/steps/repetition.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
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

// How many things of a part have no partner in the next one, with a part as long as the window.
class WindowPair {
 public:
  WindowPair(std::span<const std::uint32_t> sequence, std::uint32_t first, std::uint32_t length)
      : sequence_(sequence), at_(first), length_(length) {
    for (std::uint32_t i = first; i < first + length; ++i) {
      Change(sequence[i], 1);
      Change(sequence[i + length], -1);
    }
  }

  std::uint32_t Unmatched() const { return unmatched_ / 2; }

  void Slide() {
    Change(sequence_[at_], -1);
    Change(sequence_[at_ + length_], 2);
    Change(sequence_[at_ + 2 * length_], -1);
    ++at_;
  }

 private:
  void Change(std::uint32_t thing, int by) {
    int& surplus = surplus_[thing];
    unmatched_ -= static_cast<std::uint32_t>(std::abs(surplus));
    surplus += by;
    unmatched_ += static_cast<std::uint32_t>(std::abs(surplus));
  }

  std::span<const std::uint32_t> sequence_;
  std::uint32_t at_, length_;
  std::uint32_t unmatched_ = 0;
  std::unordered_map<std::uint32_t, int> surplus_;
};

// Whether a part and the next one are nearly the same: at most one thing in ten is another, and at
// least half of them stand at the same place.
bool AreAlike(std::span<const std::uint32_t> sequence, std::uint32_t first, std::uint32_t length) {
  std::uint32_t in_place = 0;
  for (std::uint32_t i = first; i < first + length; ++i) {
    in_place += sequence[i] == sequence[i + length];
  }
  return in_place * 2 >= length && WindowPair(sequence, first, length).Unmatched() * 10 <= length;
}

// From where on in the first round a part and the next one have most in common.
std::uint32_t BestPartBegin(std::span<const std::uint32_t> sequence, std::uint32_t first,
                            std::uint32_t length) {
  WindowPair parts(sequence, first, length);
  std::uint32_t best = first, fewest = parts.Unmatched();
  for (std::uint32_t at = first + 1; at < first + length; ++at) {
    parts.Slide();
    if (parts.Unmatched() >= fewest) continue;
    fewest = parts.Unmatched();
    best = at;
  }
  return best;
}

}  // namespace

std::optional<Repetition> FindAlikeParts(std::span<const std::uint32_t> sequence,
                                         const Repetition& rounds) {
  for (const std::uint32_t parts : {4u, 3u, 2u}) {
    if (rounds.period % parts != 0 || rounds.period / parts < 2) continue;
    const std::uint32_t length = rounds.period / parts;
    const std::uint32_t begin = BestPartBegin(sequence, rounds.first, length);
    std::uint32_t alike = 1;
    while (alike < parts && AreAlike(sequence, begin + (alike - 1) * length, length)) ++alike;
    if (alike == parts) return Repetition{begin, length, (rounds.end() - begin) / length};
  }
  return std::nullopt;
}

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
