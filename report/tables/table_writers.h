#pragma once

#include <cstddef>
#include <optional>
#include <string>

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
std::string WriteJsonTable(const Table& table);
// The same where it begins in a line of this indent.
void AppendJson(const Table& table, std::size_t indent, std::string& text);

}  // namespace xsp
