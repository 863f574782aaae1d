#include <algorithm>
#include <functional>

#include "base/error.h"
#include "base/workers.h"
#include "store/dataset/rank_store.h"
#include "store/folder_in_progress.h"
#include "store/manifest_json.h"
#include "store/output_file.h"
#include "store/parquet/bound_tables.h"
#include "store/parquet/parquet_file.h"
#include "store/stored_trace.h"

namespace xsp {
namespace {

TextRuns KindRuns(const TraceTables& tables) {
  TextRuns kinds;
  for (EventKind kind : AllEventKinds()) {
    kinds.runs.emplace_back(NameOf(kind), tables.kind_counts[IndexOf(kind)]);
  }
  return kinds;
}

TableSource SourceOf(const BoundTable& table, const TraceTables& tables) {
  TableSource source{table.schema, table.rows, {}};
  if (table.key != RowKey::kNone) source.columns.emplace_back(RowNumbers{table.first_event});
  if (table.is_events) source.columns.emplace_back(KindRuns(tables));
  if (table.is_strings) {
    source.columns.emplace_back(
        TextAt{[&tables](std::size_t row) { return tables.strings[StringId(row)]; }});
  }
  for (const BoundColumn& column : table.columns) {
    source.columns.emplace_back(ValuesAt{column.first(), column.stride});
  }
  return source;
}

// All tables that have rows, as views into the trace, largest first.
std::vector<TableSource> SourcesOf(const TraceTables& tables, StoredManifest& manifest) {
  std::vector<TableSource> sources;
  // Bound to be read only.
  for (const BoundTable& table : BindTables(const_cast<TraceTables&>(tables))) {
    manifest.tables[std::string(table.schema.name)].rows = table.rows;
    if (table.rows > 0) sources.push_back(SourceOf(table, tables));
  }
  std::stable_sort(sources.begin(), sources.end(), [](const auto& a, const auto& b) {
    return a.rows * a.columns.size() > b.rows * b.columns.size();
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
  ForEachOnThreads(tables.size(), ThreadsUpTo(kMostParquetThreads), [&](std::size_t i, unsigned) {
    const TableSchema& schema = tables[i].schema;
    manifest.tables.at(std::string(schema.name)).file =
        WriteParquet(tables[i], folder / schema.FileName(), progress);
  });
}

void WriteManifest(const StoredManifest& manifest, const std::filesystem::path& file) {
  const std::string text = ManifestText(manifest);
  OutputFile output(file);
  if (const int error = output.Write(text.data(), text.size())) throw CannotWrite(file, error);
  output.Finish();
}

}  // namespace

void WriteStoredTrace(const Trace& trace, const SourceStamp& source,
                      const std::filesystem::path& folder, Progress* progress,
                      const std::vector<RankTables>* ranks) {
  NoProgress silent;
  Progress& listener = progress == nullptr ? silent : *progress;
  StoredManifest manifest;
  manifest.writer = "xsp " XSP_VERSION;
  manifest.source = source;
  manifest.info = trace.info();
  manifest.kind_counts = trace.tables().kind_counts;
  manifest.log = trace.log();

  FolderInProgress work(folder);
  const std::vector<TableSource> tables = SourcesOf(trace.tables(), manifest);
  listener.Start("storing", ValueCount(tables), "values");
  try {
    WriteTables(tables, work.path(), listener, manifest);
    WriteManifest(manifest, work.path() / kManifestFile);
    if (ranks != nullptr) WriteRankTables(*ranks, work.path());
  } catch (const Error& e) {
    throw Error("cannot store the trace in " + folder.string() + ": " + e.what(), e.hint());
  }
  work.Publish();
}

}  // namespace xsp
