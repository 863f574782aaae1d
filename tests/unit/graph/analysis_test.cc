#include <catch2/catch.hpp>
#include <numeric>

#include "graph/readings/critical_path.h"
#include "graph/readings/explain.h"
#include "graph/readings/host_profile.h"
#include "graph/readings/idle.h"
#include "graph/readings/replay.h"
#include "graph/task_names.h"
#include "tests/support/graph_checks.h"
#include "tests/unit/graph/edges_text.h"

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

IdleReport IdleOf(const GraphOf& g) {
  const SimSpan span = MeasuredGpuSpan(g.graph());
  return FindIdle(g.graph(), SimulateGuided(g.graph()), {{span.begin.ns, span.end.ns}});
}

DurationNs Of(const DeviceIdle& device, IdleCause cause) {
  return device.causes[static_cast<std::size_t>(cause)].ns;
}

TEST_CASE("idle time is told apart by cause, and the causes sum to it") {
  const GraphOf g(kHostBound);
  const IdleReport idle = IdleOf(g);
  REQUIRE(idle.devices.size() == 1);
  const DeviceIdle& device = idle.devices[0];
  CHECK(device.idle == 101000 + 91000);
  CHECK(Of(device, IdleCause::kHostGap) == 95000 + 85000);
  CHECK(Of(device, IdleCause::kLaunchCost) == 10000);
  CHECK(Of(device, IdleCause::kSubmit) == 2000);
  CHECK(Of(device, IdleCause::kUnexplained) == 0);
  DurationNs sum = 0;
  for (const IdleTime& cause : device.causes) sum += cause.ns;
  CHECK(sum == device.idle);
  REQUIRE(idle.gaps.size() == 2);
  CHECK(idle.gaps[0].main_cause == IdleCause::kHostGap);
  CHECK(idle.gaps[0].host == g.Task("call 2"));
}

TEST_CASE("the way back from a sync is a cause of its own") {
  const GraphOf g(R"(
    T1 0-1000        api cudaLaunchKernel #1
    S7 2000-100000   kernel a #1
    T1 2000-104000   api cudaDeviceSynchronize #2
    T1 2000-104000   sync context #2
    T1 105000-106000 api cudaLaunchKernel #3
    S7 107000-110000 kernel b #3)");
  const IdleReport idle = IdleOf(g);
  CHECK(Of(idle.devices[0], IdleCause::kSyncTail) == 4000);
  CHECK(Of(idle.devices[0], IdleCause::kHostGap) == 1000);
}

TEST_CASE("a start that the graph cannot explain is called unexplained") {
  const GraphOf g(R"(
    T1 0-1000        api cudaLaunchKernel #1
    S7 2000-3000     kernel a #1
    T1 5000-6000     api cudaLaunchKernel #2
    S7 900000-910000 kernel b #2)");
  const IdleReport idle = IdleOf(g);
  CHECK(Of(idle.devices[0], IdleCause::kUnexplained) > 800000);
  CHECK(idle.explained() < 100000);
  CHECK(idle.explained_whole() == 0);
}

TEST_CASE("untraced host time is named by the ranges that were open") {
  const GraphOf g(kHostBound);
  const IdleReport idle = IdleOf(g);
  const HostProfile profile = ProfileHost(g.graph(), OpenRanges(*g.graph().hierarchy), idle.hosts);
  CHECK(profile.total == 180000);
  CHECK_FALSE(profile.has_samples);
  REQUIRE(profile.activities.size() == 2);
  CHECK(profile.activities[0].name == "[no range]");
  CHECK(profile.activities[0].ns == 155000);
  CHECK(profile.activities[1].name == "prepare");
  CHECK(profile.activities[1].ns == 25000);
}

TEST_CASE("a critical path fills its span without a hole") {
  const GraphOf g(kHostBound);
  const Schedule replay = Simulate(g.graph());
  const SimSpan span = GpuSpanOf(g.graph(), replay);
  const CriticalPath path = test::FindCriticalPath(g.graph(), replay, span);
  REQUIRE_FALSE(path.segments.empty());
  CHECK(path.segments.front().begin == span.begin);
  CHECK(path.segments.back().end == span.end);
  DurationNs sum = 0;
  DurationNs gaps = 0;
  for (std::size_t i = 0; i < path.segments.size(); ++i) {
    if (i > 0) CHECK(path.segments[i].begin == path.segments[i - 1].end);
    sum += path.segments[i].end - path.segments[i].begin;
    if (path.segments[i].kind == PathKind::kHostGap) {
      gaps += path.segments[i].end - path.segments[i].begin;
    }
  }
  CHECK(sum == span.Length());
  CHECK(gaps > 180000);
}

TEST_CASE("slack is how much longer a task may take") {
  const GraphOf g(kHostBound);
  Answers answers;
  const Schedule replay = Simulate(g.graph(), {}, &answers);
  const PerTask<DurationNs> slack =
      FindSlack(g.graph(), replay, answers, GpuSpanOf(g.graph(), replay).end);
  CHECK(slack[g.Task("op 3")] == 0);
  CHECK(slack[g.Task("call 3")] == 0);
  CHECK(slack[g.Task("op 1")] > 90000);
}

TEST_CASE("who was at work when") {
  const GraphOf g(kHostBound);
  const Overlap overlap = MeasureOverlap(g.graph(), {{6000, 220000}});
  CHECK(overlap.both == 13000);
  CHECK(overlap.device_only == 9000);
  CHECK(overlap.both + overlap.device_only + overlap.host_only == 214000);
}

TEST_CASE("every edge of a task is explained, and the one that decided is marked") {
  const GraphOf g(kHostBound);
  Answers answers;
  const Schedule replay = Simulate(g.graph(), {}, &answers);
  const auto edges = ExplainTask(g.graph(), replay, answers, g.Task("op 2"));
  REQUIRE(edges.size() == 3);
  CHECK(edges[0].rule == Rule::kSubmit);
  CHECK(edges[0].binds);
  CHECK(edges[1].rule == Rule::kStreamOrder);
  CHECK_FALSE(edges[1].binds);
  const TaskNames names(g.graph(), NameForm::kFull);
  CHECK(names.WithPlace(g.Task("op 2")) == "kernel b on stream 7");
  CHECK(names.WithPlace(g.Task("call 2")) == "cudaLaunchKernel on thread 1");
}

}  // namespace
}  // namespace xsp
