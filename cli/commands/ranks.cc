#include <filesystem>
#include <optional>

#include "base/error.h"
#include "cli/command.h"
#include "cli/inputs/open_trace.h"
#include "cli/options/common_options.h"
#include "cli/options/output.h"
#include "cli/terminal/progress_bar.h"
#include "cli/terminal/result_file.h"
#include "report/ranks/ranks_report.h"
#include "sim/ranks/operations_job.h"
#include "store/parquet/operations_file.h"

namespace xsp {
namespace {

const std::vector<std::string> kByWords = {"rank", "host", "stage", "gpu"};

class RanksAction final : public Action {
 public:
  void AddOptions(OptionSet& options) override {
    AddTracesArgument(options, paths_, "JOB");
    options.Choice(
        "--by", kByWords, [this](std::size_t i) { view_.by = RanksBy(i); },
        "What has a row of its own; rank is the default");
    rows_.top = view_.top;
    rows_.AddTopTo(options);
    output_.AddTo(options, {"ranks", "slowdowns", "by_type", "by_stage", "by_data_parallel",
                            "by_rank", "by_host", "collectives", "clocks"});
    output_.AddTimeUnitTo(options);
  }

  ExitCode Run() override {
    Output output(output_);
    ProgressBar progress(output_.quiet);
    RanksAnalysis analysis = Analyze();
    progress.Clear();
    view_.top = rows_.top;
    output.Write(MakeRanksReport(analysis, view_));
    return ExitCode::kOk;
  }

 private:
  RanksAnalysis Analyze() {
    for (const std::string& path : paths_) CheckExists(path);
    const std::filesystem::path first = paths_.front();
    if (!IsParquetFile(first)) {
      throw Error(first.string() + ": not a table of operations", "docs/ranks.md says what is one");
    }
    if (paths_.size() > 1) {
      throw Error("a table of operations holds a whole job: give one",
                  "xsp ranks " + paths_.front());
    }
    ProtectInput(first);
    view_.run = first.stem().string();
    TraceSource source;
    source.path = paths_.front();
    source.format = "operations";
    view_.sources = {source};
    RanksAnalysis analysis = AnalyzeJob(JobOfOperations(ReadOperationsFile(first)), 0);
    analysis.collectives = CollectivesByType(analysis.job);
    return analysis;
  }

  std::vector<std::string> paths_;
  RanksReportOptions view_;
  RowOptions rows_;
  OutputOptions output_;
};

}  // namespace

extern const Command kRanksCommand;
const Command kRanksCommand = {
    "ranks",
    "Many ranks",
    "who is late in a job of many ranks, and what that costs",
    "Reads a job of many ranks and says who holds it up: how long each rank computes, transfers "
    "and\n"
    "waits, who came last and kept others waiting, and, by simulating the job without its\n"
    "stragglers, how much slower it is than it could be (S), by kind of operation, stage,\n"
    "data-parallel rank and rank.\n"
    "\n"
    "There are two notions of what could be. Against all workers, as in published work: every\n"
    "operation takes the mean of its kind over all of them, so that a stage with more to do is a\n"
    "fault. Against peers: the mean over ranks that do equal work.\n"
    "\n"
    "A job is a table of operations (Parquet, docs/ranks.md).",
    {{{"xsp ranks job.parquet", "who is late, and what it costs"},
      {"xsp ranks job.parquet --by stage --format json", "by stage, for a script"}}},
    []() -> std::unique_ptr<Action> { return std::make_unique<RanksAction>(); }};

}  // namespace xsp
