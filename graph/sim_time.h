#pragma once

#include <compare>
#include <cstdint>
#include <limits>

#include "model/time.h"

namespace xsp {

// A point in simulated time, in nanoseconds. Its zero is the trace's zero, so that a replay can be
// laid beside the measured times, but it converts to a measured time only on request.
struct SimTime {
  std::int64_t ns = std::numeric_limits<std::int64_t>::min();  // By default: before everything.

  static constexpr SimTime At(TimeNs measured) { return SimTime{measured}; }
  static constexpr SimTime BeforeAll() { return SimTime{}; }

  constexpr bool known() const { return ns != std::numeric_limits<std::int64_t>::min(); }
  constexpr auto operator<=>(const SimTime&) const = default;

  friend constexpr SimTime operator+(SimTime t, DurationNs d) { return {t.ns + d}; }
  friend constexpr SimTime operator-(SimTime t, DurationNs d) { return {t.ns - d}; }
  friend constexpr DurationNs operator-(SimTime a, SimTime b) { return a.ns - b.ns; }
};

// A stretch of simulated time.
struct SimSpan {
  SimTime begin;
  SimTime end;

  bool empty() const { return !begin.known(); }
  DurationNs Length() const { return empty() ? 0 : end - begin; }
};

}  // namespace xsp
