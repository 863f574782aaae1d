#include "hierarchy/steps/step_roles.h"

#include <catch2/catch.hpp>
#include <sstream>
#include <string>

#include "hierarchy/steps/counted_steps.h"
#include "tests/support/timeline.h"

using namespace xsp;
using xsp::test::MakeTrace;

namespace {

// Steps of these lengths in ms, one behind the other, each with `kernels` launches of 1 us; every
// second one with `more` on top.
std::string Program(const std::string& lengths, int kernels = 2, int more = 0) {
  std::istringstream in(lengths);
  std::string text;
  long at = 0;
  int id = 1, number = 1;
  for (double ms = 0; in >> ms; ++number) {
    const long ns = static_cast<long>(ms * 1e6);
    text += "T1 " + std::to_string(at) + "-" + std::to_string(at + ns) + " push \"step " +
            std::to_string(number) + "\"\n";
    for (int k = 0; k < kernels + (number % 2 == 0 ? more : 0); ++k, ++id) {
      const long launch = at + 1000 + 3000 * k;
      text += "T1 " + std::to_string(launch) + "-" + std::to_string(launch + 500) +
              " api cudaLaunchKernel #" + std::to_string(id) + "\nS7 " +
              std::to_string(launch + 1000) + "-" + std::to_string(launch + 2000) + " kernel k #" +
              std::to_string(id) + "\n";
    }
    at += ns;
  }
  return text;
}

// A letter for each step: C counted, c cold, o outlier, - left out.
std::string RolesIn(const Steps& steps) {
  constexpr std::string_view kLetters = "Cco-";
  std::string text;
  for (const Step& step : steps.steps) text += kLetters[static_cast<std::size_t>(step.role)];
  return text;
}
std::string Roles(const std::string& timeline) { return RolesIn(FindSteps(MakeTrace(timeline))); }

std::string WordsFor(const std::string& timeline) {
  return WordsOf(CountSteps(FindSteps(MakeTrace(timeline))));
}

}  // namespace

TEST_CASE("the first steps are cold while they are longer than the rest, by 2 % and 5 deviations") {
  CHECK(Roles(Program("182 126 127 123 124")) == "cCCCC");
  CHECK(Roles(Program("300 182 126 127 123 124")) == "ccCCCC");
  CHECK(Roles(Program("126 127 123 124")) == "CCCC");
  CHECK(Roles(Program("101.9 100 100 100 100")) == "CCCCC");       // Less than 2 %.
  CHECK(Roles(Program("102.1 100 100 100 100")) == "cCCCC");       // More.
  CHECK(Roles(Program("106 101 99 103 97 102 98")) == "CCCCCCC");  // Within the noise.
  CHECK(Roles(Program("900 800 100 100")) == "ccCC");
  CHECK(Roles(Program("900 800 100")) == "cCC");  // At most half of all.
  CHECK(Roles(Program("110 100 100")) == "CCC");  // Too few to tell how far steps differ.
}

TEST_CASE("an outlier is warm, 20 % and 5 deviations from the median of at least 5") {
  CHECK(Roles(Program("182 126 127 123 163 124")) == "cCCCoC");
  CHECK(Roles(Program("126 127 123 163")) == "CCCC");              // Too few to tell.
  CHECK(Roles(Program("100 100 100 119 100 100")) == "CCCCCC");    // Less than 20 %.
  CHECK(Roles(Program("100 100 100 60 100 100")) == "CCCoCC");     // Shorter is odd, too.
  CHECK(Roles(Program("100 90 120 80 110 130 95")) == "CCCCCCC");  // Within the noise.
}

TEST_CASE("where more than a fifth would be outliers, the program has two speeds") {
  const Steps steps = FindSteps(MakeTrace(Program("100 100 150 100 100 150 100 100")));
  CHECK(RolesIn(steps) == "CCCCCCCC");
  CHECK(steps.two_speeds);
  CHECK_FALSE(FindSteps(MakeTrace(Program("100 100 100 100 150"))).two_speeds);
}

