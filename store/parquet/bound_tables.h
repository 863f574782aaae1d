#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/trace.h"
#include "store/parquet/table_schema.h"

// The tables of a trace as plain memory. Everything that depends on the types of the model is
// compiled once, behind this header.
namespace xsp {

// How to work with a std::vector of some type without knowing it.
struct VectorOps {
  std::size_t (*size)(const void* vector);
  void (*resize)(void* vector, std::size_t rows);
  std::byte* (*data)(void* vector);
};

// Where the values of a stored column are: in a vector of them, or in one field of the structs in a
// vector.
struct BoundColumn {
  ColumnSchema schema;
  void* vector = nullptr;
  const VectorOps* ops = nullptr;
  std::size_t stride = 0;  // From one row to the next.
  std::size_t offset = 0;  // Of the field in the struct.

  std::byte* first() const { return ops->data(vector) + offset; }
};

// The column that a stored table has in front of those of the model: in files, rows have no number
// of their own to join on.
enum class RowKey : std::uint8_t {
  kNone,
  kId,     // The row's own number, which other tables refer to.
  kEvent,  // The row of events that this row describes.
};

// One stored table and where it lives in the model. The string pool has no columns here.
struct BoundTable {
  TableSchema schema;  // All columns of the file: key, text if any, then `columns`.
  RowKey key = RowKey::kNone;
  std::size_t rows = 0;           // When bound.
  std::uint32_t first_event = 0;  // Of RowKey::kEvent: the event of the first row.
  bool is_strings = false;
  bool is_events = false;
  bool holds_structs = false;  // The columns share one vector.
  std::vector<BoundColumn> columns;
};

// All stored tables, in the order of the documentation. The pointers stay valid as long as `tables`
// is not moved.
std::vector<BoundTable> BindTables(TraceTables& tables);

}  // namespace xsp
