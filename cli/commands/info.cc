#include "cli/command.h"
#include "cli/inputs/open_trace.h"
#include "cli/options/common_options.h"
#include "cli/options/output.h"
#include "cli/options/read_selection.h"
#include "cli/terminal/console.h"
#include "cli/terminal/progress_bar.h"
#include "hierarchy/steps/steps.h"
#include "report/screens/info_report.h"

namespace xsp {
namespace {

class InfoAction final : public Action {
 public:
  void AddOptions(OptionSet& options) override {
    AddTraceArgument(options, path_);
    steps_.AddTo(options);
    window_.AddTo(options);
    output_.AddTo(options, {"capture", "gpus", "processes", "counts", "nvtx_domains", "missing",
                            "diagnostics", "log_tables", "log_reasons", "unused_tables"});
  }

  ExitCode Run() override {
    Output output(output_);
    ProgressBar progress(output_.quiet);
    OpenedTrace opened = OpenTrace(path_, &progress, Notes(output_.quiet));
    const Steps steps = FindSteps(opened.trace);
    const StepsInfo steps_info = StepsInfoOf(opened.trace, steps);
    const TracePart part =
        TakePart(std::move(opened.trace), ReadSelection(window_, steps_), &steps);
    progress.Clear();
    Report report = MakeInfoReport(part.trace, opened.source, part.window, steps_info);
    WarnOfJournal(path_, report);
    output.Write(report);
    return ExitCode::kOk;
  }

 private:
  std::string path_;
  StepOptions steps_;
  WindowOptions window_;
  OutputOptions output_;
};

}  // namespace

extern const Command kInfoCommand;
const Command kInfoCommand = {
    "info",
    "Traces",
    "what a trace holds, what it lacks, and what became of every row",
    "Shows on one screen where a trace comes from, the GPUs and processes in it, how many events\n"
    "of each kind it has, what the capture lacks and which option of nsys would record that, and\n"
    "the import log: rows read, kept and set aside, and why.",
    {{{"xsp info train.sqlite", "everything about a capture"},
      {"xsp info train.sqlite --nvtx 'step 7' --format json", "one step's counts, for a script"}}},
    []() -> std::unique_ptr<Action> { return std::make_unique<InfoAction>(); }};

}  // namespace xsp
