#pragma once

namespace xsp {

// What happens to a number that lies exactly between two results. NVIDIA's tool rounds times and
// percentages in SQL, where a tie goes away from zero, and sizes when it prints them, where a tie
// goes to the even digit.
enum class Tie { kAway, kEven };

// The value with so many decimals, as the double nearest to that decimal number.
double RoundTo(double value, int decimals, Tie tie);

// Averages, medians, deviations and percentages: one decimal, as SQL rounds.
inline double RoundTenth(double value) { return RoundTo(value, 1, Tie::kAway); }

// Bytes as megabytes (10^6 bytes) with three decimals, as NVIDIA's tool prints them.
inline double Megabytes(double bytes) { return RoundTo(bytes / 1e6, 3, Tie::kEven); }

}  // namespace xsp
