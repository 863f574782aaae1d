#pragma once

#include <parquet/types.h>

#include <memory>

#include "store/parquet/table_schema.h"

// Heavy: includes Parquet. For parquet_writer.cc and parquet_reader.cc only.
namespace xsp {

// How Parquet names a stored type: by what it is on disk and by what it means.
struct ParquetType {
  parquet::Type::type physical;
  std::shared_ptr<const parquet::LogicalType> logical;
};

inline ParquetType ParquetTypeOf(ValueType type) {
  using parquet::LogicalType;
  switch (type) {
    case ValueType::kUint8:
      return {parquet::Type::INT32, LogicalType::Int(8, false)};
    case ValueType::kUint32:
      return {parquet::Type::INT32, LogicalType::Int(32, false)};
    case ValueType::kUint64:
      return {parquet::Type::INT64, LogicalType::Int(64, false)};
    case ValueType::kInt32:
      return {parquet::Type::INT32, LogicalType::Int(32, true)};
    case ValueType::kInt64:
      return {parquet::Type::INT64, LogicalType::Int(64, true)};
    case ValueType::kText:
      break;
  }
  return {parquet::Type::BYTE_ARRAY, LogicalType::String()};
}

}  // namespace xsp
