#include "tests/support/diff_rates.h"

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "diff/comparison.h"
#include "diff/matching/grouped.h"
#include "diff/runs/measure.h"
#include "graph/builder.h"
#include "hierarchy/hierarchy.h"

namespace xsp::test {
namespace {

Run Measured(const NoisyRun& run) {
  const Trace trace = MakeNoisyRun(run);
  const Hierarchy hierarchy(trace);
  const TaskGraph graph = BuildGraph(trace, hierarchy);
  return MeasureRun(graph, hierarchy, "run", {});
}

Side SideOf(const NoisyRun& run) {
  std::vector<Run> runs;
  runs.push_back(Measured(run));
  return Side(std::move(runs));
}

Side SideOf(const RepeatedRuns& repeated, double growth, std::mt19937_64& random) {
  std::normal_distribution<double> chance(0, repeated.run_sigma);
  std::vector<Run> runs;
  NoisyRun run = repeated.run;
  for (std::uint32_t i = 0; i < repeated.runs; ++i) {
    run.seed = random();
    run.slower = (1 + growth) * (1 + chance(random)) - 1;
    runs.push_back(Measured(run));
  }
  return Side(std::move(runs));
}

}  // namespace

DiffRates RatesOf(std::uint32_t pairs, NoisyRun base, NoisyRun now, double drift) {
  std::mt19937_64 random(now.seed);
  std::uniform_real_distribution<double> slope(-drift, drift);
  DiffRates rates;
  for (std::uint32_t i = 0; i < pairs; ++i) {
    base.seed = random();
    now.seed = random();
    base.drift = slope(random);
    now.drift = slope(random);
    const Side before = SideOf(base);
    const Side after = SideOf(now);
    const Comparison c = Compare(before, after, {});
    rates.regression += c.verdict == Verdict::kRegression;
    rates.improvement += c.verdict == Verdict::kImprovement;
    rates.cannot_tell += c.verdict == Verdict::kCannotTell;
    rates.matched += c.kernels.added + c.kernels.removed == 0;
    const std::vector<ContributionGroup> groups = GroupContributions(c);
    const std::string layer = "layer " + std::to_string(now.slow_layer.value_or(0));
    rates.placed += c.verdict == Verdict::kRegression && !groups.empty() &&
                    groups.front().where.ends_with(layer);
  }
  for (double* rate :
       {&rates.regression, &rates.improvement, &rates.cannot_tell, &rates.placed, &rates.matched}) {
    *rate /= pairs;
  }
  return rates;
}

GateRates GateRatesOf(std::uint32_t pairs, const RepeatedRuns& repeated, std::string_view limit) {
  std::mt19937_64 random(repeated.run.seed);
  CompareOptions options;
  options.gates = {ParseGate(limit)};
  GateRates rates;
  for (std::uint32_t i = 0; i < pairs; ++i) {
    const Side before = SideOf(repeated, 0, random);
    const Side after = SideOf(repeated, repeated.growth, random);
    const Comparison c = Compare(before, after, options);
    const GateResult& gate = c.gates.front();
    rates.fails += gate.state == GateState::kFails;
    rates.undecided += gate.state == GateState::kUndecided;
    rates.holds_above += gate.state == GateState::kHolds && *gate.value > gate.gate.limit;
  }
  return rates;
}

}  // namespace xsp::test
