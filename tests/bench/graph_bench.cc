// One phase of the graph benchmark in one process, on a stored trace:
//   graph_bench graph|leverage FOLDER.xsp
// graph prints: seconds to build, seconds to replay, tasks, bytes of the graph, bytes of a
// schedule. leverage prints: seconds, groups.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/builder.h"
#include "graph/leverage.h"
#include "graph/scheduler.h"
#include "hierarchy/hierarchy.h"
#include "store/stored_trace.h"

namespace {

using Clock = std::chrono::steady_clock;

double Since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// What the process holds now, and the most it ever held.
std::int64_t BytesNow() {
  std::int64_t pages = 0;
  std::int64_t resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

std::int64_t BytesAtMost() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{usage.ru_maxrss} * 1024;
}

void BenchGraph(const xsp::Trace& trace) {
  const xsp::Hierarchy hierarchy(trace);
  const std::int64_t before = BytesNow();
  auto begin = Clock::now();
  const xsp::TaskGraph graph = xsp::BuildGraph(trace, hierarchy);
  const double built = Since(begin);
  begin = Clock::now();
  const xsp::Schedule schedule = xsp::Simulate(graph);
  const double replayed = Since(begin);
  std::printf("%.6f %.6f %u %lld\n", built, replayed, graph.task_count(),
              static_cast<long long>(BytesAtMost() - before));
}

// Halves groups, the largest first, until there are as many as a real model would have.
void SplitUntil(std::size_t count, std::vector<xsp::TaskGroup>& groups) {
  auto smaller = [](const xsp::TaskGroup& a, const xsp::TaskGroup& b) {
    return a.tasks.size() < b.tasks.size();
  };
  while (groups.size() < count) {
    xsp::TaskGroup& largest = *std::max_element(groups.begin(), groups.end(), smaller);
    const auto half = static_cast<std::ptrdiff_t>(largest.tasks.size() / 2);
    xsp::TaskGroup other = largest;
    other.tasks.erase(other.tasks.begin(), other.tasks.begin() + half);
    largest.tasks.resize(static_cast<std::size_t>(half));
    groups.push_back(std::move(other));
  }
}

void BenchLeverage(const xsp::Trace& trace) {
  const xsp::Hierarchy hierarchy(trace);
  const xsp::TaskGraph graph = xsp::BuildGraph(trace, hierarchy);
  const auto begin = Clock::now();
  std::vector<xsp::TaskGroup> groups = xsp::LeverageGroups(graph, 100);
  SplitUntil(500, groups);
  xsp::MeasureLeverage(graph, hierarchy.steps(), xsp::ChooseUnit(graph, hierarchy.steps()), groups);
  std::printf("%.6f %zu\n", Since(begin), groups.size());
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
