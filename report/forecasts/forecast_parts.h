#pragma once

#include <string>
#include <vector>

#include "report/tables/facts.h"
#include "report/tables/table.h"
#include "sim/forecast.h"

// Pieces of reports on forecasts.
namespace xsp {

std::string TitleOf(const Forecast& forecast);  // "Automatic mixed precision (--amp=fp16)".
std::string SpeedupWords(double speedup);       // "1.41× faster", "1.12× slower", "the same".
std::string SignedPercent(double share);        // "+1.2 %".
// What most of the unit waits for: "GPU compute".
std::string LimitWords(const std::vector<Limit>& limits);

// What a forecast rests on, for people: "measured work at another speed; a model of new work".
std::string BasisWords(std::uint8_t evidence);

Table ChangesTable(const Forecast& forecast);
Table WaitsTable(const Forecast& forecast, bool is_step);
// The critical path before and after, by kind and name: what the table of waits sums up.
Table LimitsTable(const Forecast& forecast);
// Evidence, assumptions, cautions, what would make it surer, what to try next.
Table NotesTable(const Workbench& workbench, const Forecast& forecast);

// The fields that scripts are promised, without "changes".
Facts ForecastFields(const Forecast& forecast, const Unit& unit);

}  // namespace xsp
