#include "sim/diagnosis/habits.h"

#include <catch2/catch.hpp>
#include <string>

#include "graph/builder.h"
#include "tests/support/timeline.h"

namespace xsp {
namespace {

// "pageable-copies 2 80 0.12": name, count, nanoseconds, and the gain where it was simulated.
std::string HabitsOf(std::string_view timeline, bool simulated) {
  const Trace trace = test::MakeTrace(timeline);
  const Hierarchy hierarchy(trace);
  const TaskGraph graph = BuildGraph(trace, hierarchy);
  const Unit unit = ChooseUnit(graph, hierarchy.steps());
  std::vector<Habit> habits = FindHabits(graph, unit, MeasuredTimes(hierarchy.steps(), unit));
  if (simulated) SimulateHabits(Workbench(graph, hierarchy, unit), habits);
  std::string text;
  for (const Habit& habit : habits) {
    text += (text.empty() ? "" : "; ") + std::string(habit.rule->name) + " " +
            std::to_string(habit.count) + " " + std::to_string(habit.ns);
    if (habit.gain) text += habit.gain > 0.2 ? " much" : habit.gain > 0.01 ? " some" : " nothing";
  }
  return text;
}

TEST_CASE("habits are found by call and memory") {
  CHECK(HabitsOf(R"(
    T1 0-5000         api cudaLaunchKernel #1
    S7 6000-106000    kernel first #1
    T1 10000-60000    api cudaMemcpyAsync #2
    S7 110000-140000  memcpy HtoD #2 bytes=1000000 src=pageable dst=device
    T1 61000-65000    api cudaMemcpyAsync #3
    S7 141000-160000  memcpy HtoD #3 bytes=1000000 src=pinned dst=device
    T1 66000-190000   api cudaMemcpy #4
    S7 161000-180000  memcpy DtoH #4 bytes=1000000 src=device dst=pinned
    T1 191000-199000  api cudaMemset #5
    S7 195000-198000  memset #5 bytes=64
    T1 200000-204000  api cudaMemsetAsync #6
    S7 205000-206000  memset #6 bytes=64
    T1 210000-218000  api cudaLaunchKernel #7
    S7 219000-221000  kernel tiny #7
    M  220000-224000  migration HtoD bytes=4096
    T1 225000-231000  api cudaLaunchKernel #8
    S7 232000-282000  kernel last #8
    T1 235000-290000  api cudaDeviceSynchronize #9
    T1 235000-290000  sync context #9
  )",
                 false) ==
        "pageable-copies 1 30000; sync-copies 1 124000; sync-memsets 1 8000; sync-calls 1 55000; "
        "tiny-launches 1 8000; page-migrations 1 4000");
}

TEST_CASE("launches that wait for their kernels are a habit, and --no-sync gives it up") {
  std::string text;
  for (int i = 0; i < 10; ++i) {
    const std::string id = " #" + std::to_string(i + 1) + "\n";
    const int at = 40'000 * i;
    text += "T1 " + std::to_string(at) + "-" + std::to_string(at + 31'000) +
            " api cudaLaunchKernel" + id;
    text +=
        "S7 " + std::to_string(at + 6'200) + "-" + std::to_string(at + 26'200) + " kernel k" + id;
  }
  // The first one was made before the span of the GPU, which the figures speak of.
  CHECK(HabitsOf(text, true) == "blocking-launches 9 234000 much");
}

TEST_CASE("the gain of giving a habit up is simulated") {
  // The second kernel is launched 40 us after the host has waited for the first.
  CHECK(HabitsOf(R"(
    T1 0-5000         api cudaLaunchKernel #1
    S7 6000-106000    kernel a #1
    T1 10000-110000   api cudaStreamSynchronize #2
    T1 10000-110000   sync stream=7 #2
    T1 150000-155000  api cudaLaunchKernel #3
    S7 156000-166000  kernel b #3
    T1 160000-170000  api cudaStreamSynchronize #4
    T1 160000-170000  sync stream=7 #4
  )",
                 true) == "sync-calls 2 110000 much");
}

TEST_CASE("a program without such habits has none") {
  CHECK(HabitsOf(R"(
    T1 0-5000         api cudaLaunchKernel #1
    S7 6000-106000    kernel a #1
    T1 6000-11000     api cudaLaunchKernel #2
    S7 107000-206000  kernel b #2
  )",
                 true) == "");
}

TEST_CASE("every rule says what it looks for, and its what-if exists") {
  for (const HabitRule& rule : AllHabitRules()) {
    CHECK_FALSE(rule.one.empty());
    CHECK_FALSE(rule.many.empty());
    if (rule.whatif.empty()) continue;
    CHECK(FindWhatIf(rule.whatif.substr(0, rule.whatif.find('='))) != nullptr);
    CHECK_FALSE(rule.cure.empty());
  }
}

}  // namespace
}  // namespace xsp
