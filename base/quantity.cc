#include "base/quantity.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/ascii.h"

namespace xsp {
namespace {

struct Unit {
  std::string_view name;
  Dimension dimension;
  double factor;
};
constexpr Unit kUnits[] = {
    {"", Dimension::kCount, 1},
    {"%", Dimension::kShare, 0.01},
    {"x", Dimension::kMultiple, 1},
    {"ns", Dimension::kTime, 1},
    {"us", Dimension::kTime, 1e3},
    {"\u00b5s", Dimension::kTime, 1e3},  // The micro sign,
    {"\u03bcs", Dimension::kTime, 1e3},  // and the Greek letter.
    {"ms", Dimension::kTime, 1e6},
    {"s", Dimension::kTime, 1e9},
    {"B", Dimension::kBytes, 1},
    {"KB", Dimension::kBytes, 1e3},
    {"MB", Dimension::kBytes, 1e6},
    {"GB", Dimension::kBytes, 1e9},
    {"TB", Dimension::kBytes, 1e12},
    {"KiB", Dimension::kBytes, 0x1p10},
    {"MiB", Dimension::kBytes, 0x1p20},
    {"GiB", Dimension::kBytes, 0x1p30},
    {"TiB", Dimension::kBytes, 0x1p40},
    {"MB/s", Dimension::kBandwidth, 1e6},
    {"GB/s", Dimension::kBandwidth, 1e9},
    {"TB/s", Dimension::kBandwidth, 1e12},
    {"Mbit", Dimension::kBandwidth, 1e6 / 8},
    {"Gbit", Dimension::kBandwidth, 1e9 / 8},
    {"Mbit/s", Dimension::kBandwidth, 1e6 / 8},
    {"Gbit/s", Dimension::kBandwidth, 1e9 / 8},
    {"Gbps", Dimension::kBandwidth, 1e9 / 8},
    {"GFLOPS", Dimension::kFlops, 1e9},
    {"TFLOPS", Dimension::kFlops, 1e12},
    {"Tflop/s", Dimension::kFlops, 1e12},
    {"k", Dimension::kCount, 1e3},
    {"K", Dimension::kCount, 1e3},
    {"M", Dimension::kCount, 1e6},
    {"G", Dimension::kCount, 1e9},
    {"T", Dimension::kCount, 1e12},
    {"P", Dimension::kCount, 1e15},
};

// One letter alone is what it is: "m" is not a million.
bool IsCalled(std::string_view written, std::string_view name) {
  return written == name || (name.size() > 1 && written == LowerCase(name));
}

std::optional<double> Positive(const Quantity& quantity, bool fits) {
  if (!fits || quantity.fault != Quantity::Fault::kNone || quantity.value < 0) return std::nullopt;
  return quantity.value;
}

}  // namespace

Quantity ReadQuantity(std::string_view text) {
  text = Trimmed(text);
  Quantity quantity;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, quantity.value);
  if (error != std::errc() || !std::isfinite(quantity.value)) {
    quantity.fault = Quantity::Fault::kNoNumber;
    return quantity;
  }
  quantity.unit = Trimmed({rest, static_cast<std::size_t>(end - rest)});
  const auto unit = std::find_if(std::begin(kUnits), std::end(kUnits),
                                 [&](const Unit& u) { return IsCalled(quantity.unit, u.name); });
  if (unit == std::end(kUnits)) {
    quantity.fault = Quantity::Fault::kUnknownUnit;
    return quantity;
  }
  quantity.dimension = unit->dimension;
  quantity.value *= unit->factor;
  if (!std::isfinite(quantity.value)) quantity.fault = Quantity::Fault::kNoNumber;
  return quantity;
}

std::vector<std::string> UnitNames() {
  std::vector<std::string> names;
  for (const Unit& unit : kUnits) {
    if (!unit.name.empty()) names.emplace_back(unit.name);
  }
  return names;
}

std::optional<std::uint64_t> ReadBytes(std::string_view text) {
  const Quantity read = ReadQuantity(text);
  const auto bytes = Positive(read, read.Is(Dimension::kBytes) || read.Is(Dimension::kCount));
  if (!bytes || *bytes >= 1.8e19) return std::nullopt;
  return static_cast<std::uint64_t>(*bytes);
}

std::optional<double> ReadShare(std::string_view text) {
  const Quantity read = ReadQuantity(text);
  return Positive(read, read.Is(Dimension::kShare) || read.unit.empty());
}

std::optional<double> ReadBandwidth(std::string_view text) {
  const Quantity read = ReadQuantity(text);
  return Positive(read, read.Is(Dimension::kBandwidth) || read.Is(Dimension::kBytes));
}

std::optional<double> ReadFlops(std::string_view text) {
  const Quantity read = ReadQuantity(text);
  return Positive(read, read.Is(Dimension::kFlops) || read.Is(Dimension::kCount));
}

}  // namespace xsp
