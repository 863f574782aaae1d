#include "stats/rounding.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace xsp {
namespace {

constexpr std::array<double, 4> kPowers = {1, 10, 100, 1000};

// Far enough from a tie that the error of one multiplication cannot decide.
bool IsClear(double scaled) {
  const double fraction = scaled - std::floor(scaled);
  return std::fabs(scaled) < 1e12 && std::fabs(fraction - 0.5) > 1e-3;
}

// A double is a tie at n decimals only if it is an odd multiple of 1 / 2^(n+1).
bool IsTie(double value, int decimals) {
  const double halves = std::ldexp(value, decimals + 1);
  return halves == std::floor(halves) && std::fmod(std::fabs(halves), 2) == 1;
}

}  // namespace

double RoundTo(double value, int decimals, Tie tie) {
  if (!std::isfinite(value)) return value;
  const double power = kPowers.at(decimals);
  const double scaled = value * power;
  if (IsClear(scaled)) return std::nearbyint(scaled) / power;
  if (tie == Tie::kAway && IsTie(value, decimals)) return std::round(scaled) / power;
  // printf looks at all digits of the binary number and breaks ties to even.
  std::array<char, 512> text;
  std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  return std::strtod(text.data(), nullptr);
}

}  // namespace xsp
