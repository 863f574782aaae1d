#include "hierarchy/hardware/gemm_shape.h"

#include <charconv>

#include "base/ascii.h"

namespace xsp {

namespace {

constexpr std::uint32_t kLargestTile = 1024;

std::optional<std::uint32_t> ReadSide(std::string_view digits) {
  std::uint32_t value = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (fault != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  if (value < 8 || value > kLargestTile) return std::nullopt;  // 2x1 is a cluster, not a tile.
  return value;
}

// The first "AxB" behind `from` that stands as a word of its own ("_128x64_", "MT16x16x256").
std::optional<GemmTile> FindTile(std::string_view name, std::size_t from) {
  for (std::size_t x = name.find('x', from); x != name.npos; x = name.find('x', x + 1)) {
    std::size_t first = x;
    while (first > from && IsDigit(name[first - 1])) --first;
    std::size_t last = x + 1;
    while (last < name.size() && IsDigit(name[last])) ++last;
    const auto m = ReadSide(name.substr(first, x - first));
    const auto n = ReadSide(name.substr(x + 1, last - x - 1));
    if (m && n) return GemmTile{*m, *n};
  }
  return std::nullopt;
}

bool Contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

// Where the words that describe the product begin; the tile stands behind.
std::size_t FindProduct(std::string_view name) {
  for (std::string_view word : {"tilesize", "gemm_", "cudnn_", "nvjet_", "Cijk_"}) {
    const std::size_t at = name.find(word);
    if (at != name.npos) return at + word.size();
  }
  return name.npos;
}

}  // namespace

std::optional<GemmTile> GemmTileOf(std::string_view kernel_name) {
  const std::size_t product = FindProduct(kernel_name);
  if (product == kernel_name.npos) return std::nullopt;
  return FindTile(kernel_name, product);
}

std::optional<GemmShape> GemmShapeOf(std::string_view kernel_name, std::uint32_t grid_x,
                                     std::uint32_t grid_y, std::uint32_t grid_z) {
  const auto tile = GemmTileOf(kernel_name);
  const bool is_product = Contains(kernel_name, "gemm_") && !Contains(kernel_name, "implicit_gemm");
  const bool fills_gpu = Contains(kernel_name, "nvjet") || Contains(kernel_name, "xmma");
  if (!tile || !is_product || fills_gpu || grid_x == 0 || grid_y == 0) return std::nullopt;

  GemmShape shape;
  shape.tile = *tile;
  shape.slices = grid_z == 0 ? 1 : grid_z;
  const std::uint64_t blocks_outputs = std::uint64_t{tile->m} * tile->n;
  const std::uint64_t blocks = std::uint64_t{grid_x} * grid_y;
  if (blocks > UINT64_MAX / blocks_outputs) return std::nullopt;
  shape.outputs = blocks * blocks_outputs;
  if (!Contains(kernel_name, "cutlass")) {
    shape.m = std::uint64_t{tile->m} * grid_x;
    shape.n = std::uint64_t{tile->n} * grid_y;
  }
  return shape;
}

}  // namespace xsp
