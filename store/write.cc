#include <algorithm>
#include <functional>

#include "model/error.h"
#include "store/folder_in_progress.h"
#include "store/manifest_json.h"
#include "store/output_file.h"
#include "store/parquet_file.h"
#include "store/stored_tables.h"
#include "store/stored_trace.h"
#include "store/workers.h"

namespace xsp {
namespace {

template <class T>
ValuesAt View(const std::vector<T>& values) {
  return {reinterpret_cast<const std::byte*>(values.data()), sizeof(T)};
}

template <class Table>
void AddColumns(const Table& table, TableSource& source) {
  ForEachColumn<Table>(
      [&](const auto& column) { source.columns.push_back(View(table.*(column.member))); });
}

template <class Row>
void AddColumns(const std::vector<Row>& rows, TableSource& source) {
  ForEachColumn<Row>([&](const auto& column) {
    const auto* first = rows.empty() ? nullptr : &(rows.front().*(column.member));
    source.columns.push_back(ValuesAt{reinterpret_cast<const std::byte*>(first), sizeof(Row)});
  });
}

void AddColumns(const StringPool& strings, TableSource& source) {
  source.columns.push_back(TextAt{[&](std::size_t row) { return strings[StringId(row)]; }});
}

TextRuns KindRuns(const TraceTables& tables) {
  TextRuns kinds;
  for (EventKind kind : AllEventKinds()) {
    kinds.runs.emplace_back(NameOf(kind), tables.kind_counts[IndexOf(kind)]);
  }
  return kinds;
}

// All tables, as views into the trace.
std::vector<TableSource> SourcesOf(const TraceTables& tables) {
  std::vector<TableSource> sources;
  ForEachStoredTable(tables, [&]<class Table>(const TableName& name, const Table& table,
                                              std::uint32_t first_event) {
    TableSource source{SchemaOf<Table>(name), StoredRows(table), {}};
    if (name.key != RowKey::kNone) source.columns.push_back(RowNumbers{first_event});
    if constexpr (std::is_same_v<Table, Events>) source.columns.push_back(KindRuns(tables));
    AddColumns(table, source);
    sources.push_back(std::move(source));
  });
  return sources;
}

std::uint64_t ValueCount(const std::vector<TableSource>& tables) {
  std::uint64_t values = 0;
  for (const TableSource& table : tables) values += table.rows * table.columns.size();
  return values;
}

void WriteTables(const std::vector<TableSource>& tables, const std::filesystem::path& folder,
                 Progress& progress, StoredManifest& manifest) {
  std::vector<std::function<void()>> tasks;
  std::vector<const TableSource*> largest_first;
  for (const TableSource& table : tables) {
    manifest.tables[std::string(table.schema.name)].rows = table.rows;
    if (table.rows > 0) largest_first.push_back(&table);
  }
  std::stable_sort(largest_first.begin(), largest_first.end(), [](const auto* a, const auto* b) {
    return a->rows * a->columns.size() > b->rows * b->columns.size();
  });
  for (const TableSource* table : largest_first) {
    StoredFile& written = manifest.tables.at(std::string(table->schema.name)).file;
    tasks.push_back([table, &folder, &progress, &written] {
      written = WriteParquet(*table, folder / table->schema.FileName(), progress);
    });
  }
  RunOnThreads(tasks);
}

void WriteManifest(const StoredManifest& manifest, const std::filesystem::path& file) {
  const std::string text = ManifestText(manifest);
  OutputFile output(file);
  if (const int error = output.Write(text.data(), text.size())) throw CannotWrite(file, error);
  output.Finish();
}

}  // namespace

void WriteStoredTrace(const Trace& trace, const SourceStamp& source,
                      const std::filesystem::path& folder, Progress* progress) {
  NoProgress silent;
  Progress& listener = progress == nullptr ? silent : *progress;
  StoredManifest manifest;
  manifest.writer = "xsp " XSP_VERSION;
  manifest.source = source;
  manifest.info = trace.info();
  manifest.kind_counts = trace.tables().kind_counts;
  manifest.log = trace.log();

  FolderInProgress work(folder);
  const std::vector<TableSource> tables = SourcesOf(trace.tables());
  listener.Start("storing", ValueCount(tables), "values");
  try {
    WriteTables(tables, work.path(), listener, manifest);
    WriteManifest(manifest, work.path() / kManifestFile);
  } catch (const Error& e) {
    throw Error("cannot store the trace in " + folder.string() + ": " + e.what(), e.hint());
  }
  work.Publish();
}

}  // namespace xsp
