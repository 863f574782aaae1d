#include "graph/rules/off_cpu.h"

#include <catch2/catch.hpp>

#include "graph/readings/critical_path.h"
#include "graph/readings/idle.h"
#include "graph/readings/path_parts.h"
#include "tests/support/graph_checks.h"
#include "tests/unit/graph/edges_text.h"

// Untraced host time in which the thread was not scheduled. Times are in nanoseconds.
namespace xsp {
namespace {

using test::GraphOf;

// The host is between two launches for 100 us, 60 of them off the CPU.
constexpr char kSleeps[] = R"(
    T1 0-5000          api cudaLaunchKernel #1
    S7 6000-10000      kernel a #1
    T1 30000           sched out
    T1 90000           sched in
    T1 105000-110000   api cudaLaunchKernel #2
    S7 111000-120000   kernel b #2
    T1 130000          sched out)";

TEST_CASE("idle time tells a host that worked from one that was not scheduled") {
  const GraphOf g(kSleeps);
  const IdleReport idle = FindIdle(g.graph(), SimulateGuided(g.graph()), {{6000, 120000}});
  REQUIRE(idle.devices.size() == 1);
  CHECK(idle.devices[0].Of(IdleCause::kOffCpu).ns == 60'000);
  CHECK(idle.devices[0].Of(IdleCause::kHostGap).ns == 20'000 + 15'000);
  CHECK(idle.gaps[0].main_cause == IdleCause::kOffCpu);
  REQUIRE(idle.hosts.size() == 1);  // One stretch, for whoever looks at what the host did.
  CHECK(idle.hosts[0].time == TimeRange{10'000, 105'000});
}

TEST_CASE("the critical path tells them apart, too, and still fills its span") {
  const GraphOf g(kSleeps);
  const Schedule replay = Simulate(g.graph());
  const SimSpan span = {SimTime::At(0), replay.finish[g.Task("op 2")]};
  const CriticalPath path = test::FindCriticalPath(g.graph(), replay, span);
  DurationNs off = 0, gap = 0, sum = 0;
  for (const PathSegment& segment : path.segments) {
    const DurationNs length = segment.end - segment.begin;
    sum += length;
    off += segment.kind == PathKind::kOffCpu ? length : 0;
    gap += segment.kind == PathKind::kHostGap ? length : 0;
  }
  CHECK(off == 60'000);
  CHECK(gap == 40'000);
  CHECK(sum == span.Length());
}

TEST_CASE("without untraced host work the time off the CPU is left") {
  const GraphOf g(kSleeps);
  const TaskPlaces places(g.graph());
  const Overlay overlay = WithoutPart(g.graph(), places, {PathKind::kHostGap, "", 0, 0});
  CHECK(overlay.gap[g.Task("call 2")] == 60'000);
}

}  // namespace
}  // namespace xsp
