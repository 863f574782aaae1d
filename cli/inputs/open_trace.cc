#include "cli/inputs/open_trace.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/suggest.h"
#include "cli/inputs/source_stamp.h"
#include "cli/terminal/result_file.h"
#include "importers/importer.h"
#include "importers/nsys/sqlite.h"
#include "importers/operators/nvtx_operators.h"
#include "report/tables/json.h"
#include "report/tables/text.h"
#include "store/dataset/dataset.h"
#include "store/stored_trace.h"

namespace xsp {
namespace fs = std::filesystem;
namespace {

TraceSource SourceOf(const TraceInfo& info, const fs::path& path, std::string format,
                     const std::string& sha256) {
  TraceSource source;
  source.path = path.string();
  source.format = std::move(format);
  if (!sha256.empty()) source.source_sha256 = sha256;
  source.partial = info.partial;
  source.partial_reason = info.partial_reason;
  return source;
}

TraceSource SourceOf(const StoredManifest& manifest, const fs::path& folder,
                     const fs::path& shown_as) {
  const std::string format = folder == shown_as ? "xsp" : manifest.info.format;
  return SourceOf(manifest.info, shown_as, format, manifest.source.sha256);
}

OpenedTrace OpenStored(const fs::path& folder, const fs::path& shown_as, Progress* progress) {
  const StoredManifest manifest = ReadManifest(folder);
  Trace trace = LoadStoredTrace(folder, progress);
  // Stored before there was a table of operators.
  if (manifest.minor < 1) trace = DecodeOperators(std::move(trace));
  return {std::move(trace), SourceOf(manifest, folder, shown_as), true};
}

// The stored trace beside an export, if it can stand in for it.
std::optional<fs::path> FreshStoreOf(const fs::path& file, const NoteSink& note) {
  const fs::path stored = StoredBeside(file);
  if (!IsStoredTrace(stored)) return std::nullopt;
  std::string why = "was made from another state of that file";
  try {
    if (IsFresh(ReadManifest(stored), StampOf(file))) return stored;
  } catch (const Error& error) {
    why = std::string("cannot be used (") + error.what() + ")";
  }
  note(stored.string() + " " + why + ": reading " + file.string() +
       " itself; 'xsp import --force' renews it");
  return std::nullopt;
}

// What holds several traces is none.
void RefuseRuns(const fs::path& path) {
  if (IsRun(path)) {
    throw Error(path.string() + ": is a run of a dataset, which holds a trace per rank",
                "--rank N takes one of them; 'xsp ranks' compares them");
  }
  if (IsDataset(path)) {
    throw Error(path.string() + ": is a dataset of runs, not a trace",
                "'xsp runs " + path.string() + "' lists them");
  }
}

}  // namespace

void CheckExists(const fs::path& path) {
  std::error_code error;
  if (fs::exists(path, error)) return;
  if (error && error != std::errc::no_such_file_or_directory) {
    throw Error(path.string() + ": " + error.message());
  }
  std::vector<std::string> names;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    names.push_back(it->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  throw Error(path.string() + ": no such file", DidYouMean(path.filename().string(), names));
}

void WarnOfJournal(const fs::path& path, Report& report) {
  const std::optional<std::string> journal = LeftoverJournal(path);
  report.fields["journal"] = journal ? JsonText(*journal) : Json(nullptr);
  if (!journal) return;
  const Headline warning{SafeText(*journal) +
                             " lies beside the file: a program that wrote to it did not finish, "
                             "its newest rows may be missing.",
                         Look::kWarning};
  report.sections.insert(report.sections.begin(), warning);
}

std::optional<StoredPlace> FindStored(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error) || IsNsysReport(path)) return std::nullopt;
  ProtectInput(path);
  try {
    const fs::path folder = IsStoredTrace(path) ? path : StoredBeside(path);
    if (!IsStoredTrace(folder)) return std::nullopt;
    const StoredManifest manifest = ReadManifest(folder);
    if (folder != path && !IsFresh(manifest, StampOf(path))) return std::nullopt;
    return StoredPlace{folder, SourceOf(manifest, folder, path)};
  } catch (const Error&) {  // OpenTrace will say so.
    return std::nullopt;
  }
}

OpenedTrace OpenTrace(const fs::path& path, Progress* progress, const NoteSink& note) {
  CheckExists(path);
  ProtectInput(path);
  if (IsStoredTrace(path)) return OpenStored(path, path, progress);
  RefuseRuns(path);
  const fs::path file = IsNsysReport(path) ? ExportOfNsysReport(path, note) : path;
  if (const auto stored = FreshStoreOf(file, note)) {
    try {
      return OpenStored(*stored, path, progress);
    } catch (const Error& error) {
      note(std::string(error.what()) + ": reading " + file.string() + " itself; 'xsp import " +
           path.string() + "' mends it");
    }
  }
  ImportOptions options;
  options.progress = progress;
  Trace trace = ImportFile(file, options);
  TraceSource source = SourceOf(trace.info(), path, trace.info().format, "");
  return {std::move(trace), std::move(source), false};
}

}  // namespace xsp
