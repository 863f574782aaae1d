#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sample_traces/scenarios.h"
#include "sim/forecast.h"
#include "tests/proof/prove.h"

namespace xsp::proof {

// A generated program that really runs before and after a change, and the what-if that forecasts
// the change from the first run alone.
struct WhatIfCase {
  std::string name;     // Of the program and its change; names the test, too.
  std::string program;  // What it does, for the table.
  std::string options;  // As on the command line: "--amp=bf16 --no-sync".
  std::function<samples::Scenario()> before;
  std::function<samples::Scenario()> after;
};

// What a forecast of a named what-if may be off by, each and on average.
inline constexpr double kWhatIfBound = 0.03;
inline constexpr double kWhatIfMeanBound = 0.01;

// All cases, in the order of the table.
const std::vector<WhatIfCase>& AllWhatIfCases();

// The step of the run before, forecast by the what-ifs, against that of the run after, in
// which all noise is drawn anew. Throws where a what-if does not apply.
ProofResult ProveWhatIf(const WhatIfCase& proof);

// What the what-ifs say of the steady step of a program.
Forecast ForecastOf(samples::Scenario scenario, std::string_view options);

// The parts of it, a file each.
std::vector<WhatIfCase> KernelWhatIfs();
std::vector<WhatIfCase> FusionWhatIfs();
std::vector<WhatIfCase> GpuWhatIfs();
std::vector<WhatIfCase> WaitWhatIfs();
std::vector<WhatIfCase> TradeWhatIfs();

}  // namespace xsp::proof
