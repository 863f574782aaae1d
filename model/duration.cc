#include "model/duration.h"

#include <array>
#include <charconv>
#include <cmath>

#include "base/quantity.h"

namespace xsp {
namespace {

struct TimeUnitFacts {
  std::string_view name;
  std::int64_t nanoseconds;
};
constexpr std::array<TimeUnitFacts, 4> kTimeUnits = {
    {{"ns", 1}, {"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}}};

}  // namespace

std::string_view NameOf(TimeUnit unit) { return kTimeUnits[static_cast<std::size_t>(unit)].name; }

std::optional<TimeUnit> TimeUnitFromName(std::string_view name) {
  for (std::size_t i = 0; i < kTimeUnits.size(); ++i) {
    if (kTimeUnits[i].name == name) return static_cast<TimeUnit>(i);
  }
  return std::nullopt;
}

std::int64_t NanosecondsPer(TimeUnit unit) {
  return kTimeUnits[static_cast<std::size_t>(unit)].nanoseconds;
}

TimeUnit FittingTimeUnit(DurationNs longest) {
  const double size = std::abs(static_cast<double>(longest));
  for (TimeUnit unit : {TimeUnit::kS, TimeUnit::kMs, TimeUnit::kUs}) {
    if (size >= static_cast<double>(NanosecondsPer(unit))) return unit;
  }
  return TimeUnit::kNs;
}

int FittingDecimals(double largest) {
  const double size = std::abs(largest);
  return size < 10 ? 3 : size < 100 ? 2 : 1;
}

std::string FormatDuration(DurationNs duration) {
  const TimeUnit unit = FittingTimeUnit(duration);
  const double value = static_cast<double>(duration) / static_cast<double>(NanosecondsPer(unit));
  const int decimals = unit == TimeUnit::kNs ? 0 : FittingDecimals(value);
  std::array<char, 32> digits;  // 64 bits of nanoseconds are ten digits of seconds.
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value,
                                 std::chars_format::fixed, decimals);
  return std::string(digits.data(), end.ptr) + " " + std::string(NameOf(unit));
}

std::optional<DurationNs> ParseDuration(std::string_view text,
                                        std::optional<TimeUnit> default_unit) {
  const Quantity read = ReadQuantity(text);
  double ns = read.value;
  if (read.Is(Dimension::kCount) && read.unit.empty() && default_unit) {
    ns *= static_cast<double>(NanosecondsPer(*default_unit));
  } else if (!read.Is(Dimension::kTime)) {
    return std::nullopt;
  }
  if (std::abs(ns) > 9.2e18) return std::nullopt;
  return static_cast<DurationNs>(std::llround(ns));
}

}  // namespace xsp
