#include "cli/datasets/rank_numbers.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <set>

#include "base/ascii.h"

namespace xsp {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kUnknown = kMissing<std::int64_t>;

// NCCL numbers ranks per communicator: two recordings of one number show that none of those speaks
// of the job.
void ForgetPartialRanks(std::vector<RankTables>& ranks) {
  std::set<std::int64_t> known;
  bool has_twins = false;
  const auto is_by_nccl = [](const RankTables& rank) { return rank.facts.rank_source == "nccl"; };
  for (const RankTables& rank : ranks) {
    has_twins |= is_by_nccl(rank) && !known.insert(rank.facts.global_rank).second;
  }
  if (!has_twins) return;
  for (RankTables& rank : ranks) {
    if (is_by_nccl(rank)) rank.facts.global_rank = rank.facts.world_size = kUnknown;
  }
}

// The number in which names of files differ; none where they differ in something else.
std::vector<std::int64_t> NumbersInNames(const std::vector<std::string>& paths) {
  std::vector<std::string> names;
  for (const std::string& path : paths) {
    names.push_back(fs::path(path).lexically_normal().filename().string());
  }
  const auto first_difference = [](const std::string& a, const std::string& b) {
    return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first -
                                    a.begin());
  };
  std::size_t begin = names.front().size();
  for (const std::string& name : names) {
    begin = std::min(begin, first_difference(names.front(), name));
  }
  while (begin > 0 && IsDigit(names.front()[begin - 1])) --begin;
  std::vector<std::int64_t> numbers;
  std::string rest;
  for (const std::string& name : names) {
    std::size_t end = begin;
    while (end < name.size() && IsDigit(name[end])) ++end;
    std::int64_t number = 0;
    const auto read = std::from_chars(name.data() + begin, name.data() + end, number);
    if (end == begin || read.ec != std::errc()) return {};
    if (!numbers.empty() && name.substr(end) != rest) return {};
    rest = name.substr(end);
    numbers.push_back(number);
  }
  if (std::set<std::int64_t>(numbers.begin(), numbers.end()).size() < numbers.size()) return {};
  return numbers;
}

}  // namespace

std::optional<std::string> NumberRanks(const std::vector<std::string>& paths,
                                       std::vector<RankTables>& ranks) {
  ForgetPartialRanks(ranks);
  const auto is_known = [](const RankTables& rank) { return rank.facts.global_rank != kUnknown; };
  if (std::all_of(ranks.begin(), ranks.end(), is_known)) return std::nullopt;
  const bool one_each =
      std::none_of(ranks.begin(), ranks.end(), is_known) && ranks.size() == paths.size();
  const std::vector<std::int64_t> named =
      one_each ? NumbersInNames(paths) : std::vector<std::int64_t>();
  std::set<std::int64_t> taken;
  for (const RankTables& rank : ranks) taken.insert(rank.facts.global_rank);
  std::int64_t next = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (is_known(ranks[i])) continue;
    while (taken.contains(next)) ++next;
    ranks[i].facts.global_rank = named.empty() ? next : named[i];
    taken.insert(ranks[i].facts.global_rank);
  }
  return std::string("Recordings do not tell their rank: ") +
         (named.empty() ? "they are numbered in the order given." : "the names of their files do.");
}

}  // namespace xsp
