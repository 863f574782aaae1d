#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/time.h"

// Numbers for people. A column shows all its values in one unit, so choosing the unit and writing a
// value in it are two functions.
namespace xsp {

enum class TimeUnit : std::uint8_t { kNs, kUs, kMs, kS };

std::string_view NameOf(TimeUnit unit);  // "ns", "us", "ms", "s".
std::optional<TimeUnit> TimeUnitFromName(std::string_view name);
std::int64_t NanosecondsPer(TimeUnit unit);

// The largest unit in which `longest` is at least 1.
TimeUnit FittingTimeUnit(DurationNs longest);

// How many decimals keep values up to `largest` readable: 3 below 10, 2 below 100, 1 above.
int FittingDecimals(double largest);

// Without its unit, for a column: "1234.5". Nanoseconds have no decimals.
std::string FormatIn(DurationNs duration, TimeUnit unit, int decimals);
// With the unit that suits it, for a sentence: "1.234 s".
std::string FormatDuration(DurationNs duration);

enum class ByteUnit : std::uint8_t { kB, kKiB, kMiB, kGiB, kTiB };

std::string_view NameOf(ByteUnit unit);
ByteUnit FittingByteUnit(double largest);
std::string FormatIn(double bytes, ByteUnit unit, int decimals);
std::string FormatBytes(std::uint64_t bytes);            // "1.50 GiB".
std::string FormatBandwidth(std::uint64_t bytes_per_s);  // "608.3 GB/s", decimal as vendors count.

std::string FormatCount(std::int64_t count);            // "1,234,567".
std::string FormatNumber(double v, int decimals);       // "-" for what is no number; never "-0.0".
std::string FormatLargeNumber(double v, int decimals);  // "1,234,567.8".
std::string FormatPercent(double share);                // 0.123 -> "12.3 %".

// 0 of nothing.
double ShareOf(DurationNs part, DurationNs whole);

// Nanoseconds since 1970 as "2025-11-03 14:05:09 UTC".
std::string FormatUtc(std::int64_t utc_ns);

// A duration such as "1.5ms" or "2 s". `default_unit` applies to a bare number; without one a bare
// number is no duration. Empty if the text is none, or beyond 64-bit nanoseconds.
std::optional<DurationNs> ParseDuration(std::string_view text,
                                        std::optional<TimeUnit> default_unit = std::nullopt);

}  // namespace xsp
