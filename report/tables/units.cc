#include "report/tables/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace xsp {
namespace {

constexpr std::array<std::string_view, 5> kByteUnits = {"B", "KiB", "MiB", "GiB", "TiB"};

double BytesPer(ByteUnit unit) { return std::ldexp(1.0, 10 * static_cast<int>(unit)); }

struct CivilDate {
  std::int64_t year;
  unsigned month, day;
};

// The date `days` after 1970-01-01. Years are counted from March, so that the leap day comes last.
CivilDate DateOf(std::int64_t days) {
  constexpr std::int64_t kDaysPerEra = 146'097;    // 400 years.
  constexpr std::int64_t kDaysToMarch0 = 719'468;  // 0000-03-01 to 1970-01-01.
  const std::int64_t shifted = days + kDaysToMarch0;
  const std::int64_t era = (shifted >= 0 ? shifted : shifted - (kDaysPerEra - 1)) / kDaysPerEra;
  const std::int64_t day_of_era = shifted - era * kDaysPerEra;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1'460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const std::int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t march_month = (5 * day_of_year + 2) / 153;
  const auto day = static_cast<unsigned>(day_of_year - (153 * march_month + 2) / 5 + 1);
  const auto month = static_cast<unsigned>(march_month < 10 ? march_month + 3 : march_month - 9);
  return {year_of_era + era * 400 + (month <= 2 ? 1 : 0), month, day};
}

// Thousands before the decimal point set apart: "1,234,567.5".
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

double ShareOf(DurationNs part, DurationNs whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

std::string FormatUtc(std::int64_t utc_ns) {
  constexpr std::int64_t kSecondsPerDay = 86'400;
  std::int64_t seconds = utc_ns / 1'000'000'000;
  if (utc_ns % 1'000'000'000 < 0) --seconds;
  std::int64_t days = seconds / kSecondsPerDay;
  if (seconds % kSecondsPerDay < 0) --days;
  const std::int64_t of_day = seconds - days * kSecondsPerDay;
  const CivilDate date = DateOf(days);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02} UTC", date.year, date.month, date.day,
                     of_day / 3600, of_day / 60 % 60, of_day % 60);
}

}  // namespace xsp
