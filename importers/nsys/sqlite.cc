#include "importers/nsys/sqlite.h"

#include <algorithm>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/utf8.h"
#include "base/workers.h"
#include "importers/nsys/catalog.h"
#include "importers/nsys/context.h"
#include "importers/nsys/scan.h"
#include "importers/nsys/tables/entities.h"
#include "importers/nsys/tables/info.h"
#include "importers/nsys/tables/tracks.h"
#include "importers/operators/nvtx_operators.h"
#include "importers/sqlite/db.h"
#include "importers/sqlite/salvage.h"
#include "model/building/trace_builder.h"

namespace xsp {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kMostThreads = 6;

// Whether SQLite can read the list of tables, to its end.
bool CanRead(const SqliteAccess& access) {
  try {
    const SqliteDb db(access);
    db.Prepare("SELECT sum(length(sql)) FROM sqlite_master").Step();
    return true;
  } catch (const SqliteError&) {
    return false;
  }
}

// Files are taken as they lie there, except beside a leftover journal: then SQLite may look at it,
// if it can without writing. `note` says what was done.
SqliteAccess ChooseAccess(const fs::path& file, bool salvage, std::string* note) {
  SqliteAccess access{file, true, salvage};
  const std::optional<std::string> journal = LeftoverJournal(file);
  if (!journal) return access;
  access.immutable = false;
  if (CanRead(access)) {
    *note = *journal + " lies beside the file: read together with it";
    return access;
  }
  access.immutable = true;
  *note = *journal +
          " lies beside the file and cannot be used without writing: it was ignored, the newest "
          "changes may be missing";
  return access;
}

// Where the list of tables is damaged, what is left of it is put together anew.
void SalvageTableList(SqliteAccess& access) {
  if (CanRead(access)) return;
  access.image = RebuildTableList(access.file);
}

// What is wrong with the list of tables: "" if nothing.
std::string FlawsOfList(const SqliteAccess& access) {
  if (!access.image) return {};
  const std::size_t lost = access.image->lost_pages;
  if (lost == 0) return "tables begin behind the end of the file";
  return "the list of tables is damaged (" + std::to_string(lost) +
         (lost == 1 ? " page" : " pages") + " of it lost): tables may be missing";
}

// Notes all damage, in the log and as the reason why a trace is partial.
void ReportDamage(const SqliteAccess& access, const NsysEntities& entities, const NsysScan& scan,
                  TraceBuilder& builder) {
  std::string& reason = builder.info().partial_reason;
  reason = FlawsOfList(access);
  if (access.image && access.image->lost_pages > 0) {
    builder.log().AddIssue("sqlite_schema", ImportReason::kDamaged, reason,
                           access.image->lost_pages);
  }
  if (reason.empty()) reason = scan.Damage();
  for (const auto& [table, what] : entities.damaged) {
    builder.log().AddIssue(table, ImportReason::kDamaged, what);
    if (reason.empty()) reason = "table " + table + ": " + what;
  }
}

// What a database is that is no nsys export.
[[noreturn]] void RefuseDatabase(const fs::path& file, const NsysCatalog& catalog) {
  if (catalog.Has("StringTable", "_id_")) {
    throw Error(file.string() + ": is a database of nvprof or the Visual Profiler, not of nsys",
                "record with nsys profile, then nsys export --type sqlite");
  }
  if (catalog.Has("read_only_kernels") || catalog.Has("read_only_ops") ||
      catalog.Has("kernel_iteration_stats")) {
    throw Error(file.string() + ": is a database of DLProf, not an nsys export",
                "give the nsys report that DLProf made: nsys export --type sqlite");
  }
  throw Error(file.string() +
                  ": is an SQLite database, but not of nsys: no StringIds, CUPTI or NVTX tables",
              "xsp reads SQLite exports of Nsight Systems: nsys export --type sqlite");
}

bool IsNsys(const NsysCatalog& catalog) {
  if (catalog.Has("StringTable", "_id_")) return false;
  if (catalog.Has("StringIds") || catalog.Has("NVTX_EVENTS")) return true;
  return std::any_of(catalog.tables().begin(), catalog.tables().end(), [](const auto& entry) {
    return entry.first.starts_with("CUPTI_ACTIVITY_KIND_");
  });
}

unsigned ThreadsFor(const ImportOptions& options) {
  if (options.threads > 0) return options.threads;
  return ThreadsUpTo(kMostThreads);
}

// Chains come first: events look them up.
void ReadTables(NsysShared& shared, NsysScan& scan) {
  std::vector<NsysTableSpec> chains, events;
  AddChainTables(shared.catalog, chains);
  AddCudaWorkTables(shared.catalog, events);
  AddCudaCallTables(shared.catalog, events);
  AddNvtxTables(shared.catalog, events);
  AddHostTables(shared.catalog, events);
  AddMemoryTables(shared.catalog, events);
  AddSampleTables(shared.catalog, events);
  const std::vector<std::size_t> chain_runs = scan.Plan(chains);
  const std::vector<std::size_t> event_runs = scan.Plan(events);
  scan.StartProgress();
  scan.Read(chain_runs);
  shared.chains.Close(shared.builder);
  scan.Read(event_runs);
  shared.nvtx.Close(shared.builder, "NVTX_EVENTS");
}

void FillInfo(const SqliteDb& db, const NsysCatalog& catalog, const fs::path& file,
              const std::string& note, TraceInfo& info) {
  std::error_code error;
  info.format = kNsysFormat;
  info.source_name = ToUtf8(file.filename().string());
  info.source_bytes = fs::file_size(file, error);
  ReadInfo(db, catalog, info);
  FindMissing(db, catalog, info);
  if (!note.empty()) info.diagnostics.insert(info.diagnostics.begin(), {0, false, note});
}

Trace Import(const SqliteAccess& access, const std::string& note, const ImportOptions& options) {
  const SqliteDb db(access);
  const NsysCatalog catalog(db);
  if (!IsNsys(catalog) && access.image) throw SqliteError(SQLITE_CORRUPT, FlawsOfList(access));
  if (!IsNsys(catalog)) RefuseDatabase(access.file, catalog);
  const NsysEntities entities = ReadEntities(db, catalog, access.salvage);
  const NsysStringIndex string_index(db, catalog, access.salvage);
  const NvtxPayloads payloads(db, catalog);
  TraceBuilder builder;
  FillInfo(db, catalog, access.file, note, builder.info());

  NsysShared shared{access, catalog, entities, string_index, payloads, builder};
  NoProgress silent;
  NsysScan scan(shared, ThreadsFor(options), options.progress ? *options.progress : silent);
  ReadTables(shared, scan);
  NsysContext context(shared);
  DescribeTracks(context);
  scan.ReportTo(builder.log());
  ReportDamage(access, entities, scan, builder);
  // A journal that was ignored: what was written last is not in the file itself.
  const bool ignores_journal = !note.empty() && access.immutable;
  if (ignores_journal && builder.info().partial_reason.empty()) {
    builder.info().partial_reason = note;
  }
  builder.info().partial = !builder.info().partial_reason.empty();
  try {
    return DecodeOperators(std::move(builder).BuildTables());
  } catch (const Error& error) {
    throw Error(access.file.string() + ": " + error.what(), "export the report again");
  }
}

}  // namespace

std::optional<std::string> LeftoverJournal(const fs::path& file) {
  for (const char* suffix : {"-wal", "-journal"}) {
    std::error_code error;
    fs::path journal = file;
    journal += suffix;
    const std::uintmax_t size = fs::file_size(journal, error);
    if (!error && size > 0) return journal.filename().string();
  }
  return std::nullopt;
}

Trace ImportNsysSqlite(const fs::path& file, const ImportOptions& options) {
  std::string note;
  SqliteAccess access = ChooseAccess(file, options.salvage, &note);
  try {
    if (options.salvage) SalvageTableList(access);
    return Import(access, note, options);
  } catch (const SqliteError& error) {
    throw Error(file.string() + ": cannot be read: " + error.what(),
                options.salvage ? "the file is damaged beyond what can be kept: export it again"
                                : "the file is damaged or not complete: export it again, or keep "
                                  "what it still gives with xsp import --salvage");
  }
}

}  // namespace xsp
