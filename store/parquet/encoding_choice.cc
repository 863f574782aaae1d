#include "store/parquet/encoding_choice.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace xsp {
namespace {

// Neighbouring rows in each of several places: enough to tell a counter from a handful of values.
constexpr std::size_t kPlaces = 16;
constexpr std::size_t kRowsPerPlace = 256;

std::uint64_t ValueAt(const ValuesAt& values, std::size_t width, std::size_t row) {
  std::uint64_t value = 0;
  std::memcpy(&value, values.first + row * values.stride, width);
  return value;
}

std::size_t WidthOf(ValueType type) {
  switch (type) {
    case ValueType::kUint8:
      return 1;
    case ValueType::kUint32:
    case ValueType::kInt32:
      return 4;
    default:
      return 8;
  }
}

}  // namespace

Packing ChoosePacking(const ColumnSource& source, ValueType type, std::size_t rows) {
  if (std::holds_alternative<RowNumbers>(source)) return Packing::kDelta;
  const auto* values = std::get_if<ValuesAt>(&source);
  if (values == nullptr || type == ValueType::kUint8) return Packing::kDictionary;

  std::vector<std::uint64_t> sample;
  for (std::size_t place = 0; place < kPlaces; ++place) {
    std::size_t first = rows / kPlaces * place;
    std::size_t last = std::min(rows, first + kRowsPerPlace);
    for (std::size_t row = first; row < last; ++row) {
      sample.push_back(ValueAt(*values, WidthOf(type), row));
    }
  }
  std::sort(sample.begin(), sample.end());
  const auto distinct =
      static_cast<std::size_t>(std::unique(sample.begin(), sample.end()) - sample.begin());
  return distinct * 4 > sample.size() ? Packing::kDelta : Packing::kDictionary;
}

}  // namespace xsp
