#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/tables/report.h"
#include "sim/diagnosis/advise.h"
#include "sim/diagnosis/diagnosis.h"
#include "sim/diagnosis/validate.h"
#include "sim/forecast.h"

namespace xsp {

// What all reports on forecasts begin with.
struct ForecastHead {
  TraceSource source;
  std::string gpu;
  Window window;
  Diagnosis diagnosis;  // Of the unchanged unit.
};

// The same question for one kind of steps.
struct KindForecast {
  std::string kind;
  std::uint32_t count = 0;  // Steps of this kind in the trace.
  DurationNs time = 0;      // Of all of them.
  // Nothing where too few steps count to speak of one.
  std::optional<Forecast> forecast;
};

// `kinds`: where the trace has several kinds of steps and none was asked for, each of them, those
// that took most time first.
Report MakeWhatIfReport(const Workbench& workbench, const Forecast& forecast,
                        const ForecastHead& head, const std::vector<KindForecast>& kinds = {});

// One row per value that was swept: (value, forecast).
Report MakeSweepReport(const Workbench& workbench, const std::string& swept,
                       const std::vector<std::pair<std::string, Forecast>>& points,
                       const ForecastHead& head);

// All what-ifs, with what they rest on and need.
Report MakeWhatIfList();

Report MakeAdviceReport(const Workbench& workbench, const AdviceReport& advice,
                        const ForecastHead& head, const std::string& trace_argument);

// A pair of runs with the forecast from the first.
struct ValidatedPair {
  TraceSource before, after;
  std::string gpu;
  std::string whatif;  // As on the command line.
  CountedSteps before_steps, after_steps;
  Validation validation;
};
Report MakeValidationReport(const std::vector<ValidatedPair>& pairs, std::optional<double> limit);

}  // namespace xsp
