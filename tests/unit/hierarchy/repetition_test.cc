#include "hierarchy/repetition.h"

#include <catch2/catch.hpp>
#include <string_view>

using namespace xsp;

namespace {

std::vector<std::uint32_t> Letters(std::string_view text) { return {text.begin(), text.end()}; }

}  // namespace

TEST_CASE("a repetition is found after a different beginning") {
  CHECK(FindRepetition(Letters("xyzabcabcabcabc")) == Repetition{3, 3, 4});
  CHECK_FALSE(FindRepetition(Letters("abcdefgh")));
  CHECK_FALSE(FindRepetition(Letters("abcabc")));
  CHECK_FALSE(FindRepetition({}));
}

TEST_CASE("long rounds that hold short ones are found, not the short ones") {
  std::string text;
  for (int step = 0; step < 4; ++step) text += "e" + std::string("ababababab") + "h";
  CHECK(FindRepetition(Letters(text)) == Repetition{0, 12, 4});
  CHECK(FindInnerRepetitions(Letters("eababababah")) ==
        std::vector<Repetition>{Repetition{1, 2, 4}});
}

TEST_CASE("a stray difference is passed over, a strict one is not") {
  std::string text;
  for (int i = 0; i < 120; ++i) text += "abcdefghij";
  text[605] = 'X';
  const auto found = FindRepetition(Letters(text));
  REQUIRE(found);
  CHECK(found->period == 10);
  CHECK(found->rounds == 120);
  std::vector<std::uint8_t> strict(text.size(), 0);
  strict[605] = 1;
  const auto part = FindRepetition(Letters(text), strict);
  REQUIRE(part);
  CHECK(part->rounds < 120);
}

TEST_CASE("a million elements take no time to speak of") {
  std::vector<std::uint32_t> sequence(1'000'000);
  for (std::uint32_t i = 0; i < sequence.size(); ++i) sequence[i] = i % 997;
  CHECK(FindRepetition(sequence) == Repetition{0, 997, 1003});
}
