#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "model/column.h"
#include "model/ids.h"

namespace xsp {

// The type of a stored column. Enums are kUint8, ids are kUint32.
enum class ValueType : std::uint8_t { kUint8, kUint32, kUint64, kInt32, kInt64, kText };

std::string_view NameOf(ValueType type);

// One column of a stored table.
struct ColumnSchema {
  std::string_view name;
  std::string_view unit;
  std::string_view doc;
  ValueType type = ValueType::kUint32;
  bool nullable = false;
};

// One stored table: a Parquet file.
struct TableSchema {
  std::string_view name;
  std::string_view doc;
  std::vector<ColumnSchema> columns;

  std::string FileName() const { return std::string(name) + ".parquet"; }
};

template <class T>
inline constexpr bool kIsId = false;
template <class Tag>
inline constexpr bool kIsId<Id<Tag>> = true;

// How values of a model column are stored.
template <class T>
constexpr ValueType ValueTypeOf() {
  if constexpr (kIsId<T>) {
    return ValueType::kUint32;
  } else if constexpr (std::is_enum_v<T>) {
    return ValueTypeOf<std::underlying_type_t<T>>();
  } else if constexpr (std::is_same_v<T, std::uint8_t>) {
    return ValueType::kUint8;
  } else if constexpr (std::is_same_v<T, std::uint32_t>) {
    return ValueType::kUint32;
  } else if constexpr (std::is_same_v<T, std::uint64_t>) {
    return ValueType::kUint64;
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    return ValueType::kInt32;
  } else {
    static_assert(std::is_same_v<T, std::int64_t>, "no stored type for this column");
    return ValueType::kInt64;
  }
}

}  // namespace xsp
