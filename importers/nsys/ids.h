#pragma once

#include <cstdint>

namespace xsp {

// nsys packs hardware, VM, process and thread id into one 64-bit number: bits 56-63, 48-55, 24-47
// and 0-23. The upper 40 bits are the process: a pid alone is not unique over VMs and hosts.
constexpr std::uint64_t ProcessKey(std::uint64_t global_id) {
  return global_id & ~std::uint64_t{0xFFFFFF};
}
constexpr std::uint32_t PidOf(std::uint64_t global_id) {
  return static_cast<std::uint32_t>((global_id >> 24) & 0xFFFFFF);
}
constexpr std::uint32_t TidOf(std::uint64_t global_id) {
  return static_cast<std::uint32_t>(global_id & 0xFFFFFF);
}
constexpr std::uint64_t MakeProcessKey(std::uint64_t hardware, std::uint64_t vm,
                                       std::uint64_t pid) {
  return (hardware & 0xFF) << 56 | (vm & 0xFF) << 48 | (pid & 0xFFFFFF) << 24;
}

// What nsys writes where a stream or an event does not apply.
inline constexpr std::uint32_t kNoneId = 0xFFFFFFFF;

}  // namespace xsp
