#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace xsp {

// The part of the result that one block of a matrix-product kernel computes, in BLAS order: the
// result is M x N, column-major. (A row-major library such as PyTorch passes its operands swapped.)
struct GemmTile {
  std::uint32_t m = 0;
  std::uint32_t n = 0;

  bool operator==(const GemmTile&) const = default;
};

// The tile in a kernel's name: 128x64 of "ampere_sgemm_128x64_tn". Nothing where the name has none.
std::optional<GemmTile> GemmTileOf(std::string_view kernel_name);

// What name and grid together say of a matrix product. The name never tells K.
struct GemmShape {
  GemmTile tile;
  // M and N, rounded up to whole tiles. Absent where blocks are not laid out as the result is
  // (CUTLASS reorders them).
  std::optional<std::uint64_t> m;
  std::optional<std::uint64_t> n;
  // M times N, of one slice, rounded up to whole tiles.
  std::uint64_t outputs = 0;
  // Products of a batch, or parts of a K that was split: the name does not say which.
  std::uint32_t slices = 1;

  bool operator==(const GemmShape&) const = default;
};

// Nothing where the name has no tile or the grid does not follow the result: kernels that keep
// each block for several tiles (nvjet, Hopper's xmma) fill the GPU whatever the shape.
std::optional<GemmShape> GemmShapeOf(std::string_view kernel_name, std::uint32_t grid_x,
                                     std::uint32_t grid_y, std::uint32_t grid_z);

}  // namespace xsp
