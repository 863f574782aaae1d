// The small headers of base/ that have no source file.
#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/dates.h"
#include "base/enum_names.h"
#include "base/glob.h"
#include "base/hash.h"
#include "base/quantile.h"
#include "base/text.h"

namespace xsp {
namespace {

enum class Colour : std::uint8_t { kRed, kGreen };
enum class Format : std::uint8_t { kFp32 };

TEST_CASE("parts are joined: texts, numbers, and what is shown of others") {
  CHECK(Joined(std::vector<std::string>{"a", "", "b"}, ", ") == "a, , b");
  CHECK(Joined(std::set<int>{3, 1}, ",") == "1,3");
  CHECK(Joined(std::vector<std::string>(), ",").empty());
  struct Named {
    std::string name;
  };
  CHECK(Joined(std::vector<Named>{{"x"}, {"y"}}, "|", &Named::name) == "x|y");
  CHECK(Joined(std::map<std::string, int>{{"k", 1}, {"l", 2}}, " ",
               [](const auto& entry) { return entry.second; }) == "1 2");
}

TEST_CASE("a text is split where the separator stands") {
  using Parts = std::vector<std::string_view>;
  CHECK(Split("", ',').empty());
  CHECK(Split("a", ',') == Parts{"a"});
  CHECK(Split("a,,b", ',') == Parts{"a", "", "b"});
  CHECK(Split(",a,", ',') == Parts{"", "a"});
}

TEST_CASE("an enumeration has names, and values by name") {
  constexpr EnumNames<Colour::kGreen> kNames({"red", "green"});
  static_assert(kNames[Colour::kGreen] == "green");
  static_assert(IsEnumerator<Colour::kGreen>());
  static_assert(IsEnumerator<Format::kFp32>());
  static_assert(!IsEnumerator<static_cast<Colour>(2)>());
  CHECK(kNames.Find("red") == Colour::kRed);
  CHECK_FALSE(kNames.Find("blue"));
  CHECK(kNames[static_cast<Colour>(7)].empty());
}

TEST_CASE("of an even number of values, the upper median is one, the median the mean of two") {
  using Values = std::vector<std::int64_t>;
  CHECK(UpperMedian(Values{4, 1, 3, 2}) == 3);
  CHECK(UpperMedian(Values{3, 1, 2}) == 2);
  CHECK(UpperMedian(Values{}) == 0);
  CHECK(MedianOf<double>(Values{4, 1, 3, 2}) == 2.5);
  CHECK(MedianOf<std::int64_t>(Values{4, 1, 3, 2}) == 2);
  CHECK(MedianOf<std::int64_t>(Values{-4, -1, -3, -2}) == -3);
  CHECK(MedianOf<std::int64_t>(Values{INT64_MIN, INT64_MAX}) == -1);
  CHECK(MedianOf<double>(std::vector<double>{}) == 0);
  Values values{5, 4, 3, 2, 1};
  CHECK(NthOf(values, 1) == 2);
}

TEST_CASE("patterns of stars and question marks fit whole names") {
  CHECK(MatchesGlob("*attention*", "layer 3/attention/softmax"));
  CHECK(MatchesGlob("layer ?", "layer 3"));
  CHECK_FALSE(MatchesGlob("layer ?", "layer 31"));
  CHECK_FALSE(MatchesGlob("attention", "self attention"));
  CHECK(MatchesGlob("*", ""));
  CHECK(MatchesGlob("a*b**", "ab"));
  CHECK_FALSE(MatchesGlob("", "a"));
  CHECK(MatchesGlob("a*b*c", "axxbyybzzc"));
  CHECK_FALSE(MatchesGlob("a*b*c", "axxbyybzz"));
  // In reasonable time.
  CHECK_FALSE(MatchesGlob("*a*a*a*a*a*a*a*a*b", std::string(2000, 'a')));
}

TEST_CASE("a hash depends on all that was added, and on its order") {
  CHECK(HashWith(HashWith(0, 1), 2) != HashWith(HashWith(0, 2), 1));
  CHECK(HashWith(HashWith(0, 0), 0) != HashWith(HashWith(1, 0), 0));
  CHECK(MixedBits(0x9e3779b97f4a7c15) == 0xe220a8397b1dcdaf);  // The first of splitmix64.
}

TEST_CASE("days are days of the calendar") {
  CHECK(IsDay("2024-02-29"));
  CHECK_FALSE(IsDay("2023-02-29"));
  CHECK_FALSE(IsDay("2023-13-01"));
  CHECK_FALSE(IsDay("2023-00-01"));
  CHECK_FALSE(IsDay("2023-1-01"));
  CHECK_FALSE(IsDay("2023-01-0x"));
  CHECK_FALSE(IsDay("tomorrow"));
}

TEST_CASE("seconds become a day and a time of day, also before 1970") {
  const UtcTime leap = UtcOf(951'827'696);
  CHECK(leap.year == 2000);
  CHECK(leap.month == 2);
  CHECK(leap.day == 29);
  CHECK(leap.hour == 12);
  CHECK(leap.minute == 34);
  CHECK(leap.second == 56);
  const UtcTime before = UtcOf(-1);
  CHECK(before.year == 1969);
  CHECK(before.day == 31);
  CHECK(before.second == 59);
}

}  // namespace
}  // namespace xsp
