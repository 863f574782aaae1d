#include "sim/diagnosis/leverage.h"

#include "cli/command.h"
#include "cli/inputs/open_trace.h"
#include "cli/options/common_options.h"
#include "cli/options/output.h"
#include "cli/options/read_selection.h"
#include "cli/options/without_option.h"
#include "cli/terminal/console.h"
#include "cli/terminal/progress_bar.h"
#include "graph/unit/trace_graph.h"
#include "report/forecasts/leverage_report.h"

namespace xsp {
namespace {

class LeverageAction final : public Action {
 public:
  void AddOptions(OptionSet& options) override {
    AddTraceArgument(options, path_);
    steps_.AddTo(options);
    window_.AddTo(options);
    without_.AddTo(options);
    rows_.top = 20;
    rows_.AddTopTo(options);
    rules_.AddTo(options);
    names_.AddTo(options);
    output_.AddTo(options, {"items"});
    output_.AddTimeUnitTo(options);
  }

  ExitCode Run() override {
    output_.whole_names = names_.IsWhole();
    Output output(output_);
    ProgressBar progress(output_.quiet);
    OpenedTrace opened = OpenTrace(path_, &progress, Notes(output_.quiet));
    const TraceGraph run(std::move(opened.trace), ReadSelection(window_, steps_),
                         {.rules = rules_.Rules(), .ignored_rules = without_.IgnoredRules()});
    const TaskGraph& graph = run.graph();
    const std::vector<TaskGroup> groups = LeverageGroups(graph, kGroupsPerLevel, names_.form);
    const LeverageReport leverage = MeasureLeverage(graph, run.steps(), run.unit(), groups);
    Report report =
        MakeLeverageReport(graph, groups, leverage, opened.source, run.window(), rows_.top);
    without_.SayIn(report);
    progress.Clear();
    output.Write(report);
    return ExitCode::kOk;
  }

 private:
  std::string path_;
  StepOptions steps_;
  WindowOptions window_;
  WithoutOption without_;
  RowOptions rows_;
  RuleOptions rules_;
  NameOptions names_;
  OutputOptions output_;
};

}  // namespace

extern const Command kLeverageCommand;
const Command kLeverageCommand = {
    "leverage",
    "Waits",
    "what a step would gain if something were faster",
    "For each kernel class, kernel, layer, call and range: how much shorter a step (or the GPU\n"
    "span, where there are fewer than three counted steps) would be if it took 10 % less, half, "
    "or\n"
    "nothing. By simulation, not by share: what nobody waits for is worth nothing.\n"
    "\n"
    "A range is the device work launched in it; a host_range is the host's own time in it.",
    {{{"xsp leverage train.sqlite", "where an hour of work pays off most"},
      {"xsp leverage train.sqlite --top 0 --format csv", "everything, for a spreadsheet"}}},
    []() -> std::unique_ptr<Action> { return std::make_unique<LeverageAction>(); }};

}  // namespace xsp
