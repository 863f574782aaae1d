#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace xsp {

// A row of SQLite's own list of what a database holds (sqlite_schema).
struct SchemaRow {
  std::string type;             // "table", "index", ...
  std::string name;             // No name comes twice.
  std::string table;            // The one it belongs to; of a table: its own name.
  std::uint32_t root_page = 0;  // Counts from 1; may lie behind the end of the file.
  std::string sql;              // Empty: an index that SQLite made by itself.
};

struct SchemaPages {
  std::uint32_t page_bytes = 0;  // 0: not a database in UTF-8.
  std::vector<SchemaRow> rows;
  std::size_t lost = 0;  // Pages of the list that are not there or make no sense.
};

// Reads the list from the bytes of a damaged file, page by page, where SQLite would give up at the
// first page that is missing. Page 1 held the beginning of the list before it grew: what SQLite
// left of those rows there counts as well, if the pages they moved to are lost. Takes time and
// memory in proportion to the file, whatever its pages say.
SchemaPages ReadSchemaPages(std::string_view file);

}  // namespace xsp
