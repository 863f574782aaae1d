// How far the verdicts of comparisons can be trusted, and how fast they come.
//
//   diff_bench rates [PAIRS]     false alarms, and what is found, in generated pairs of runs
//   diff_bench gates [PAIRS]     how limits fare on several runs a side
//   diff_bench time BASE NEW     seconds to build and measure both stored traces, and to compare
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <future>

#include "diff/comparison.h"
#include "diff/runs/measure.h"
#include "graph/builder.h"
#include "hierarchy/hierarchy.h"
#include "store/stored_trace.h"
#include "tests/support/diff_rates.h"

namespace xsp {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

Run Measured(const Trace& trace) {
  const Hierarchy hierarchy(trace);
  const TaskGraph graph = BuildGraph(trace, hierarchy);
  return MeasureRun(graph, hierarchy, "run", {});
}

Side SideOf(Run run) {
  std::vector<Run> runs;
  runs.push_back(std::move(run));
  return Side(std::move(runs));
}

void PrintNull(std::uint32_t pairs) {
  std::printf("Nothing changed: %u pairs each, drift of up to 5 %% within each run\n\n", pairs);
  std::printf(
      "| steps | sigma | called a regression | an improvement | cannot tell |\n"
      "|--:|--:|--:|--:|--:|\n");
  for (std::uint32_t steps : {5u, 20u, 40u, 100u}) {
    for (double sigma : {0.01, 0.02, 0.05}) {
      test::NoisyRun run;
      run.steps = steps;
      run.sigma = sigma;
      run.seed = 1000 * steps + static_cast<std::uint64_t>(1e4 * sigma);
      const test::DiffRates rates = test::RatesOf(pairs, run, run, 0.05);
      std::printf("| %u | %.0f %% | %.1f %% | %.1f %% | %.1f %% |\n", steps, 100 * sigma,
                  100 * rates.regression, 100 * rates.improvement, 100 * rates.cannot_tell);
      std::fflush(stdout);
    }
  }
}

void PrintPower(std::uint32_t pairs) {
  std::printf(
      "\nOne kernel of one layer made slower, another one renamed: %u pairs each, drift of "
      "up to 1 %%\n\n",
      pairs);
  std::printf(
      "| steps | sigma | step grows by | found | in the right layer | all kernels matched "
      "|\n|--:|--:|--:|--:|--:|--:|\n");
  for (std::uint32_t steps : {20u, 40u}) {
    for (double sigma : {0.005, 0.01, 0.02, 0.05}) {
      for (double growth : {0.01, 0.02, 0.03, 0.05}) {
        test::NoisyRun base;
        base.steps = steps;
        base.sigma = sigma;
        test::NoisyRun now = base;
        now.slow_layer = 5;
        now.growth = growth;
        now.renamed = true;
        now.seed = 77 * steps + static_cast<std::uint64_t>(1e5 * sigma + 1e4 * growth);
        const test::DiffRates rates = test::RatesOf(pairs, base, now, 0.01);
        std::printf("| %u | %.1f %% | +%.0f %% | %.1f %% | %.1f %% | %.1f %% |\n", steps,
                    100 * sigma, 100 * growth, 100 * rates.regression, 100 * rates.placed,
                    100 * rates.matched);
        std::fflush(stdout);
      }
    }
  }
}

void PrintGates(std::uint32_t pairs) {
  std::printf(
      "\nThree runs of 20 steps a side that differ by 1 %% among each other: %u pairs each\n\n"
      "| the step grows by | limit | fails | undecided |\n|--:|--:|--:|--:|\n",
      pairs);
  for (double growth : {0.0, 0.02, 0.05}) {
    for (const char* limit : {"step > 2%", "step > 3%", "step > 5%"}) {
      test::RepeatedRuns runs;
      runs.growth = growth;
      runs.run.seed = 5000 + static_cast<std::uint64_t>(1e4 * growth);
      const test::GateRates rates = test::GateRatesOf(pairs, runs, limit);
      std::printf("| +%.0f %% | %s | %u | %u |\n", 100 * growth, limit + 7, rates.fails,
                  rates.undecided);
      std::fflush(stdout);
    }
  }
}

// Both sides at once, as the command does; then the comparison alone.
void PrintTimes(const char* base_path, const char* now_path) {
  const Clock::time_point begin = Clock::now();
  const Trace base_trace = LoadStoredTrace(base_path);
  std::future<Run> base_run = std::async(std::launch::async, [&] { return Measured(base_trace); });
  const Trace now_trace = LoadStoredTrace(now_path);
  Run now_run = Measured(now_trace);
  const Side base = SideOf(base_run.get());
  const Side now = SideOf(std::move(now_run));
  const double measured = SecondsSince(begin);
  const Clock::time_point compared = Clock::now();
  const Comparison c = Compare(base, now, {});
  const double comparing = SecondsSince(compared);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("%.3f %.3f %zu %zu %ld\n", measured, comparing, c.matching.pairs.size(),
              c.contributions.size(), usage.ru_maxrss * 1024);
}

}  // namespace
}  // namespace xsp

int main(int argc, char** argv) {
  if (argc >= 2 && std::strcmp(argv[1], "rates") == 0) {
    const auto pairs = static_cast<std::uint32_t>(argc > 2 ? std::atoi(argv[2]) : 200);
    xsp::PrintNull(pairs);
    xsp::PrintPower(pairs);
    xsp::PrintGates(pairs);
    return 0;
  }
  if (argc >= 2 && std::strcmp(argv[1], "gates") == 0) {
    xsp::PrintGates(static_cast<std::uint32_t>(argc > 2 ? std::atoi(argv[2]) : 200));
    return 0;
  }
  if (argc == 4 && std::strcmp(argv[1], "time") == 0) {
    xsp::PrintTimes(argv[2], argv[3]);
    return 0;
  }
  std::fprintf(stderr, "usage: diff_bench rates [PAIRS] | gates [PAIRS] | time BASE.xsp NEW.xsp\n");
  return 2;
}
