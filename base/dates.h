#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "base/ascii.h"

namespace xsp {

// A moment by the calendar and the clock of UTC.
struct UtcTime {
  int year;
  unsigned month, day, hour, minute, second;
};

// The moment so many seconds after the begin of 1970.
inline UtcTime UtcOf(std::int64_t seconds) {
  const std::chrono::sys_seconds moment{std::chrono::seconds(seconds)};
  const auto midnight = std::chrono::floor<std::chrono::days>(moment);
  const std::chrono::year_month_day date(midnight);
  const auto of_day = static_cast<unsigned>((moment - midnight).count());
  return {static_cast<int>(date.year()),
          static_cast<unsigned>(date.month()),
          static_cast<unsigned>(date.day()),
          of_day / 3600,
          of_day / 60 % 60,
          of_day % 60};
}

// Whether a text is a day of the calendar, as 2026-02-28. Such texts are in order as texts.
constexpr bool IsDay(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  int number[3] = {};  // Year, month, day.
  for (std::size_t i = 0, part = 0; i < text.size(); ++i) {
    if (i == 4 || i == 7) {
      ++part;
    } else if (IsDigit(text[i])) {
      number[part] = number[part] * 10 + (text[i] - '0');
    } else {
      return false;
    }
  }
  return std::chrono::year_month_day(std::chrono::year(number[0]),
                                     std::chrono::month(static_cast<unsigned>(number[1])),
                                     std::chrono::day(static_cast<unsigned>(number[2])))
      .ok();
}

}  // namespace xsp
