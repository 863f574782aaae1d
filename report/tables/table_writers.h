#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "report/tables/json.h"
#include "report/tables/table.h"
#include "report/tables/units.h"

namespace xsp {

// How text for people is laid out.
struct TextLayout {
  std::optional<std::size_t> width;   // Columns of the terminal; none: nothing is cut or dropped.
  std::optional<TimeUnit> time_unit;  // None: what suits each column.
  bool color = false;
};

// Aligned columns, one unit each, the title above. Names are made safe for a terminal.
std::string WriteTextTable(const Table& table, const TextLayout& layout);

// A GitHub table under a heading; one unit per column, as in text.
std::string WriteMarkdownTable(const Table& table, const TextLayout& layout);

// RFC 4180 with a header of keys; plain numbers in base units (ns, bytes, shares from 0 to 1),
// lines end in CR LF. Bars are left out.
std::string WriteCsvTable(const Table& table);

// A list of rows, each an object by column key; base units, null for unknown. Bars are left out.
Json TableRowsToJson(const Table& table);
Json RowToJson(const Table& table, const std::vector<Cell>& row);  // One row: an object.

// The rows of a table as one object: by their value under `key`, without it.
Json RowsByKeyToJson(const Table& table, const std::string& key);

// The rows of a table, each with a list more: those rows of another table, in their order, that
// have the same value under `key`, without it.
Json NestedRowsToJson(const Table& table, const Table& parts, const std::string& key,
                      const std::string& list);

}  // namespace xsp
