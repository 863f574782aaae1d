#include "cli/options/byte_size.h"

#include <charconv>
#include <cmath>
#include <utility>

namespace xsp {

std::optional<std::uint64_t> ParseBytes(std::string_view text) {
  constexpr std::pair<std::string_view, double> kUnits[] = {
      {"", 1},         {"B", 1},        {"K", 1e3},      {"KB", 1e3},    {"M", 1e6},
      {"MB", 1e6},     {"G", 1e9},      {"GB", 1e9},     {"T", 1e12},    {"TB", 1e12},
      {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}};
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || !std::isfinite(value) || value < 0) return std::nullopt;
  std::string_view name(rest, static_cast<std::size_t>(end - rest));
  while (name.starts_with(' ')) name.remove_prefix(1);
  for (const auto& [unit, factor] : kUnits) {
    if (name == unit && value * factor < 1.8e19) return static_cast<std::uint64_t>(value * factor);
  }
  return std::nullopt;
}

}  // namespace xsp
