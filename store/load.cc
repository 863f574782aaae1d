#include <algorithm>
#include <cstring>
#include <fstream>
#include <functional>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/whole_file.h"
#include "base/workers.h"
#include "store/manifest_json.h"
#include "store/parquet/bound_tables.h"
#include "store/parquet/parquet_file.h"
#include "store/stored_trace.h"

namespace xsp {
namespace {

namespace fs = std::filesystem;

constexpr const char* kImportAgain = "import the trace again";

// What minor versions of the format added. A stored trace from before has no such table, and reads
// such columns as nothing but null.
struct Addition {
  std::string_view table;
  std::string_view column;  // Empty: the whole table.
  int minor;
};
constexpr Addition kAdditions[] = {
    {"processes", "rank", 1},   {"collectives", "operation", 1}, {"collectives", "group", 1},
    {"collectives", "type", 1}, {"collectives", "sequence", 1},  {"operators", "", 1},
    {"operands", "", 1},
};

bool CameLater(std::string_view table, std::string_view column, int minor) {
  return std::any_of(std::begin(kAdditions), std::end(kAdditions), [&](const Addition& a) {
    return a.table == table && a.column == column && a.minor > minor;
  });
}

// One stored table: where it goes, where it comes from.
struct TableTask {
  BoundTable table;
  std::vector<BoundColumn> absent;  // Columns that came later than this stored trace.
  StoredTable stored;
  std::optional<ParquetFile> file;
};

// Takes the columns that came later than the stored trace out of a table.
std::vector<BoundColumn> SplitAbsent(BoundTable& table, int minor) {
  std::vector<BoundColumn> absent;
  const auto came_later = [&](const ColumnSchema& column) {
    return CameLater(table.schema.name, column.name, minor);
  };
  for (const BoundColumn& column : table.columns) {
    if (came_later(column.schema)) absent.push_back(column);
  }
  std::erase_if(table.columns, [&](const BoundColumn& c) { return came_later(c.schema); });
  std::erase_if(table.schema.columns, came_later);
  return absent;
}

// How many rows a table can have: tables of details stand beside events, and what is known of
// collectives and operators is about events. Parquet makes very little of rows that are all alike,
// so for the others the reader of the file has a limit.
void CheckRowCount(const BoundTable& table, const StoredTable& stored,
                   const StoredManifest& manifest) {
  const auto events = manifest.tables.find("events");
  const std::uint64_t most = events == manifest.tables.end() ? 0 : events->second.rows;
  const std::string_view name = table.schema.name;
  const bool is_about_events =
      table.key == RowKey::kEvent || name == "collectives" || name == "operators";
  if (is_about_events && stored.rows > most) {
    throw Error("manifest.json: table " + std::string(name) + " has more rows than events");
  }
}

// Those of the tables that have rows: the strings, which are one piece of work, then the largest
// file first.
std::vector<TableTask> TasksFor(const StoredManifest& manifest, TraceTables& tables) {
  std::vector<TableTask> tasks;
  for (BoundTable& table : BindTables(tables)) {
    const auto stored = manifest.tables.find(std::string(table.schema.name));
    if (stored == manifest.tables.end()) {
      if (CameLater(table.schema.name, "", manifest.minor)) continue;
      throw Error("manifest.json: table " + std::string(table.schema.name) + " is missing");
    }
    if (stored->second.rows == 0) continue;
    CheckRowCount(table, stored->second, manifest);
    std::vector<BoundColumn> absent = SplitAbsent(table, manifest.minor);
    tasks.push_back({std::move(table), std::move(absent), stored->second, std::nullopt});
  }
  std::stable_sort(tasks.begin(), tasks.end(), [](const TableTask& a, const TableTask& b) {
    return std::pair(a.table.is_strings, a.stored.file.bytes) >
           std::pair(b.table.is_strings, b.stored.file.bytes);
  });
  return tasks;
}

// Reads and checks all files, largest first.
void OpenFiles(const fs::path& folder, std::vector<TableTask>& tables) {
  ForEachOnThreads(tables.size(), ThreadsUpTo(kMostParquetThreads), [&](std::size_t i, unsigned) {
    const TableSchema& schema = tables[i].table.schema;
    tables[i].file.emplace(folder / schema.FileName(), schema, tables[i].stored);
  });
}

void ReadColumn(const BoundColumn& column, const ParquetFile& file) {
  column.ops->resize(column.vector, file.rows());
  file.ReadValues(column.schema.name, column.first(), column.stride);
}

template <class T>
void FillNull(const BoundColumn& column, std::size_t rows) {
  const T null = kMissing<T>;
  for (std::size_t row = 0; row < rows; ++row) {
    std::memcpy(column.first() + row * column.stride, &null, sizeof(T));
  }
}

void FillAbsent(const BoundColumn& column, std::size_t rows) {
  column.ops->resize(column.vector, rows);
  switch (column.schema.type) {
    case ValueType::kUint8:
      return FillNull<std::uint8_t>(column, rows);
    case ValueType::kUint32:
      return FillNull<std::uint32_t>(column, rows);
    case ValueType::kInt32:
      return FillNull<std::int32_t>(column, rows);
    case ValueType::kUint64:
      return FillNull<std::uint64_t>(column, rows);
    case ValueType::kInt64:
      return FillNull<std::int64_t>(column, rows);
    case ValueType::kText:
      break;
  }
}

void ReadStrings(const ParquetFile& file, StringPool& strings) {
  file.ReadTexts("text", [&](std::string_view text) {
    const std::size_t before = strings.size();
    strings.Intern(text);
    if (strings.size() == before) throw Error("strings.parquet: a text occurs twice");
  });
}

// What can be read of a table at the same time.
std::vector<std::function<void()>> PiecesOf(const TableTask& task, StringPool& strings) {
  if (task.table.is_strings) return {[&] { ReadStrings(*task.file, strings); }};
  if (task.table.holds_structs) {  // One vector for all columns.
    return {[&] {
      for (const BoundColumn& column : task.table.columns) ReadColumn(column, *task.file);
    }};
  }
  std::vector<std::function<void()>> pieces;
  for (const BoundColumn& column : task.table.columns) {
    pieces.push_back([&task, &column] { ReadColumn(column, *task.file); });
  }
  return pieces;
}

void ReadTables(const std::vector<TableTask>& tables, StringPool& strings, Progress& progress) {
  std::uint64_t total = 0;
  std::vector<std::function<void()>> tasks;
  for (const TableTask& table : tables) {
    for (auto& piece : PiecesOf(table, strings)) {
      total += table.stored.rows;
      tasks.push_back([&table, &progress, read = std::move(piece)] {
        read();
        progress.Advance(table.stored.rows);
      });
    }
  }
  progress.Start("loading", total, "values");
  ForEachOnThreads(tasks.size(), ThreadsUpTo(kMostParquetThreads),
                   [&](std::size_t i, unsigned) { tasks[i](); });
}

// Manifests are a few kB; a long list of unused tables and diagnostics may make a few MB.
constexpr std::size_t kLargestManifest = 64 << 20;

}  // namespace

bool IsStoredTrace(const fs::path& folder) {
  std::error_code ignored;
  const fs::path file = folder / kManifestFile;
  if (!fs::is_regular_file(file, ignored)) return false;
  std::ifstream in(file, std::ios::binary);
  std::string start(kManifestStart.size(), '\0');
  in.read(start.data(), static_cast<std::streamsize>(start.size()));
  return in && start == kManifestStart;
}

StoredManifest ReadManifest(const fs::path& folder) {
  const fs::path file = folder / kManifestFile;
  std::error_code ignored;
  if (!fs::exists(file, ignored)) {
    throw Error(folder.string() + " is not a stored trace: it has no manifest.json", kImportAgain);
  }
  std::string text;
  try {
    text = ReadWholeFile(file, kLargestManifest);
  } catch (const Error& e) {
    throw Error(e.what(), kImportAgain);
  }
  try {
    return ParseManifest(text);
  } catch (const Error& e) {
    throw Error(file.string() + ": " + e.what(), e.hint().empty() ? kImportAgain : e.hint());
  }
}

Trace LoadStoredTrace(const fs::path& folder, Progress* progress) {
  NoProgress silent;
  StoredManifest manifest = ReadManifest(folder);
  TraceTables tables;
  tables.kind_counts = manifest.kind_counts;
  try {
    std::vector<TableTask> tasks = TasksFor(manifest, tables);
    OpenFiles(folder, tasks);
    for (const TableTask& task : tasks) {
      for (const BoundColumn& column : task.absent) FillAbsent(column, task.file->rows());
    }
    ReadTables(tasks, tables.strings, progress == nullptr ? silent : *progress);
    tables.info = std::move(manifest.info);
    tables.log = std::move(manifest.log);
    return Trace(std::move(tables));
  } catch (const Error& e) {
    throw Error(folder.string() + ": " + e.what(), kImportAgain);
  }
}

}  // namespace xsp
