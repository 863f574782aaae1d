#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/error.h"
#include "cli/command.h"
#include "cli/datasets/dataset_importer.h"
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
    options
        .Add("--graph-names", settings_.graph_names,
             "Names the kernels that CUDA graphs replay: another recording of the same model, with "
             "ranges and without graphs, or PyTorch's annotations of graph nodes (JSON)")
        .Value("FILE");
    AddFrameworkNamesTo(options);
    options.Add("--dataset", dataset_.dataset, "The files are ranks of a run in this dataset")
        .Value("DIR")
        .Group("Many ranks");
    options.Add("--run", dataset_.run, "The name of the run").Value("NAME").Group("Many ranks");
    options
        .Add("--rank-regex", dataset_.rank_regex,
             "Finds the rank in a file's name, where nothing in the file tells it: 'rank([0-9]+)'")
        .Value("REGEX")
        .Group("Many ranks");
    options.Add("-j", dataset_.jobs, "So many files at once, as far as memory allows; default 1")
        .Value("N")
        .Group("Many ranks");
    output_.AddTo(options, {"events", "log_reasons", "recordings", "taken", "ranks"});
  }

  ExitCode Run() override {
    Output output(output_);
    ProgressBar progress(output_.quiet);
    settings_.quiet = output_.quiet;
    if (IsForDataset()) return ImportRanks(output, progress);
    FileImporter importer(settings_, progress);
    std::vector<ImportedFile> done;
    const ExitCode code = merge_ ? Merge(importer, done) : ImportEach(importer, progress, done);
    progress.Clear();
    if (!done.empty() && !output_.IsSilent()) output.Write(MakeImportReport(done));
    return code;
  }

 private:
  // Throws Error for options that do not go together.
  bool IsForDataset() const {
    const bool is_any = !dataset_.dataset.empty() || !dataset_.run.empty() ||
                        !dataset_.rank_regex.empty() || dataset_.jobs != 1;
    if (!is_any) return false;
    if (dataset_.dataset.empty() || dataset_.run.empty()) {
      throw Error("a dataset needs both --dataset DIR and --run NAME",
                  "as in: xsp import *.sqlite --dataset runs --run monday -j 4");
    }
    if (merge_ || !out_.empty()) throw Error("--dataset goes with neither --merge nor -o");
    return true;
  }

  ExitCode ImportRanks(Output& output, ProgressBar& progress) {
    DatasetImporter importer(dataset_, settings_, progress);
    std::vector<ImportedRank> ranks = importer.Run(files_);
    progress.Clear();
    const bool is_bad = std::any_of(ranks.begin(), ranks.end(),
                                    [](const ImportedRank& r) { return !r.trouble.empty(); });
    if (!output_.IsSilent()) {
      output.Write(MakeDatasetImportReport(dataset_.dataset, dataset_.run, std::move(ranks)));
    }
    return is_bad ? ExitCode::kTrouble : ExitCode::kOk;
  }

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
  DatasetSettings dataset_;
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
    "agree, and refuses what does not belong together.\n\n"
    "--dataset DIR --run NAME makes a run of the files of many ranks: DIR/run=NAME/global_rank=N/\n"
    "for each. The same command may run on several machines at once, and again for what failed:\n"
    "ranks that are there are left as they are. docs/dataset.md has the layout and queries.",
    {{{"xsp import train.sqlite", "writes train.xsp beside it"},
      {"xsp import --merge nsys.sqlite torch.json -o run.xsp", "one trace of two recordings"}}},
    []() -> std::unique_ptr<Action> { return std::make_unique<ImportAction>(); }};

}  // namespace xsp
