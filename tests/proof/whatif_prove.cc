#include <stdexcept>

#include "graph/builder.h"
#include "sim/forecast.h"
#include "tests/proof/whatif_case.h"

namespace xsp::proof {
namespace {

// "--amp=fp16 --no-sync", as on the command line.
std::vector<ChosenWhatIf> ReadOptions(std::string_view text) {
  std::vector<ChosenWhatIf> chosen;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    const std::size_t equals = std::min(word.find('='), word.size());
    const WhatIf* whatif = FindWhatIf(word.substr(2, equals - 2));
    if (whatif == nullptr) throw std::runtime_error("no what-if " + std::string(word));
    const std::string_view value = equals == word.size() ? "" : word.substr(equals + 1);
    chosen.push_back({whatif, WhatIfValues(whatif->name, whatif->options, value)});
  }
  return chosen;
}

double ErrorOf(DurationNs forecast, DurationNs truth) {
  return static_cast<double>(forecast) / static_cast<double>(truth) - 1;
}

}  // namespace

Forecast ForecastOf(samples::Scenario scenario, std::string_view options) {
  SetNoise(scenario, 1);
  const Trace before = RunAndImport(scenario);
  const Hierarchy hierarchy(before);
  const TaskGraph graph = BuildGraph(before, hierarchy);
  const Unit unit = ChooseUnit(graph, hierarchy.steps());
  if (!unit.is_step) throw std::runtime_error("no steps");
  const Workbench bench(graph, hierarchy, unit);
  Forecast forecast = bench.Run(ReadOptions(options));
  if (!forecast.reason.empty()) throw std::runtime_error(forecast.reason);
  return forecast;
}

ProofResult ProveWhatIf(const WhatIfCase& proof) {
  const Forecast forecast = ForecastOf(proof.before(), proof.options);
  samples::Scenario scenario = proof.after();
  SetNoise(scenario, 7);
  ProofResult result;
  result.before = forecast.measured;
  result.after = TrueStep(RunAndImport(scenario));
  result.forecast = forecast.forecast;
  result.naive = forecast.naive;
  result.replay_error = forecast.ReplayError();
  result.forecast_error = ErrorOf(result.forecast, result.after);
  result.naive_error = ErrorOf(result.naive, result.after);
  return result;
}

const std::vector<WhatIfCase>& AllWhatIfCases() {
  static const std::vector<WhatIfCase> cases = [] {
    std::vector<WhatIfCase> all = KernelWhatIfs();
    for (std::vector<WhatIfCase> more :
         {FusionWhatIfs(), GpuWhatIfs(), WaitWhatIfs(), TradeWhatIfs()}) {
      for (WhatIfCase& proof : more) all.push_back(std::move(proof));
    }
    return all;
  }();
  return cases;
}

}  // namespace xsp::proof
