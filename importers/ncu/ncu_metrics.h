#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "model/kernel_counters.h"

namespace xsp {

// Whether xsp has a use for a metric of Nsight Compute.
bool IsKnownNcuMetric(std::string_view metric);

// Adds one metric's value to a launch. `unit` is Nsight Compute's ("Mbyte", "%", "inst"). False
// where the unit is none that belongs to the metric.
bool AddNcuMetric(std::string_view metric, std::string_view unit, double value,
                  KernelCounters& counters);

// "1,234.5" and "1234.5"; nothing for "n/a" and for what is no number.
std::optional<double> NcuNumber(std::string_view text);

// "(128, 1, 1)"; nothing for other text.
std::optional<std::array<std::uint32_t, 3>> NcuShape(std::string_view text);

// Launch shapes also come as metrics, a number for each direction. False for other metrics.
bool AddNcuShape(std::string_view metric, double value, KernelCounters& counters);

}  // namespace xsp
