#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace xsp {

// What a tool that reads hardware counters found of one kernel launch. Such counters are not in a
// timeline; they are joined with it by the kernel's name and launch shape.
struct KernelCounters {
  std::string kernel;  // As that tool names it.
  std::array<std::uint32_t, 3> grid{};
  std::array<std::uint32_t, 3> block{};
  std::optional<double> flops;             // Floating-point operations.
  bool has_tensor_flops = false;           // Those of tensor cores were counted as well.
  std::optional<double> dram_read_bytes;   // From device memory.
  std::optional<double> dram_write_bytes;  // To device memory.
  std::optional<double> occupancy;         // Achieved, 0 to 1.

  bool operator==(const KernelCounters&) const = default;
};

}  // namespace xsp
