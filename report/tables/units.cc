#include "report/tables/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/dates.h"

namespace xsp {
namespace {

constexpr std::array<std::string_view, 5> kByteUnits = {"B", "KiB", "MiB", "GiB", "TiB"};

double BytesPer(ByteUnit unit) { return std::ldexp(1.0, 10 * static_cast<int>(unit)); }

// Thousands before the decimal point are set apart: "1,234,567.5".
std::string Grouped(std::string digits) {
  const std::size_t first = digits.front() == '-' ? 1 : 0;
  for (std::size_t at = std::min(digits.find('.'), digits.size()); at > first + 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

}  // namespace

std::string FormatIn(DurationNs duration, TimeUnit unit, int decimals) {
  if (unit == TimeUnit::kNs) return FormatCount(duration);
  return FormatNumber(static_cast<double>(duration) / static_cast<double>(NanosecondsPer(unit)),
                      decimals);
}

std::string_view NameOf(ByteUnit unit) { return kByteUnits[static_cast<std::size_t>(unit)]; }

ByteUnit FittingByteUnit(double largest) {
  for (ByteUnit unit : {ByteUnit::kTiB, ByteUnit::kGiB, ByteUnit::kMiB, ByteUnit::kKiB}) {
    if (std::abs(largest) >= BytesPer(unit)) return unit;
  }
  return ByteUnit::kB;
}

std::string FormatIn(double bytes, ByteUnit unit, int decimals) {
  return FormatNumber(bytes / BytesPer(unit), unit == ByteUnit::kB ? 0 : decimals);
}

std::string FormatBytes(std::uint64_t bytes) {
  const auto value = static_cast<double>(bytes);
  const ByteUnit unit = FittingByteUnit(value);
  return FormatIn(value, unit, value / BytesPer(unit) < 100 ? 2 : 1) + " " +
         std::string(NameOf(unit));
}

std::string FormatBandwidth(std::uint64_t bytes_per_s) {
  return FormatNumber(static_cast<double>(bytes_per_s) / 1e9, 1) + " GB/s";
}

std::string FormatCount(std::int64_t count) { return Grouped(std::to_string(count)); }

std::string FormatNumber(double v, int decimals) {
  if (!std::isfinite(v)) return "-";
  std::string text = fmt::format("{:.{}f}", v, decimals);
  const bool is_zero = text.find_first_not_of("-0.") == std::string::npos;
  if (is_zero && text.front() == '-') text.erase(0, 1);
  return text;
}

std::string FormatLargeNumber(double v, int decimals) { return Grouped(FormatNumber(v, decimals)); }

std::string FormatPercent(double share) { return FormatNumber(100 * share, 1) + " %"; }

std::string FormatUtc(std::int64_t utc_ns) {
  std::int64_t seconds = utc_ns / 1'000'000'000;
  if (utc_ns % 1'000'000'000 < 0) --seconds;
  const UtcTime utc = UtcOf(seconds);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02} UTC", utc.year, utc.month, utc.day,
                     utc.hour, utc.minute, utc.second);
}

}  // namespace xsp
