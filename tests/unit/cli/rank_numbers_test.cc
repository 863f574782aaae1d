#include "cli/datasets/rank_numbers.h"

#include <catch2/catch.hpp>

namespace xsp {
namespace {

constexpr std::int64_t kUnknown = kMissing<std::int64_t>;

std::vector<RankTables> Recordings(const std::vector<std::int64_t>& numbers,
                                   const std::string& source) {
  std::vector<RankTables> ranks(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    ranks[i].facts.global_rank = numbers[i];
    ranks[i].facts.world_size = 2;
    ranks[i].facts.rank_source = source;
  }
  return ranks;
}

std::vector<std::int64_t> NumbersOf(const std::vector<RankTables>& ranks) {
  std::vector<std::int64_t> numbers;
  for (const RankTables& rank : ranks) numbers.push_back(rank.facts.global_rank);
  return numbers;
}

using Numbers = std::vector<std::int64_t>;

TEST_CASE("ranks that recordings tell are kept") {
  std::vector<RankTables> ranks = Recordings({7, 3}, "recorded");
  CHECK_FALSE(NumberRanks({"rank0.sqlite", "rank1.sqlite"}, ranks));
  CHECK(NumbersOf(ranks) == Numbers{7, 3});
}

TEST_CASE("ranks that nothing tells are those in the names of files") {
  std::vector<RankTables> ranks = Recordings({kUnknown, kUnknown, kUnknown}, "");
  const auto said =
      NumberRanks({"a1/step5_rank10.nsys", "a2/step5_rank9.nsys", "a3/step5_rank11.nsys"}, ranks);
  CHECK(NumbersOf(ranks) == Numbers{10, 9, 11});
  CHECK(said == "Recordings do not tell their rank: the names of their files do.");
}

TEST_CASE("names that differ in more than a number tell no rank") {
  for (const auto& names : {std::vector<std::string>{"a.sqlite", "b.sqlite"},
                            std::vector<std::string>{"node1_gpu0.sqlite", "node2_gpu1.sqlite"},
                            std::vector<std::string>{"x/1.sqlite", "y/1.sqlite"},
                            std::vector<std::string>{"r1.sqlite", "r99999999999999999999.sqlite"},
                            std::vector<std::string>{"r.sqlite", "r1.sqlite"}}) {
    std::vector<RankTables> ranks = Recordings({kUnknown, kUnknown}, "");
    const auto said = NumberRanks(names, ranks);
    CHECK(NumbersOf(ranks) == Numbers{0, 1});
    CHECK(said == "Recordings do not tell their rank: they are numbered in the order given.");
  }
}

TEST_CASE("numbers that are taken are given to nobody else") {
  std::vector<RankTables> ranks = Recordings({kUnknown, 0, kUnknown}, "");
  NumberRanks({"r5.sqlite", "r6.sqlite", "r7.sqlite"}, ranks);
  CHECK(NumbersOf(ranks) == Numbers{1, 0, 2});
}

TEST_CASE("ranks in parts of the job are none of the job") {
  std::vector<RankTables> ranks = Recordings({0, 1, 0, 1}, "nccl");
  NumberRanks({"r0.sqlite", "r1.sqlite", "r2.sqlite", "r3.sqlite"}, ranks);
  CHECK(NumbersOf(ranks) == Numbers{0, 1, 2, 3});
  CHECK(ranks[0].facts.world_size == kUnknown);
}

}  // namespace
}  // namespace xsp
