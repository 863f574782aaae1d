#include "hierarchy/ranks/odd_ranks.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "base/quantile.h"
#include "base/text.h"

namespace xsp {
namespace {

constexpr std::int64_t kUnknown = kMissing<std::int64_t>;

// "3, 5, 7 and 12 more".
std::string RankWords(const std::vector<std::int64_t>& ranks) {
  constexpr std::size_t kMost = 6;
  const std::size_t shown = std::min(kMost, ranks.size());
  std::string words = Joined(std::vector<std::int64_t>(ranks.begin(), ranks.begin() + shown), ", ");
  if (ranks.size() > shown) words += " and " + std::to_string(ranks.size() - shown) + " more";
  return (ranks.size() == 1 ? "rank " : "ranks ") + words;
}

// Where ranks differ in something that should be equal: who differs from what most of them have.
void CompareFact(const std::vector<RankTables>& ranks, std::string_view what,
                 const std::function<std::string(const RankFacts&)>& fact,
                 std::vector<std::string>& odd) {
  std::map<std::string, std::vector<std::int64_t>> values;
  for (const RankTables& rank : ranks) {
    const std::string value = fact(rank.facts);
    if (!value.empty()) values[value].push_back(rank.facts.global_rank);
  }
  if (values.size() < 2) return;
  const auto usual = std::max_element(
      values.begin(), values.end(),
      [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  for (const auto& [value, members] : values) {
    if (value == usual->first) continue;
    odd.push_back(RankWords(members) + ": " + std::string(what) + " " + value + ", others " +
                  usual->first);
  }
}

void FindTwins(const std::vector<RankTables>& ranks, std::vector<std::string>& odd) {
  std::set<std::int64_t> there;
  for (const RankTables& rank : ranks) {
    const std::int64_t number = rank.facts.global_rank;
    if (number != kUnknown && !there.insert(number).second) {
      odd.push_back("rank " + std::to_string(number) + " is there twice");
    }
  }
}

// Recordings of one run begin within a day: clocks of hosts differ, and programs wait for others.
void FindOtherTimes(const std::vector<RankTables>& ranks, std::vector<std::string>& odd) {
  constexpr std::int64_t kDay = 86'400'000'000'000;
  std::vector<std::int64_t> starts;
  for (const RankTables& rank : ranks) {
    if (rank.facts.session_start_ns != kUnknown) starts.push_back(rank.facts.session_start_ns);
  }
  if (starts.size() < 2) return;
  const std::int64_t middle = UpperMedian(starts);
  std::vector<std::int64_t> far;
  for (const RankTables& rank : ranks) {
    const std::int64_t start = rank.facts.session_start_ns;
    if (start == kUnknown) continue;
    const bool is_far = start > middle ? start - middle > kDay : middle - start > kDay;
    if (is_far) far.push_back(rank.facts.global_rank);
  }
  if (!far.empty()) {
    odd.push_back(RankWords(far) + ": recorded more than a day apart from the others: two runs?");
  }
}

}  // namespace

std::vector<std::string> OddRanks(const std::vector<RankTables>& ranks) {
  std::vector<std::string> odd;
  FindTwins(ranks, odd);
  FindOtherTimes(ranks, odd);
  CompareFact(
      ranks, "is of a job of size",
      [](const RankFacts& facts) {
        return facts.world_size == kUnknown ? std::string() : std::to_string(facts.world_size);
      },
      odd);
  CompareFact(
      ranks, "ran on a", [](const RankFacts& facts) { return facts.gpu; }, odd);
  CompareFact(
      ranks, "has driver", [](const RankFacts& f) { return f.driver_version; }, odd);
  CompareFact(
      ranks, "was recorded as", [](const RankFacts& f) { return f.format; }, odd);
  std::vector<std::int64_t> partial;
  for (const RankTables& rank : ranks) {
    if (rank.facts.is_partial) partial.push_back(rank.facts.global_rank);
  }
  if (!partial.empty()) odd.push_back(RankWords(partial) + ": salvaged from damaged files");
  return odd;
}

std::optional<std::string> MissingRanks(const std::vector<RankTables>& ranks) {
  std::set<std::int64_t> there;
  std::int64_t world = 0;
  for (const RankTables& rank : ranks) {
    if (rank.facts.global_rank == kUnknown) continue;
    there.insert(rank.facts.global_rank);
    world = std::max(world, rank.facts.world_size);
  }
  const auto known = static_cast<std::int64_t>(there.size());
  if (known == 0 || world <= known) return std::nullopt;
  return std::to_string(known) + " of " + std::to_string(world) + " ranks are there";
}

}  // namespace xsp
