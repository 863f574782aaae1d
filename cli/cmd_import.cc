#include <chrono>
#include <future>

#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/console.h"
#include "cli/hash_task.h"
#include "cli/import_plan.h"
#include "cli/nsys_report.h"
#include "cli/output.h"
#include "cli/progress_bar.h"
#include "cli/source_stamp.h"
#include "importers/importer.h"
#include "model/error.h"
#include "report/import_report.h"

namespace xsp {
namespace fs = std::filesystem;
namespace {

struct ImportSettings {
  std::vector<std::string> files;
  std::string out;
  bool force = false;
  bool dry_run = false;
  bool salvage = false;
  OutputOptions output;
};

std::uint64_t BytesBelow(const fs::path& folder) {
  std::uint64_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  return bytes;
}

TraceSource SourceOf(const fs::path& file, const TraceInfo& info, const std::string& sha256) {
  return {file.string(), info.format, sha256, info.partial, info.partial_reason};
}

ImportedFile UpToDate(const ImportJob& job, std::uint64_t source_bytes) {
  const StoredManifest manifest = ReadManifest(job.stored);
  ImportedFile result;
  result.outcome = ImportOutcome::kUpToDate;
  result.source = SourceOf(job.file, manifest.info, manifest.source.sha256);
  result.stored = job.stored.string();
  result.kind_counts = manifest.kind_counts;
  result.log = manifest.log;
  result.source_bytes = source_bytes;
  result.stored_bytes = BytesBelow(job.stored);
  return result;
}

// Imports one file after the other.
class FileImporter {
 public:
  FileImporter(const ImportSettings& settings, Progress& progress)
      : settings_(settings), progress_(progress) {}

  ImportedFile Import(const ImportJob& job) {
    const auto begin = std::chrono::steady_clock::now();
    const fs::path file = IsNsysReport(job.file)
                              ? ExportOfNsysReport(job.file, Notes(settings_.output.quiet))
                              : job.file;
    SourceStamp stamp = StampOf(file);
    const bool occupied = LookAtTarget(job.stored, "") != Standing::kNothing;
    if (occupied) {
      stamp.sha256 = Sha256OfFile(file, &progress_);
      if (LookAtTarget(job.stored, stamp.sha256) == Standing::kSame && !settings_.force) {
        return UpToDate(job, stamp.bytes);
      }
      if (!settings_.force) RefuseToReplace(job);
    }
    if (!settings_.dry_run) CheckWritable(job.stored);

    ImportedFile result = Store(ReadAndHash(file, stamp), stamp, job);
    if (occupied && !settings_.dry_run) result.outcome = ImportOutcome::kReplaced;
    result.elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - begin);
    return result;
  }

 private:
  [[noreturn]] static void RefuseToReplace(const ImportJob& job) {
    throw Error(
        job.stored.string() + " exists and was made from something else than " + job.file.string(),
        "--force replaces it, -o puts the new one elsewhere");
  }

  // Reads the file while another thread hashes it, and makes sure that both saw the same file.
  Trace ReadAndHash(const fs::path& file, SourceStamp& stamp) {
    std::optional<HashTask> hash;
    if (stamp.sha256.empty()) hash.emplace(file);
    ImportOptions options;
    options.salvage = settings_.salvage;
    options.progress = &progress_;
    Trace trace = ImportFile(file, options);
    if (hash) stamp.sha256 = hash->Wait();
    SourceStamp after = StampOf(file);
    after.sha256 = stamp.sha256;
    if (after != stamp) throw Error(file.string() + " changed while it was being read");
    return trace;
  }

  ImportedFile Store(Trace trace, const SourceStamp& stamp, const ImportJob& job) {
    ImportedFile result;
    result.source = SourceOf(job.file, trace.info(), stamp.sha256);
    result.stored = job.stored.string();
    result.kind_counts = trace.tables().kind_counts;
    result.log = trace.log();
    result.source_bytes = stamp.bytes;
    if (settings_.dry_run) {
      result.outcome = ImportOutcome::kWouldWrite;
      return result;
    }
    if (job.stored.has_parent_path()) fs::create_directories(job.stored.parent_path());
    WriteStoredTrace(trace, stamp, job.stored, &progress_);
    result.stored_bytes = BytesBelow(job.stored);
    return result;
  }

  const ImportSettings& settings_;
  Progress& progress_;
};

class ImportAction final : public Action {
 public:
  void AddOptions(OptionSet& options) override {
    options.Add("FILE", settings_.files, "Exports (.sqlite) or reports (.nsys-rep) of nsys")
        .Required()
        .Value("");
    options
        .Add("-o", settings_.out,
             "Where the stored trace goes: its own name, or a folder for several")
        .Value("DIR");
    options.Flag("--force", settings_.force, "Replace a stored trace, whatever it was made from");
    options.Flag("--dry-run", settings_.dry_run, "Read and report, but write nothing");
    options.Flag("--salvage", settings_.salvage,
                 "Keep what a damaged file still gives; the trace is marked as partial");
    settings_.output.AddTo(options);
  }

  ExitCode Run() override {
    Output output(settings_.output);
    ProgressBar progress(settings_.output.quiet);
    FileImporter importer(settings_, progress);
    std::vector<ImportedFile> done;
    ExitCode code = ExitCode::kOk;
    for (const ImportJob& job : PlanImports(settings_.files, settings_.out)) {
      try {
        done.push_back(importer.Import(job));
      } catch (const Error& error) {  // The other files can still be imported.
        progress.Clear();
        SayError(error.what(), error.hint());
        code = ExitCode::kTrouble;
      }
    }
    progress.Clear();
    if (!done.empty() && !NobodyAsked()) output.Write(MakeImportReport(done));
    return code;
  }

 private:
  // --quiet means silence, unless the result was asked for in some form.
  bool NobodyAsked() const {
    const OutputOptions& output = settings_.output;
    return output.quiet && output.format == OutputFormat::kTable && output.output.empty() &&
           output.writes.empty();
  }

  ImportSettings settings_;
};

}  // namespace

extern const Command kImportCommand;
const Command kImportCommand = {
    "import",
    "Traces",
    "store a trace as a folder of Parquet files that opens in a moment",
    "Writes NAME.xsp beside each file. Every command then reads that instead of the file, as long\n"
    "as the file stays as it is; DuckDB, pandas and Polars read it as well. A stored trace that "
    "was\n"
    "made from the very same file is left as it is; one that was made from another is replaced\n"
    "only with --force. An import that fails or is interrupted leaves nothing behind.",
    {{{"xsp import train.sqlite", "writes train.xsp beside it"},
      {"xsp import runs/*.sqlite -o stored", "puts several into one folder"}}},
    []() -> std::unique_ptr<Action> { return std::make_unique<ImportAction>(); }};

}  // namespace xsp
