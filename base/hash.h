#pragma once

#include <cstdint>

// Numbers that stand for something longer. Equal things have equal ones, others almost never. Files
// hold none of them.
namespace xsp {

inline constexpr std::uint64_t kHashFactor = 0x9e3779b97f4a7c15;  // 2^64 by the golden ratio.

// The hash of what has been added so far, and of one more number behind it.
constexpr std::uint64_t HashWith(std::uint64_t hash, std::uint64_t value) {
  return (hash ^ (hash >> 31)) * kHashFactor + value;
}

// Every bit of the value changes every bit of the result: what stands behind splitmix64.
constexpr std::uint64_t MixedBits(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

// 32 bits for a table of slots, by one multiplication.
constexpr std::uint32_t SlotHash(std::uint64_t key) {
  return static_cast<std::uint32_t>(key * kHashFactor >> 32);
}

}  // namespace xsp
