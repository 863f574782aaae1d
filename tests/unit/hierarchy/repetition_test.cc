#include "hierarchy/steps/repetition.h"

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

TEST_CASE("rounds of parts that hold nearly the same are rounds of those parts") {
  // Two sweeps in turn: x then y, y then x; the first of them has a kernel of its own, as the
  // second has.
  const std::string xy = "abcdefghijklmXnYopqr", yx = "abcdefghijklmYnZopqr";
  auto parts_of = [](const std::string& round, std::size_t cut) {
    const std::string text = round + round + round + round;
    const auto letters = Letters(std::string_view(text).substr(cut));
    const auto rounds = FindRepetition(letters);
    return rounds ? FindAlikeParts(letters, *rounds) : std::nullopt;
  };
  CHECK(parts_of(xy + yx, 0) == Repetition{0, 20, 8});
  // A recording that begins within a sweep: parts begin where they have most in common.
  CHECK(parts_of(xy + yx, 14) == Repetition{2, 20, 5});
  // The same things in quite another order, other things, a third part of another kind.
  CHECK_FALSE(parts_of("abcdefghijjihgfedcba", 0));
  CHECK_FALSE(parts_of("abcdefghijabcdeFGHIJ", 0));
  CHECK_FALSE(parts_of("abcdXefgabcdeXfguvwxyzst", 0));
}
