#pragma once

#include "report/tables/report.h"
#include "sim/diagnosis/advise.h"
#include "sim/models/throughput.h"

namespace xsp {

// Tokens per second, MFU, HFU and money: a section and the JSON key "throughput".
void AddThroughput(const Throughput& throughput, Report& report);
// What the changes of an advice would save, in money: a section, where a price was given.
void AddSavings(const Throughput& throughput, const AdviceReport& advice, Report& report);

}  // namespace xsp