TEST_CASE("a step whose range the recording did not see end is left out") {
  std::string text = Program("100 100 100");
  text += "T1 300000000-340000000 push \"step 4\" flag=unfinished\n";
  const CountedSteps set = CountSteps(FindSteps(MakeTrace(text)));
  REQUIRE(set.left_out.size() == 1);
  CHECK(set.left_out[0] == std::pair(3u, LeftOut::kUnfinished));
  CHECK(WordsOf(set) == "4 steps, 3 of them 100.0 ms (±0.00 %), step 4 unfinished");
}

TEST_CASE("a last step with less work than any other is cut") {
  std::string text = Program("100 100 100", 4);
  text += "T1 300000000-340000000 push \"step 4\"\n";
  text += "T1 300001000-300001500 api cudaLaunchKernel #90\n";
  text += "S7 300002000-300003000 kernel k #90\n";
  const CountedSteps set = CountSteps(FindSteps(MakeTrace(text)));
  REQUIRE(set.left_out.size() == 1);
  CHECK(set.left_out[0] == std::pair(3u, LeftOut::kCut));
}

TEST_CASE("first steps that are longer for one-time costs are cold, however noisy the others") {
  const std::string alloc = "T1 20000000-24000000 api cudaMalloc #801\n";
  CHECK(Roles(Program("104 97 103 100 101")) == "CCCCC");
  CHECK(Roles(Program("104 97 103 100 101") + alloc) == "cCCCC");
  // Beside a busy device they cost nothing.
  CHECK(Roles(Program("100 97 103 100 101") + alloc) == "CCCCC");
}

TEST_CASE("a later step that is longer for one-time costs is named, and counts") {
  const std::string late = "T1 220000000-224000000 api cudaMalloc #802\n";
  const CountedSteps set = CountSteps(FindSteps(MakeTrace(Program("100 97 105 100 101") + late)));
  CHECK(set.counted.size() == 5);
  CHECK(set.late_one_time == std::vector<std::uint32_t>{2});
}

TEST_CASE("a program that allocates in every step has no one-time costs") {
  std::string text = Program("100 100 100 100");
  for (int i = 0; i < 4; ++i) {
    const std::string at = std::to_string(i * 100 + 20), end = std::to_string(i * 100 + 23);
    text +=
        "T1 " + at + "000000-" + end + "000000 api cudaMalloc #" + std::to_string(810 + i) + "\n";
  }
  CHECK(Roles(text) == "CCCC");
}

TEST_CASE("steps are compared with those at the same place of their period") {
  const Steps steps = FindSteps(MakeTrace(Program("100 300 100 301 100 300 100 300", 2, 2)));
  CHECK(steps.period == 2);
  CHECK(RolesIn(steps) == "CCCCCCCC");
  // An odd end is beyond whole periods; an outlier leaves one, too.
  CHECK(Roles(Program("100 300 100 301 100 300 100 300 100", 2, 2)) == "CCCCCCCC-");
  CHECK(Roles(Program("100 300 100 301 160 300 100 300 100 300 100 300", 2, 2)) == "CCCCoCCCCCC-");
}

TEST_CASE("the words of the first line name every step that does not count") {
  CHECK(WordsFor(Program("100 100 100")) == "3 steps of 100.0 ms (±0.00 %)");
  CHECK(WordsFor(Program("182 126 127 123 163 124")) ==
        "6 steps, 4 of them 125.0 ms (±1.3 %), step 1 is cold: 182.0 ms, step 5 is an outlier: "
        "163.0 ms (with it 132.6 ms)");
  CHECK(WordsFor(Program("300 180 100 100 100 100")) ==
        "6 steps, 4 of them 100.0 ms (±0.00 %), steps 1-2 are cold: 480.0 ms");
}
