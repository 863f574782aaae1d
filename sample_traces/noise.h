// Noise that is a pure function of what it is for, so that taking one operation out of a program
// leaves the noise of all others as it was and two runs can be compared.
#pragma once

#include <cstdint>

namespace xsp::samples {

// The finalizer of splitmix64: a bijection in which every input bit moves every output bit.
constexpr uint64_t Mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

// What a random number is drawn for: the second draw of one operation needs another purpose.
enum class Purpose : uint64_t { kOwnCost = 1, kDuration, kLatency, kTail, kCold, kSkew, kWake };

// 64 random bits for the `repetition`-th execution of operation `uid`.
constexpr uint64_t Noise(uint64_t seed, uint64_t uid, uint64_t repetition, Purpose purpose) {
  return Mix(Mix(Mix(seed) ^ uid) ^ Mix(repetition * 16 + static_cast<uint64_t>(purpose)));
}

// `value` moved by at most ±permille/1000 of itself; triangular, centred on `value`.
// Fits int64 for values up to 38 hours.
constexpr int64_t Jitter(int64_t value, int64_t permille, uint64_t bits) {
  const int64_t lean =
      static_cast<int64_t>(bits & 0xffff) + static_cast<int64_t>((bits >> 16) & 0xffff) - 0xffff;
  return value + value * permille / 1000 * lean / 0xffff;
}

// The same with a long tail: something comes between `outliers` of 1000 of them and takes up to 40
// µs.
constexpr int64_t SkewedJitter(int64_t value, int64_t permille, int64_t outliers, uint64_t bits) {
  const int64_t moved = Jitter(value, permille, bits);
  const bool is_outlier = static_cast<int64_t>(Mix(bits) % 1000) < outliers;
  return is_outlier ? moved + Jitter(20'000, 1'000, Mix(bits >> 3)) : moved;
}

}  // namespace xsp::samples
