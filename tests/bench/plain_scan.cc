#include "tests/bench/plain_scan.h"

#include <sqlite3.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "importers/nsys/catalog.h"
#include "importers/nsys/table.h"
#include "importers/sqlite/db.h"

namespace xsp::bench {
namespace {

// The tables and columns that the importer would read from this file.
std::vector<NsysTableSpec> TablesRead(const NsysCatalog& catalog) {
  std::vector<NsysTableSpec> specs;
  AddChainTables(catalog, specs);
  AddCudaWorkTables(catalog, specs);
  AddCudaCallTables(catalog, specs);
  AddNvtxTables(catalog, specs);
  AddHostTables(catalog, specs);
  AddMemoryTables(catalog, specs);
  AddSampleTables(catalog, specs);
  return specs;
}

std::string SelectOf(const NsysTable& table, const NsysTableSpec& spec) {
  std::string columns;
  for (std::string_view column : spec.columns) {
    if (!table.Has(column)) continue;
    columns += (columns.empty() ? "" : ", ") + Quoted(column);
  }
  return "SELECT " + columns + " FROM " + Quoted(table.name);
}

struct Columns {
  std::vector<std::vector<std::int64_t>> numbers;
  std::string text;
};

void TakeRow(sqlite3_stmt* statement, Columns& columns) {
  for (std::size_t i = 0; i < columns.numbers.size(); ++i) {
    const int column = static_cast<int>(i);
    if (sqlite3_column_type(statement, column) == SQLITE_TEXT) {
      const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
      columns.text.append(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement, column)));
      columns.numbers[i].push_back(static_cast<std::int64_t>(columns.text.size()));
    } else {
      columns.numbers[i].push_back(sqlite3_column_int64(statement, column));
    }
  }
}

}  // namespace

ScanTotals PlainScan(const std::filesystem::path& file) {
  const SqliteDb db({file, true, false});
  const NsysCatalog catalog(db);
  ScanTotals totals;
  std::vector<Columns> tables;  // All kept to the end, as an importer has to.
  for (const NsysTableSpec& spec : TablesRead(catalog)) {
    const SqliteStatement select = db.Prepare(SelectOf(*catalog.Find(spec.table), spec));
    Columns& columns = tables.emplace_back();
    columns.numbers.resize(static_cast<std::size_t>(sqlite3_column_count(select.get())));
    int result;
    while ((result = sqlite3_step(select.get())) == SQLITE_ROW) {
      TakeRow(select.get(), columns);
      ++totals.rows;
      totals.values += columns.numbers.size();
    }
    if (result != SQLITE_DONE) throw std::runtime_error("scan of " + std::string(spec.table));
  }
  return totals;
}

}  // namespace xsp::bench
