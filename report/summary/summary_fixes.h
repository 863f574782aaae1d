#pragma once

#include <string>

#include "report/tables/report.h"
#include "sim/diagnosis/summary.h"

namespace xsp {

// What to change, right below the verdict: a line for each fix, what is not worth it in one line;
// or why there is none. Then sentences: how far ahead, how even, how sure, and what is to be said
// of the steps.
void AddFixes(const Summary& summary, const std::string& steps, bool has_tokens, Report& report);

// Whether the sentences say what to record, so that nobody has to say so again.
bool SaysHowToRecord(const Summary& summary);

// For scripts. `trace`: the file as a shell wants it.
Json FixesToJson(const Fixes& fixes, const std::string& trace);
Json NotWorthToJson(const Fixes& fixes);

}  // namespace xsp
