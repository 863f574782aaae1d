#include "cli/options/read_selection.h"

#include <catch2/catch.hpp>

#include "base/error.h"

namespace xsp {
namespace {

TEST_CASE("a stretch of time is read with its units") {
  CHECK(ParseTimeWindow("1.2s-3.4s") == TimeRange{1'200'000'000, 3'400'000'000});
  CHECK(ParseTimeWindow("500us-2ms") == TimeRange{500'000, 2'000'000});
  CHECK(ParseTimeWindow("1.5-2ms") == TimeRange{1'500'000, 2'000'000});
  CHECK(ParseTimeWindow("-1ms-2ms") == TimeRange{-1'000'000, 2'000'000});
  CHECK(ParseTimeWindow("0-1e3ns") == TimeRange{0, 1000});
}

TEST_CASE("what is no stretch of time is refused") {
  for (const char* text : {"", "1s", "1-2", "a-b", "2s-1s", "1s-1s", "1s-2x", "-"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(ParseTimeWindow(text), Error);
  }
}

std::vector<std::pair<std::size_t, std::size_t>> Runs(const std::string& text) {
  std::vector<std::pair<std::size_t, std::size_t>> runs;
  for (const StepRun& run : ReadSteps({text, 0}).runs) runs.emplace_back(run.first, run.last);
  return runs;
}

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

TEST_CASE("steps are read as numbers, ranges and lists of both") {
  CHECK(Runs("5") == Pairs{{5, 5}});
  CHECK(Runs("2-4") == Pairs{{2, 4}});
  CHECK(Runs("1,3-4") == Pairs{{1, 1}, {3, 4}});
  CHECK(ReadSteps({"all", 0}).says_all);
  CHECK(ReadSteps({"all", 0}).Empty());
  CHECK_FALSE(ReadSteps({"", 3}).says_all);
  CHECK(ReadSteps({"", 3}).skip == 3);
}

TEST_CASE("what names no steps is refused") {
  for (const char* text : {"0", "3-2", "x", "1,", "1-", "-2", "99999999999999999999"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(ReadSteps({text, 0}), Error);
  }
}

TEST_CASE("what was asked for is kept with the time as written") {
  WindowOptions window;
  window.time = "1-2ms";
  window.devices = {0, 1};
  const Selection selection = ReadSelection(window, {"2-3", 0});
  CHECK(selection.time == TimeRange{1'000'000, 2'000'000});
  CHECK(selection.time_text == "1-2ms");
  CHECK(selection.devices == std::vector<std::uint32_t>{0, 1});
  CHECK(selection.steps.runs.size() == 1);
  CHECK_FALSE(selection.HasNoFilter());
  CHECK(ReadSelection({}, {"2-3", 0}).HasNoFilter());
}

}  // namespace
}  // namespace xsp
