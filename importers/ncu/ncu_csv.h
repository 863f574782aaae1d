#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "model/kernel_counters.h"

namespace xsp {

// Reads what Nsight Compute prints with --csv, one entry per profiled launch, in the file's order.
// Both forms are known: a row per launch and a column per metric (--page raw), and a row per metric
// ("Metric Name", "Metric Unit", "Metric Value"). The profiler's own messages around the table are
// skipped. Launches without any metric that xsp knows are kept, with nothing known.
//
// Metrics: floating-point instructions per thread (a multiply-add counts twice), operations of
// tensor cores, nvprof's flop_count_*, bytes read from and written to device memory, achieved
// occupancy.
//
// Throws Error for a file that is no such table, is cut off, lacks the launch shape, or has none of
// the metrics.
std::vector<KernelCounters> ReadNcuCsv(const std::filesystem::path& file);

// The same from text; `where` names it in messages.
std::vector<KernelCounters> ParseNcuCsv(std::string_view text, const std::string& where);

}  // namespace xsp
