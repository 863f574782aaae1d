// The tables of nsys SQLite exports, per schema version, as data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace xsp::samples {

// A schema that the generator can write, and the build of nsys that wrote it.
struct SchemaVersion {
  int32_t number;  // major * 1'000'000 + minor * 1'000 + micro
  std::string_view text;
  std::string_view product;  // nsys version
  std::string_view alias;    // old, middle, newest; may be empty
};

// All of them, oldest first.
const std::vector<SchemaVersion>& SchemaVersions();
// By number ("3.25.0") or alias; throws std::runtime_error that lists what there is.
const SchemaVersion& FindSchema(std::string_view name);

struct Column {
  std::string name;
  std::string declaration;  // type and constraints
};

// The columns that `table` has in `schema`, in the export's order; none: no such table there.
std::vector<Column> TableColumns(std::string_view table, const SchemaVersion& schema);

// One row of an ENUM_ table.
struct EnumValue {
  int64_t id;
  std::string name;
  std::string label;
};
struct EnumTable {
  std::string name;
  std::vector<EnumValue> values;
};
// The ENUM_ tables of `schema`: all up to 3.19, later only those that these exports refer to.
std::vector<EnumTable> EnumTables(const SchemaVersion& schema);

}  // namespace xsp::samples
