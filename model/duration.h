#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/time.h"

// Durations as people write and read them. Columns of tables: report/tables/units.h.
namespace xsp {

enum class TimeUnit : std::uint8_t { kNs, kUs, kMs, kS };

std::string_view NameOf(TimeUnit unit);  // "ns", "us", "ms", "s".
std::optional<TimeUnit> TimeUnitFromName(std::string_view name);
std::int64_t NanosecondsPer(TimeUnit unit);

// The largest unit in which `longest` is at least 1.
TimeUnit FittingTimeUnit(DurationNs longest);

// How many decimals keep values up to `largest` readable: 3 below 10, 2 below 100, 1 above.
int FittingDecimals(double largest);

// With the unit that suits it, for a sentence: "1.234 s".
std::string FormatDuration(DurationNs duration);

// A duration such as "1.5ms" or "2 s". `default_unit` applies to a bare number; without one a bare
// number is no duration. Empty if the text is none, or beyond 64-bit nanoseconds.
std::optional<DurationNs> ParseDuration(std::string_view text,
                                        std::optional<TimeUnit> default_unit = std::nullopt);

// 0 of nothing.
constexpr double ShareOf(DurationNs part, DurationNs whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

}  // namespace xsp
