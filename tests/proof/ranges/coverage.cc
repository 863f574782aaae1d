#include "tests/proof/ranges/coverage.h"

#include <stdexcept>

#include "graph/builder.h"
#include "tests/proof/prove.h"
#include "tests/proof/whatif_case.h"

namespace xsp::proof {
namespace {

// A program that ran, and all that forecasts of it need.
struct Bench {
  explicit Bench(const samples::Scenario& scenario)
      : trace(RunAndImport(scenario)),
        hierarchy(trace),
        graph(BuildGraph(trace, hierarchy)),
        unit(ChooseUnit(graph, hierarchy.steps())),
        workbench(graph, hierarchy, unit) {
    if (!unit.is_step) throw std::runtime_error("no steps");
  }

  const Trace trace;
  const Hierarchy hierarchy;
  const TaskGraph graph;
  const Unit unit;
  const Workbench workbench;
};

}  // namespace

double RangeResult::Error() const {
  return static_cast<double>(forecast.forecast) / static_cast<double>(truth) - 1;
}

double RangeResult::HalfWidth() const {
  return static_cast<double>(forecast.slow - forecast.fast) / 2 /
         static_cast<double>(forecast.forecast);
}

RangeSort SortOf(std::uint8_t evidence) {
  if ((evidence & kInserted) != 0) return RangeSort::kInserted;
  return (evidence & kScaling) != 0 ? RangeSort::kScaling : RangeSort::kStructural;
}

std::vector<RangeResult> RunProgram(const Structure& structure, std::uint64_t seed) {
  Random random(seed);
  RandomProgram program = structure.draw(random);
  DrawMachine(program.scenario, random);
  const Bench bench(program.scenario);
  std::vector<RangeResult> results;
  for (const RandomEdit& edit : DrawEdits(program, random)) {
    RangeResult result{
        structure.name, edit.name, edit.evidence, bench.workbench.trust().level, {}, 0};
    const WhatIf whatif = AsWhatIf(edit);
    const ChosenWhatIf chosen{&whatif, {}};
    result.forecast = bench.workbench.Run({&chosen, 1});
    samples::Scenario after = program.scenario;
    edit.change_program(after);
    DrawRun(after, random);
    result.truth = TrueStep(RunAndImport(after));
    results.push_back(std::move(result));
  }
  return results;
}

std::vector<RangeResult> RunNamed(std::uint64_t seed) {
  std::vector<RangeResult> results;
  Random random(seed);
  for (const WhatIfCase& proof : AllWhatIfCases()) {
    samples::Scenario before = proof.before(), after = proof.after();
    Random machine(random.Bits());
    Random same = machine;
    DrawMachine(before, machine);
    DrawMachine(after, same);
    DrawRun(after, random);
    RangeResult result{proof.program,
                       proof.options,
                       0,
                       TrustLevel::kHigh,
                       ForecastOf(std::move(before), proof.options),
                       0};
    result.evidence = result.forecast.evidence;
    result.truth = TrueStep(RunAndImport(after));
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace xsp::proof
