#include "sim/between_steps.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/unit/sim/text_workbench.h"

// What lies between steps. Times are in nanoseconds.
namespace xsp {
namespace {

using test::TextWorkbench;

std::string Line(const std::string& lane, std::int64_t begin, std::int64_t end,
                 const std::string& what) {
  return lane + " " + std::to_string(begin) + "-" + std::to_string(end) + " " + what + "\n";
}

// Requests of 2 to 3 ms that come every 10 ms; between them the thread waits for the next one.
std::string Requests() {
  std::string text;
  for (int i = 0; i < 24; ++i) {
    const std::int64_t zero = i * 10'000'000, done = zero + 2'020'000 + i * 7 % 5 * 200'000;
    const std::string launch = "#" + std::to_string(2 * i), sync = "#" + std::to_string(2 * i + 1);
    text += Line("T1", zero, done, "push \"request " + std::to_string(i) + "\"") +
            Line("T1", zero + 1'000, zero + 5'000, "api cudaLaunchKernel " + launch) +
            Line("S7", zero + 6'000, done - 10'000, "kernel k " + launch) +
            Line("T1", zero + 10'000, done - 5'000, "api cudaStreamSynchronize " + sync) +
            Line("T1", zero + 10'000, done - 5'000, "sync stream=7 " + sync) +
            Line("T1", done + 5'000, zero + 9'990'000, "osrt epoll_wait");
  }
  return text;
}

TEST_CASE("a wait between steps grows by what they gain") {
  const TextWorkbench text(Requests());
  const Forecast same = text.Run("--faster=name=*,by=1");
  REQUIRE(same.measured == Approx(2'420'000).epsilon(0.03));
  CHECK(same.forecast + same.between == Approx(10'000'000).epsilon(0.01));
  const Forecast faster = text.Run("--faster=name=*,by=2");
  CHECK(faster.forecast < 1'300'000);
  CHECK(faster.forecast + faster.between == Approx(10'000'000).epsilon(0.01));
}

TEST_CASE("what lies between few of the steps tells how it changes, and else stays") {
  Unit unit;
  unit.is_step = true;
  unit.steps.between = 100;
  const auto steps = [](DurationNs pause) {
    return std::vector<SimSpan>{{SimTime{0}, SimTime{1'000}},
                                {SimTime{1'000 + pause}, SimTime{2'000 + pause}}};
  };
  CHECK(BetweenAfter(unit, steps(80), steps(40)) == 50);
  CHECK(BetweenAfter(unit, steps(80), steps(0)) == 0);
  CHECK(BetweenAfter(unit, steps(0), steps(0)) == 100);
  CHECK(BetweenAfter(unit, steps(0), steps(30)) == 130);
  unit.steps.between = 0;
  CHECK(BetweenAfter(unit, steps(0), steps(0)) == 0);
  unit.is_step = false;
  CHECK(BetweenAfter(unit, steps(80), steps(40)) == 0);
}

}  // namespace
}  // namespace xsp
