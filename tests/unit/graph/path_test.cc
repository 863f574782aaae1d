#include <catch2/catch.hpp>

#include "graph/readings/assessment.h"
#include "graph/readings/path_analysis.h"
#include "tests/unit/graph/edges_text.h"

namespace xsp {
namespace {

using test::GraphOf;

// A model of two layers, launched from the host; the second kernel makes the host wait.
constexpr std::string_view kTwoLayers = R"(
    T1 0-50000         push forward
    T1 1000-20000      push "layer 0"
    T1 20000-40000     push "layer 1"
    T1 2000-5000       api cudaLaunchKernel #1
    S7 6000-60000      kernel ampere_sgemm_128x64_tn #1
    T1 25000-28000     api cudaLaunchKernel #2
    S7 61000-160000    kernel layer_norm_kernel #2
    T1 45000-164000    api cudaDeviceSynchronize #3
    T1 45000-164000    sync context #3
    T1 200000-203000   api cudaLaunchKernel #4
    S7 204000-210000   kernel ampere_sgemm_128x64_tn #4)";

template <class Items>
DurationNs SumOf(const Items& items) {
  DurationNs sum = 0;
  for (const auto& item : items) sum += item.ns;
  return sum;
}

PathAnalysis Analyze(const GraphOf& g) {
  return AnalyzePath(g.graph(), TaskPlaces(g.graph()), {}, SpanUnit(g.graph()));
}

TEST_CASE("every breakdown of a path and the replay error sum to the measured time") {
  const GraphOf g(kTwoLayers);
  const PathAnalysis a = Analyze(g);
  const DurationNs measured = 210000 - 6000;
  CHECK(a.unit.time.Length() == measured);
  CHECK(SumOf(a.parts) + a.error == measured);
  CHECK(SumOf(a.layers) + a.error == measured);
  CHECK(SumOf(a.ranges) + a.error == measured);
  CHECK(a.overlap.both + a.overlap.host_only + a.overlap.device_only == measured);
}

TEST_CASE("a path is told by kind and class and by place") {
  const GraphOf g(kTwoLayers);
  const PathAnalysis a = Analyze(g);
  REQUIRE_FALSE(a.parts.empty());
  CHECK(a.parts[0].kind == PathKind::kKernel);
  CHECK(a.parts[0].name == "norm");
  CHECK(a.parts[0].ns == 99000);
  REQUIRE(a.ranges.size() >= 2);
  CHECK(a.ranges[0].name == "layer 1");
  CHECK(a.ranges[0].device > 99000);
}

TEST_CASE("a collective on the path is one also where no other rank was recorded") {
  const GraphOf g(R"(
    T1 2000-5000       api cudaLaunchKernel #1
    S7 6000-60000      kernel ampere_sgemm_128x64_tn #1
    T1 25000-28000     api cudaLaunchKernel #2
    S7 61000-160000    kernel vllm::cross_device_reduce_1stage<half,2> #2
    T1 45000-164000    api cudaDeviceSynchronize #3
    T1 45000-164000    sync context #3)");
  const PathAnalysis a = Analyze(g);
  REQUIRE_FALSE(a.parts.empty());
  CHECK(a.parts[0].kind == PathKind::kCollective);
  CHECK(a.parts[0].ns == 99000);
}

TEST_CASE("untraced time of a path belongs to the range that was open while it passed") {
  const GraphOf g(R"(
    T1 0-5000          api cudaLaunchKernel #1
    S7 6000-10000      kernel a #1
    T1 10000-90000     push compile
    T1 90000-105000    push load
    T1 100000-104000   api cudaLaunchKernel #2
    S7 106000-120000   kernel b #2)");
  const PathAnalysis a = Analyze(g);
  DurationNs compile = 0, load = 0;
  for (const PathPlace& place : a.ranges) {
    if (place.name == "compile") compile = place.host;
    if (place.name == "load") load = place.host;
  }
  // The span begins in the gap: all that was open in it has a little less.
  CHECK(compile > 75000);
  CHECK(compile <= 80000);
  CHECK(load < 20000);
}

TEST_CASE("a path is folded into runs of host and device that fill it") {
  const GraphOf g(kTwoLayers);
  const PathAnalysis a = Analyze(g);
  REQUIRE(a.runs.size() == 3);
  CHECK(a.runs[0].on_device);
  CHECK(a.runs[0].mostly == "kernel norm");
  CHECK_FALSE(a.runs[1].on_device);
  CHECK(a.runs[1].mostly == "host_gap");
  CHECK(a.runs[2].on_device);
  CHECK(a.runs.front().begin == a.path.span.begin);
  CHECK(a.runs.back().end == a.path.span.end);
  for (std::size_t i = 1; i < a.runs.size(); ++i) CHECK(a.runs[i].begin == a.runs[i - 1].end);
}

TEST_CASE("the next path is the one without the largest part of the first") {
  const GraphOf g(kTwoLayers);
  const PathAnalysis a = Analyze(g);
  REQUIRE(a.next);
  CHECK(a.next->without.name == "norm");
  CHECK(a.total - a.next->total == 99000);
  for (const PathPart& part : a.next->parts) CHECK(part.name != "norm");
}

// The null stream (7) and a blocking one in turns: the device takes longer to see that the other is
// done than to begin the next kernel of the same stream.
constexpr std::string_view kNullStream = R"(
    T1 0-1000         api cudaLaunchKernel #1
    T1 1000-2000      api cudaLaunchKernel #2
    T1 2000-3000      api cudaLaunchKernel #3
    T1 3000-4000      api cudaLaunchKernel #4
    T1 4000-5000      api cudaLaunchKernel #5
    T1 5000-6000      api cudaLaunchKernel #6
    S8 10000-20000    kernel a #1
    S8 21000-31000    kernel a #2
    S7 35000-45000    kernel b #3
    S8 49000-59000    kernel a #4
    S7 63000-73000    kernel b #5
    S7 74000-84000    kernel b #6)";

TEST_CASE("a task may take longer by its slack and no more") {
  for (std::string_view timeline : {kTwoLayers, kNullStream, std::string_view(R"(
      T1 0-2000         api cudaLaunchKernel #1
      S8 3000-90000     kernel a #1
      T1 4000-6000      api cudaLaunchKernel #2
      S9 7000-20000     kernel b #2
      T1 7000-94000     api cudaDeviceSynchronize #3
      T1 7000-94000     sync context #3
      T2 100000-104000  api cudaLaunchKernel #4
      S9 105000-120000  kernel c #4
      T1 130000-134000  api cudaLaunchKernel #5
      S8 135000-140000  kernel d #5)")}) {
    const GraphOf g(timeline);  // Checks slack, as of every timeline.
    Answers answers;
    const Schedule replay = Simulate(g.graph(), {}, &answers);
    CHECK(Analyze(g).slack ==
          FindSlack(g.graph(), replay, answers, GpuSpanOf(g.graph(), replay).end));
  }
}

TEST_CASE("of two events that a stream waits for, the earlier has slack up to the later") {
  const GraphOf g(R"(
    T1 0-1000        api cudaLaunchKernel #1
    T1 1000-2000     api cudaEventRecord #2
    T1               record stream=8 event=3 #2
    T1 2000-3000     api cudaLaunchKernel #3
    T1 3000-4000     api cudaEventRecord #4
    T1               record stream=9 event=4 #4
    T1 4000-5000     api cudaStreamWaitEvent #5
    T1 4000-5000     wait stream=10 event=3 #5
    T1 5000-6000     api cudaStreamWaitEvent #6
    T1 5000-6000     wait stream=10 event=4 #6
    T1 6000-7000     api cudaLaunchKernel #7
    S8 2000-52000    kernel a #1 flag=nonblocking
    S9 4000-84000    kernel b #3 flag=nonblocking
    S10 85000-285000 kernel c #7 flag=nonblocking)");
  Answers answers;
  const Schedule replay = Simulate(g.graph(), {}, &answers);
  const PerTask<DurationNs> slack =
      FindSlack(g.graph(), replay, answers, GpuSpanOf(g.graph(), replay).end);
  CHECK(slack[g.Task("op 3")] == 0);
  CHECK(slack[g.Task("op 1")] == replay.finish[g.Task("op 3")] - replay.finish[g.Task("op 1")]);
}

TEST_CASE("a thread that waits for another one is not at work") {
  const GraphOf g(R"(
    T1 0-1000         api cudaLaunchKernel #1
    S7 2000-100000    kernel a #1
    T2 3000-4000      api cudaLaunchKernel #2
    S7 101000-200000  kernel b #2
    T2 5000-6000      api cudaStreamIsCapturing #3
    T2 90000-91000    api cudaLaunchKernel #4
    S7 201000-300000  kernel c #4
    T1 92000-93000    api cudaLaunchKernel #5
    S7 301000-400000  kernel d #5)");
  REQUIRE(g.Edges(Rule::kThreadHandoff).find("call 4 -> call 5") != std::string::npos);
  const Overlap overlap = MeasureOverlap(g.graph(), {{2000, 400000}});
  // The second thread works from 3000 to 91000; the first wakes up then.
  CHECK(overlap.both <= 91000);
  CHECK(overlap.device_only >= 400000 - 93000 - 3 * 1000);
}

TEST_CASE("where all operations take no time, nothing overlaps") {
  const GraphOf g(R"(
    T1 0-1000     api cudaLaunchKernel #1
    S7 5000-5000  kernel a #1
    T1 1000-2000  api cudaLaunchKernel #2
    S7 5000-5000  kernel b #2)");
  const PathAnalysis a = Analyze(g);
  CHECK(a.overlap.both + a.overlap.host_only + a.overlap.device_only == 0);
}

TEST_CASE("figures of a part are about what begins in it") {
  const GraphOf g(kTwoLayers);
  const Unit unit = SpanUnit(g.graph(), {0, 100000});
  CHECK(unit.time == TimeRange{6000, 160000});
  const GraphAssessment part = Assess(g.graph(), {}, 0, {0, 100000});
  CHECK(part.host_tasks == 3);
  CHECK(part.device_tasks == 2);
  CHECK(part.replay.measured == 154000);
  CHECK(part.idle.total() == 1000);
  const GraphAssessment whole = Assess(g.graph(), {});
  CHECK(whole.device_tasks == 3);
  CHECK(whole.replay.measured == 204000);
}

}  // namespace
}  // namespace xsp
