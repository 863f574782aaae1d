#include "tests/support/real_traces.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <string>

#include "graph/builder.h"
#include "graph/readings/critical_path.h"
#include "graph/readings/idle.h"
#include "graph/readings/replay.h"
#include "graph/readings/verify.h"
#include "importers/importer.h"
#include "tests/support/graph_checks.h"

namespace xsp {
namespace {

constexpr std::uint32_t kEnoughOps = 20;

TEST_CASE("real traces replay honestly, add up and have sound graphs") {
  const auto folder = test::RealTracesOrSkip();
  if (!folder) return;
  double sum = 0;
  int count = 0;
  int within_one_percent = 0;
  for (const auto& file : test::FilesBelow(*folder / "nsys", ".sqlite")) {
    const Trace trace = ImportFile(file);
    const Hierarchy hierarchy(trace);
    const TaskGraph graph = BuildGraph(trace, hierarchy);
    if (graph.op_count() < kEnoughOps) continue;
    INFO(file.filename().string());
    const Schedule replay = Simulate(graph);
    const ReplayError error = CompareReplay(graph, replay, {});
    // The largest is that of 62 operations in 5 ms with first calls of cuDNN among them.
    CHECK(std::abs(error.error) < 0.04);
    if (graph.op_count() > 100) CHECK(error.kernel_start_error > 0);
    CHECK(graph.constants.all().size() <= 80);
    Answers answers;
    const Schedule guided = SimulateGuided(graph, &answers);
    CHECK(Verify(graph, replay, answers).faults.empty());
    test::CheckEdges(graph);
    const SimSpan measured = MeasuredGpuSpan(graph);
    const IdleReport idle = FindIdle(graph, guided, {{measured.begin.ns, measured.end.ns}});
    CHECK(static_cast<double>(idle.explained()) >= 0.9 * static_cast<double>(idle.total()));
    const CriticalPath path = test::FindCriticalPath(graph, replay, GpuSpanOf(graph, replay));
    DurationNs length = 0;
    for (const PathSegment& segment : path.segments) length += segment.end - segment.begin;
    CHECK(length == error.simulated);
    sum += std::abs(error.error);
    within_one_percent += std::abs(error.error) <= 0.01 ? 1 : 0;
    ++count;
  }
  REQUIRE(count == 25);
  CHECK(sum / count <= 0.004);
  CHECK(within_one_percent >= 23);
}

TEST_CASE("with kernels halved, real traces shrink as their waits allow") {
  const auto folder = test::RealTracesOrSkip();
  if (!folder) return;
  // What an independent prototype found, in percent of the measured GPU span.
  const std::map<std::string, double> expected = {{"tomarriott", 53.2},
                                                  {"tile_8x8", 52.8},
                                                  {"jsun", 69.3},
                                                  {"cloverleaf", 57.4},
                                                  {"Tutorial__report4", 62.6},
                                                  {"Tutorial__report5", 81.0},
                                                  {"report_la_opt", 67.1},
                                                  {"lockfuehrer", 54.8},
                                                  {"quasiben", 81.1},
                                                  {"balinski", 97.9},
                                                  {"zx3xyy", 99.8},
                                                  {"LeiWang", 50.3},
                                                  {"mfu_2gpu_before", 68.1},
                                                  {"mfu_2gpu_after", 72.8}};
  for (const auto& file : test::FilesBelow(*folder / "nsys", ".sqlite")) {
    for (const auto& [part, share] : expected) {
      if (file.filename().string().find(part) == std::string::npos) continue;
      INFO(file.filename().string());
      const Trace trace = ImportFile(file);
      const Hierarchy hierarchy(trace);
      CHECK(100 * RunHalvingTest(BuildGraph(trace, hierarchy)).gpu_span_share ==
            Approx(share).margin(4));
    }
  }
}

}  // namespace
}  // namespace xsp
