#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/duration.h"
#include "model/time.h"

// Numbers for people. A column shows all its values in one unit, so choosing the unit and writing a
// value in it are two functions. Durations in sentences: model/duration.h.
namespace xsp {

// Without its unit, for a column: "1234.5". Nanoseconds have no decimals.
std::string FormatIn(DurationNs duration, TimeUnit unit, int decimals);

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

// Nanoseconds since 1970 as "2025-11-03 14:05:09 UTC".
std::string FormatUtc(std::int64_t utc_ns);

}  // namespace xsp
