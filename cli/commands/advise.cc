#include "sim/diagnosis/advise.h"

#include "cli/command.h"
#include "cli/inputs/forecast_inputs.h"
#include "cli/inputs/throughput_inputs.h"
#include "cli/options/common_options.h"
#include "cli/options/option_set.h"
#include "cli/options/output.h"
#include "cli/options/read_selection.h"
#include "cli/options/without_option.h"
#include "cli/terminal/progress_bar.h"
#include "report/forecasts/whatif_report.h"

namespace xsp {
namespace {

class AdviseAction final : public Action {
 public:
  void AddOptions(OptionSet& options) override {
    AddTraceArgument(options, path_);
    machine_.AddTo(options);
    throughput_.AddTo(options);
    steps_.AddTo(options);
    window_.AddTo(options);
    without_.AddTo(options);
    rules_.AddTo(options);
    output_.AddTo(options, {"items", "others", "habits"});
    output_.AddTimeUnitTo(options);
  }

  ExitCode Run() override {
    Output output(output_);
    ProgressBar progress(output_.quiet);
    const OpenedWorkbench opened(
        path_, {ReadSelection(window_, steps_), machine_.Read(), false, without_.IgnoredRules()},
        rules_.Rules(), output_.quiet, &progress);
    const TraceGraph& run = opened.run();
    const AdviceReport advice =
        Advise(opened.bench(),
               FindHabits(run.graph(), run.unit(), MeasuredTimes(run.steps(), run.unit())));
    Report report = MakeAdviceReport(opened.bench(), advice, opened.head(), path_);
    throughput_.AddSection(path_, opened, &advice, report);
    without_.SayIn(report);
    progress.Clear();
    output.Write(report);
    return ExitCode::kOk;
  }

 private:
  std::string path_;
  MachineOptions machine_;
  ThroughputOptions throughput_;
  StepOptions steps_;
  WindowOptions window_;
  WithoutOption without_;
  RuleOptions rules_;
  OutputOptions output_;
};

}  // namespace

extern const Command kAdviseCommand;
const Command kAdviseCommand = {
    "advise",
    "What if",
    "which changes are worth trying, ranked",
    "Runs every what-if that needs no decision of yours, ranks those that gain "
    "something by the\n"
    "gain and by how sure it is, says which of them fix the same time, and "
    "what they gain\n"
    "together. Each row has the command that repeats it.",
    {{{"xsp advise train.sqlite", "what should be tried first?"},
      {"xsp advise train.sqlite --format json", "the same for scripts"}}},
    []() -> std::unique_ptr<Action> { return std::make_unique<AdviseAction>(); }};

}  // namespace xsp
