#include "sim/diagnosis/leverage.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string_view>

#include "base/interrupt.h"
#include "sim/edit/edit.h"
#include "tests/unit/graph/edges_text.h"
#include "tests/unit/graph/steps_text.h"

namespace xsp {
namespace {

using test::GraphOf;

// The device waits for the host: a long untraced stretch between two launches.
constexpr std::string_view kHostBound = R"(
    T1 0-5000          api cudaLaunchKernel #1
    S7 6000-10000      kernel a #1
    T1 105000-110000   api cudaLaunchKernel #2
    S7 111000-120000   kernel b #2
    T1 205000-210000   api cudaLaunchKernel #3
    S7 211000-220000   kernel c #3
    T1 80000-115000    push prepare)";

TEST_CASE("an interrupt ends all threads that measure leverage, with the very exception") {
  struct Stop {};
  const GraphOf g(kHostBound);
  std::vector<TaskGroup> groups(8);
  for (TaskGroup& group : groups) group.tasks = {g.Task("op 2")};
  const Unit unit = SpanUnit(g.graph());
  SetInterruptCheck([] { throw Stop(); });
  CHECK_THROWS_AS(MeasureLeverage(g.graph(), {}, unit, groups, 4), Stop);
  SetInterruptCheck(nullptr);
}

TEST_CASE("what nobody waits for has no leverage") {
  const GraphOf g(kHostBound);
  std::vector<TaskGroup> groups(2);
  groups[0].name = "b";
  groups[0].tasks = {g.Task("op 2")};
  groups[1].name = "host";
  groups[1].tasks = {g.Task("call 2"), g.Task("call 3")};
  for (TaskId call : groups[1].tasks) {
    groups[1].gaps.push_back({call, g.graph().gap[call], 0});
  }
  const LeverageReport report = MeasureLeverage(g.graph(), {}, SpanUnit(g.graph()), groups, 1);
  REQUIRE(report.items.size() == 2);
  CHECK(report.items[0].group == 1);
  CHECK(report.items[0].gain_50 > 90000);
  CHECK(report.items[1].gain_free == 0);
}

TEST_CASE("untraced host time belongs to what was open while it passed") {
  const GraphOf g(R"(
    T1 0-5000          api cudaLaunchKernel #1
    S7 6000-10000      kernel a #1
    T1 10000-90000     push compile
    T1 20000-30000     osrt read
    T1 90000-105000    push load
    T1 100000-104000   api cudaLaunchKernel #2
    S7 106000-120000   kernel b #2)");
  const std::vector<TaskGroup> groups = LeverageGroups(g.graph(), 10);
  const LeverageReport report = MeasureLeverage(g.graph(), {}, SpanUnit(g.graph()), groups, 1);
  auto host = [&](std::string_view name) -> DurationNs {
    for (const Leverage& item : report.items) {
      const TaskGroup& group = groups[item.group];
      if (group.level == "host_range" && group.name == name) return item.host;
    }
    return -1;
  };
  CHECK(host("compile") == 70000);
  CHECK(host("read") == 10000);
  CHECK(host("load") == 10000 + 4000);
  CHECK(host("[no range]") == 5000);
}

TEST_CASE("what other threads do is not the main thread's range") {
  const GraphOf g(R"(
    T1 0-100000        push backward
    T1 0-5000          api cudaLaunchKernel #1
    S7 6000-10000      kernel a #1
    T2 20000-60000     api cudaLaunchKernel #2
    T2 61000-99000     api cudaLaunchKernel #3
    S7 106000-120000   kernel b #3)");
  DurationNs own = 0;
  bool has_others = false;
  for (const TaskGroup& group : LeverageGroups(g.graph(), 10)) {
    if (group.level != "host_range") continue;
    has_others |= group.name == "backward [other threads]";
    if (group.name != "backward") continue;
    for (TaskId task : group.tasks) own += g.graph().own[task];
  }
  CHECK(has_others);
  CHECK(own == 5000);
}

TEST_CASE("what came before the GPU span has no leverage on it") {
  const GraphOf g(R"(
    T1 0-50000      api cudaMalloc #1
    T1 50000-55000  api cudaLaunchKernel #2
    S7 56000-70000  kernel a #2
    T1 60000-65000  api cudaLaunchKernel #3
    S7 71000-90000  kernel b #3)");
  std::vector<TaskGroup> groups(1);
  groups[0].tasks = {g.Task("call 1")};
  const LeverageReport report = MeasureLeverage(g.graph(), {}, SpanUnit(g.graph()), groups, 1);
  CHECK(report.unit.measured == 34000);
  CHECK(report.items[0].count == 0);
  CHECK(report.items[0].gain_free == 0);
}

TEST_CASE("groups for leverage are made by class, kernel, call and range") {
  const GraphOf g(kHostBound);
  const std::vector<TaskGroup> groups = LeverageGroups(g.graph(), 10);
  auto has = [&](std::string_view level, std::string_view name) {
    return std::any_of(groups.begin(), groups.end(), [&](const TaskGroup& group) {
      return group.level == level && group.name == name;
    });
  };
  CHECK(has("kernel", "b"));
  CHECK(has("call", "cudaLaunchKernel"));
  CHECK(has("range", "prepare"));
  CHECK(has("host_range", "prepare"));
}

TEST_CASE("half of the host's work is half of what it was running") {
  const GraphOf g(R"(
    T1 0-5000          api cudaLaunchKernel #1
    S7 6000-10000      kernel a #1
    T1 5000-105000     push prepare
    T1 30000           sched out
    T1 90000           sched in
    T1 105000-110000   api cudaLaunchKernel #2
    S7 111000-120000   kernel b #2)");
  const std::vector<TaskGroup> groups = LeverageGroups(g.graph(), 10);
  const LeverageReport report = MeasureLeverage(g.graph(), {}, SpanUnit(g.graph()), groups, 1);
  auto gain_50 = [&](std::string_view name) -> DurationNs {
    for (const Leverage& item : report.items) {
      const TaskGroup& group = groups[item.group];
      if (group.level == "host_range" && group.name == name) return item.gain_50;
    }
    return -1;
  };
  CHECK(gain_50("prepare") == 20'000);
  CHECK(gain_50("[not scheduled]") == 30'000);
}

TEST_CASE("ranges that number steps are one group, numbered layers are not") {
  const GraphOf g(R"(
    T1 0-50000         push "step 2"
    T1 0-5000          api cudaLaunchKernel #1
    S7 6000-10000      kernel a #1
    T1 50000-100000    push "step 3"
    T1 50000-55000     api cudaLaunchKernel #2
    S7 56000-60000     kernel a #2
    T1 70000-80000     push "layer 1"
    T1 71000-75000     api cudaLaunchKernel #3
    S7 76000-77000     kernel a #3
    T1 80000-90000     push "layer 2"
    T1 81000-85000     api cudaLaunchKernel #4
    S7 86000-87000     kernel a #4)");
  std::string names;
  for (const TaskGroup& group : LeverageGroups(g.graph(), 10)) {
    if (group.level != "range") continue;
    names += group.name + " " + std::to_string(group.tasks.size()) + "\n";
  }
  CHECK(names == "step # 2\nlayer 1 1\nlayer 2 1\n");
}

TEST_CASE("no group gains more than its own time, nor host time more than idle time") {
  for (const bool sync : {true, false}) {
    const test::StepsCase c({.sync = sync});
    const std::vector<TaskGroup> groups = LeverageGroups(c.g.graph(), 10);
    const LeverageReport report = MeasureLeverage(c.g.graph(), c.steps, c.bench.unit(), groups, 1);
    for (const Leverage& item : report.items) {
      CAPTURE(groups[item.group].level, groups[item.group].name);
      CHECK(item.gain_free <= item.device + item.host + 1);  // Means are rounded.
      CHECK(report.simulated - item.gain_free >= (item.device == 0 ? 60'000 : 0));
    }
  }
}

TEST_CASE("leverage of an edited graph knows what was put in by its name") {
  const GraphOf g(kHostBound);
  GraphEdit edit(g.graph());
  const std::uint32_t stream = g.graph().lane[g.Task("op 2")];
  const TaskId call = edit.InsertAfter(g.Task("call 2"), {"cudaLaunchKernel", 5'000, 0, {}});
  edit.Issue(call, {"cast_to_bf16", 200'000, stream});
  const EditedGraph edited = edit.Build();
  const std::vector<TaskGroup> groups = LeverageGroups(edited.graph(), 10);
  const LeverageReport report =
      MeasureLeverage(edited.graph(), {}, SpanUnit(edited.graph()), groups, 1);
  const auto item =
      std::find_if(report.items.begin(), report.items.end(), [&](const Leverage& one) {
        return groups[one.group].level == "kernel" && groups[one.group].name == "cast_to_bf16";
      });
  REQUIRE(item != report.items.end());
  CHECK(item->count == 1);
  CHECK(item->device == 200'000);
  CHECK(item->gain_50 > 50'000);
}

}  // namespace
}  // namespace xsp
