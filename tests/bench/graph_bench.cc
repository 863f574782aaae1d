// One phase of the graph benchmark in one process, on a stored trace:
//   graph_bench graph|leverage FOLDER.xsp
// graph prints: seconds to build, seconds to replay, tasks, bytes of the graph, bytes of a
// schedule. leverage prints: seconds, groups.
#include <chrono>
#include <cstdio>
#include <string_view>

#include "graph/builder.h"
#include "graph/leverage.h"
#include "graph/scheduler.h"
#include "hierarchy/steps.h"
#include "store/stored_trace.h"

namespace {

using Clock = std::chrono::steady_clock;

double Since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

void BenchGraph(const xsp::Trace& trace) {
  auto begin = Clock::now();
  const xsp::TaskGraph graph = xsp::BuildGraph(trace);
  const double built = Since(begin);
  begin = Clock::now();
  const xsp::Schedule schedule = xsp::Simulate(graph);
  const double replayed = Since(begin);
  std::printf("%.6f %.6f %u\n", built, replayed, graph.task_count());
}

void BenchLeverage(const xsp::Trace& trace) {
  const xsp::TaskGraph graph = xsp::BuildGraph(trace);
  const xsp::Steps steps = xsp::FindSteps(trace);
  const auto begin = Clock::now();
  const std::vector<xsp::TaskGroup> groups = xsp::LeverageGroups(graph, 100);
  const double grouped = Since(begin);
  xsp::MeasureLeverage(graph, steps, groups);
  std::printf("%.6f %zu %.6f\n", Since(begin), groups.size(), grouped);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const xsp::Trace trace = xsp::LoadStoredTrace(argv[2]);
  if (std::string_view(argv[1]) == "graph") {
    BenchGraph(trace);
  } else {
    BenchLeverage(trace);
  }
}
