#pragma once

#include "report/tables/report.h"
#include "sim/models/throughput.h"

namespace xsp {

// Tokens per second, MFU, HFU and money: a section and the JSON key "throughput".
void AddThroughput(const Throughput& throughput, Report& report);

}  // namespace xsp
