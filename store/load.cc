#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>

#include "model/error.h"
#include "store/manifest_json.h"
#include "store/parquet_file.h"
#include "store/stored_tables.h"
#include "store/stored_trace.h"
#include "store/workers.h"

namespace xsp {
namespace {

namespace fs = std::filesystem;

constexpr const char* kImportAgain = "import the trace again";

// One stored table: where it comes from and what is to be read of it.
struct TableTask {
  TableSchema schema;
  StoredTable stored;
  std::optional<ParquetFile> file;
  std::vector<std::function<void(const ParquetFile&)>> columns;
};

template <class Table>
void AddColumns(Table& table, TableTask& task) {
  ForEachColumn<Table>([&](const auto& column) {
    auto& values = table.*(column.member);
    task.columns.push_back([&values, name = column.name](const ParquetFile& file) {
      values.resize(file.rows());
      file.ReadValues(name, reinterpret_cast<std::byte*>(values.data()), sizeof(values[0]));
    });
  });
}

template <class Row>
void AddColumns(std::vector<Row>& rows, TableTask& task) {
  task.columns.push_back([&rows](const ParquetFile& file) {
    rows.resize(file.rows());
    ForEachColumn<Row>([&](const auto& column) {
      auto* first = &(rows.front().*(column.member));
      file.ReadValues(column.name, reinterpret_cast<std::byte*>(first), sizeof(Row));
    });
  });
}

void AddColumns(StringPool& strings, TableTask& task) {
  task.columns.push_back([&strings](const ParquetFile& file) {
    file.ReadTexts("text", [&](std::string_view text) { strings.Intern(text); });
    if (strings.size() != file.rows()) throw Error("strings.parquet: a text occurs twice");
  });
}

std::vector<TableTask> TasksFor(const StoredManifest& manifest, TraceTables& tables) {
  std::vector<TableTask> tasks;
  ForEachStoredTable(tables, [&]<class Table>(const TableName& name, Table& table, std::uint32_t) {
    const auto stored = manifest.tables.find(std::string(name.name));
    if (stored == manifest.tables.end()) {
      throw Error("manifest.json: table " + std::string(name.name) + " is missing", kImportAgain);
    }
    if (stored->second.rows == 0) return;
    TableTask& task = tasks.emplace_back();
    task.schema = SchemaOf<Table>(name);
    task.stored = stored->second;
    AddColumns(table, task);
  });
  std::stable_sort(tasks.begin(), tasks.end(), [](const TableTask& a, const TableTask& b) {
    return a.stored.file.bytes > b.stored.file.bytes;
  });
  return tasks;
}

// Reads and checks all files, largest first.
void OpenFiles(const fs::path& folder, std::vector<TableTask>& tables) {
  std::vector<std::function<void()>> tasks;
  for (TableTask& table : tables) {
    tasks.push_back(
        [&] { table.file.emplace(folder / table.schema.FileName(), table.schema, table.stored); });
  }
  RunOnThreads(tasks);
}

void ReadColumns(std::vector<TableTask>& tables, Progress& progress) {
  std::uint64_t total = 0;
  std::vector<std::function<void()>> tasks;
  for (const TableTask& table : tables) {
    for (const auto& read : table.columns) {
      total += table.stored.rows;
      tasks.push_back([&] {
        read(*table.file);
        progress.Advance(table.stored.rows);
      });
    }
  }
  progress.Start("loading", total, "values");
  RunOnThreads(tasks);
}

std::string ReadText(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw Error(file.string() + ": cannot be read: " + std::strerror(errno));
  return std::move(text).str();
}

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
  try {
    return ParseManifest(ReadText(file));
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
    ReadColumns(tasks, progress == nullptr ? silent : *progress);
    tables.info = std::move(manifest.info);
    tables.log = std::move(manifest.log);
    return Trace(std::move(tables));
  } catch (const Error& e) {
    throw Error(folder.string() + ": " + e.what(), kImportAgain);
  }
}

}  // namespace xsp
