// One phase of the graph benchmark in one process, on a stored trace:
//   graph_bench graph|leverage|edit|whatif FOLDER.xsp
// graph prints: seconds to build, seconds to replay, tasks, bytes of the graph, bytes of a
// schedule. leverage prints: seconds, groups. edit prints: seconds to edit the whole graph (a
// launch put in behind every tenth, every tenth other call removed), to simulate what comes of it,
// tasks; then the same of three steps. whatif prints: seconds to build the graph, and with the
// graph there, of mixed precision, of all advice, and of 200 values of one option.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/builder.h"
#include "graph/simulation/scheduler.h"
#include "graph/unit/slice.h"
#include "graph/unit/unit.h"
#include "graph/unit/unit_bench.h"
#include "hierarchy/hierarchy.h"
#include "sim/diagnosis/advise.h"
#include "sim/diagnosis/leverage.h"
#include "sim/edit/edit.h"
#include "sim/forecast.h"
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

// Puts a kernel with its launch behind every tenth launch, and removes every tenth other call.
void EditSome(xsp::GraphEdit& edit) {
  const xsp::TaskGraph& graph = edit.graph();
  std::uint32_t launches = 0;
  std::uint32_t others = 0;
  for (xsp::TaskId call : graph.host_tasks()) {
    const xsp::TaskRange ops = graph.OpsOf(call);
    if (ops.empty()) {
      if (++others % 10 == 0) edit.RemoveCall(call);
    } else if (++launches % 10 == 0) {
      const xsp::TaskId launch = edit.InsertAfter(call, {"cudaLaunchKernel", 5'000, 1'000, {}});
      edit.Issue(launch, {"cast", 10'000, graph.lane[ops.front()]});
    }
  }
}

void BenchOneEdit(const xsp::TaskGraph& graph) {
  auto begin = Clock::now();
  xsp::GraphEdit edit(graph);
  EditSome(edit);
  const xsp::EditedGraph edited = edit.Build();
  const double built = Since(begin);
  begin = Clock::now();
  const xsp::Schedule schedule = edited.Simulate();
  std::printf("%.6f %.6f %u\n", built, Since(begin), edited.graph().task_count());
}

void BenchEdit(const xsp::Trace& trace) {
  const xsp::Hierarchy hierarchy(trace);
  const xsp::TaskGraph graph = xsp::BuildGraph(trace, hierarchy);
  BenchOneEdit(graph);
  const xsp::Unit unit = xsp::ChooseUnit(graph, hierarchy.steps());
  if (!unit.is_step) return;
  BenchOneEdit(xsp::UnitBench(graph, hierarchy.steps(), unit).graph());
}

void RunOne(const xsp::Workbench& bench, std::string_view name, const std::string& values) {
  const xsp::WhatIf* whatif = xsp::FindWhatIf(name);
  const xsp::ChosenWhatIf chosen{whatif, xsp::WhatIfValues(whatif->name, whatif->options, values)};
  bench.Run({&chosen, 1});
}

void BenchWhatIf(const xsp::Trace& trace) {
  const xsp::Hierarchy hierarchy(trace);
  auto begin = Clock::now();
  const xsp::TaskGraph graph = xsp::BuildGraph(trace, hierarchy);
  const double built = Since(begin);
  begin = Clock::now();
  const xsp::Workbench bench(graph, hierarchy, xsp::ChooseUnit(graph, hierarchy.steps()));
  RunOne(bench, "amp", "");
  const double one = Since(begin);
  begin = Clock::now();
  xsp::Advise(bench);
  const double advised = Since(begin);
  begin = Clock::now();
  for (int i = 0; i < 200; ++i) {
    RunOne(bench, "faster", "name=*gemm*,by=" + std::to_string(1 + 0.05 * i));
  }
  std::printf("%.6f %.6f %.6f %.6f\n", built, one, advised, Since(begin));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const xsp::Trace trace = xsp::LoadStoredTrace(argv[2]);
  if (std::string_view(argv[1]) == "graph") {
    BenchGraph(trace);
  } else if (std::string_view(argv[1]) == "edit") {
    BenchEdit(trace);
  } else if (std::string_view(argv[1]) == "whatif") {
    BenchWhatIf(trace);
  } else {
    BenchLeverage(trace);
  }
}
