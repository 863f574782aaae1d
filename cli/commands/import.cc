#include <filesystem>

#include "base/error.h"
#include "cli/command.h"
#include "cli/inputs/file_importer.h"
#include "cli/inputs/import_plan.h"
#include "cli/options/common_options.h"
#include "cli/options/output.h"
#include "cli/terminal/console.h"
#include "cli/terminal/progress_bar.h"
#include "report/screens/import_report.h"

namespace xsp {
namespace {

class ImportAction final : public Action {
 public:
  void AddOptions(OptionSet& options) override {
    options.Add("FILE", files_, "Exports (.sqlite) or reports (.nsys-rep) of nsys, PyTorch traces")
        .Required()
        .Value("");
    options.Add("-o", out_, "Where the stored trace goes: its own name, or a folder for several")
        .Value("DIR");
    options.Flag("--merge", merge_,
                 "The files become one trace: nsys and PyTorch's profiler on the same run, or one "
                 "file per rank");
    options.Flag("--force", settings_.force, "Replace a stored trace, whatever it was made from");
    options.Flag("--dry-run", settings_.dry_run, "Read and report, but write nothing");
    options.Flag("--salvage", settings_.salvage,
                 "Keep what a damaged file still gives; the trace is marked as partial");
    output_.AddTo(options, {"events", "log_reasons", "recordings", "taken"});
  }

  ExitCode Run() override {
    Output output(output_);
    ProgressBar progress(output_.quiet);
    settings_.quiet = output_.quiet;
    FileImporter importer(settings_, progress);
    std::vector<ImportedFile> done;
    const ExitCode code = merge_ ? Merge(importer, done) : ImportEach(importer, progress, done);
    progress.Clear();
    if (!done.empty() && !output_.IsSilent()) output.Write(MakeImportReport(done));
    return code;
  }

 private:
  ExitCode ImportEach(FileImporter& importer, ProgressBar& progress,
                      std::vector<ImportedFile>& done) {
    ExitCode code = ExitCode::kOk;
    for (const ImportJob& job : PlanImports(files_, out_)) {
      try {
        done.push_back(importer.Import(job));
      } catch (const Error& error) {  // The other files can still be imported.
        progress.Clear();
        SayError(error.what(), error.hint());
        code = ExitCode::kTrouble;
      }
    }
    return code;
  }

  // Under the name of one of the files, others would take the trace for that file's own.
  ExitCode Merge(FileImporter& importer, std::vector<ImportedFile>& done) {
    if (files_.size() < 2) throw Error("--merge needs at least two files");
    if (out_.empty()) {
      out_ = std::filesystem::path(files_.front()).replace_extension(".merged.xsp").string();
    }
    done.push_back(importer.Merge(files_, out_));
    return ExitCode::kOk;
  }

  std::vector<std::string> files_;
  std::string out_;
  bool merge_ = false;
  ImportSettings settings_;
  OutputOptions output_;
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
    "only with --force. An import that fails or is interrupted leaves nothing behind.\n\n"
    "--merge makes one trace of several recordings: the CUDA side of an nsys export with the\n"
    "operators and shapes of PyTorch's profiler, joined by the kernels that both saw, or the\n"
    "files of several ranks, put on one clock by their collectives. It says how well the clocks\n"
    "agree, and refuses what does not belong together.",
    {{{"xsp import train.sqlite", "writes train.xsp beside it"},
      {"xsp import --merge nsys.sqlite torch.json -o run.xsp", "one trace of two recordings"}}},
    []() -> std::unique_ptr<Action> { return std::make_unique<ImportAction>(); }};

}  // namespace xsp
