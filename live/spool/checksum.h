#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>

namespace xsp::live {

// XXH64, the published 64-bit hash: as fast as memory in plain C++, so that checking every block
// costs next to nothing beside writing it. Header only: the injected library may link nothing.
class Xxh64 {
 public:
  static std::uint64_t Of(const void* data, std::size_t bytes, std::uint64_t seed) {
    const auto* at = static_cast<const unsigned char*>(data);
    const unsigned char* const end = at + bytes;
    std::uint64_t hash = seed + kPrime5;
    if (bytes >= 32) hash = Stripes(at, end, seed);
    hash += bytes;
    for (; end - at >= 8; at += 8) {
      hash = Rotate(hash ^ Round(0, Load<std::uint64_t>(at)), 27) * kPrime1 + kPrime4;
    }
    if (end - at >= 4) {
      hash = Rotate(hash ^ Load<std::uint32_t>(at) * kPrime1, 23) * kPrime2 + kPrime3;
      at += 4;
    }
    for (; at < end; ++at) hash = Rotate(hash ^ *at * kPrime5, 11) * kPrime1;
    hash = (hash ^ hash >> 33) * kPrime2;
    hash = (hash ^ hash >> 29) * kPrime3;
    return hash ^ hash >> 32;
  }

 private:
  static constexpr std::uint64_t kPrime1 = 0x9E3779B185EBCA87u;
  static constexpr std::uint64_t kPrime2 = 0xC2B2AE3D27D4EB4Fu;
  static constexpr std::uint64_t kPrime3 = 0x165667B19E3779F9u;
  static constexpr std::uint64_t kPrime4 = 0x85EBCA77C2B2AE63u;
  static constexpr std::uint64_t kPrime5 = 0x27D4EB2F165667C5u;

  static std::uint64_t Rotate(std::uint64_t x, int bits) { return x << bits | x >> (64 - bits); }
  template <class T>
  static std::uint64_t Load(const unsigned char* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
  static std::uint64_t Round(std::uint64_t sum, std::uint64_t input) {
    return Rotate(sum + input * kPrime2, 31) * kPrime1;
  }

  // Four sums side by side over pieces of 32 bytes; leaves `at` behind the last whole piece.
  static std::uint64_t Stripes(const unsigned char*& at, const unsigned char* end,
                               std::uint64_t seed) {
    // Four names and not an array: they must stay in registers.
    std::uint64_t a = seed + kPrime1 + kPrime2, b = seed + kPrime2, c = seed, d = seed - kPrime1;
    for (; end - at >= 32; at += 32) {
      a = Round(a, Load<std::uint64_t>(at));
      b = Round(b, Load<std::uint64_t>(at + 8));
      c = Round(c, Load<std::uint64_t>(at + 16));
      d = Round(d, Load<std::uint64_t>(at + 24));
    }
    std::uint64_t hash = Rotate(a, 1) + Rotate(b, 7) + Rotate(c, 12) + Rotate(d, 18);
    for (std::uint64_t part : {a, b, c, d}) hash = (hash ^ Round(0, part)) * kPrime1 + kPrime4;
    return hash;
  }
};

}  // namespace xsp::live
