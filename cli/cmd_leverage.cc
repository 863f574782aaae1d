#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/console.h"
#include "cli/open_trace.h"
#include "cli/output.h"
#include "cli/progress_bar.h"
#include "graph/builder.h"
#include "graph/leverage.h"
#include "hierarchy/steps.h"
#include "report/leverage_report.h"

namespace xsp {
namespace {

// Enough for every group that matters, few enough to simulate each.
constexpr std::size_t kGroupsPerLevel = 60;

class LeverageAction final : public Action {
 public:
  void AddOptions(CLI::App& app) override {
    AddTraceArgument(app, path_);
    rows_.AddTopTo(app);
    rules_.AddTo(app);
    names_.AddTo(app);
    output_.AddTo(app);
  }

  ExitCode Run() override {
    Output output(output_);
    ProgressBar progress(output_.quiet);
    const OpenedTrace opened = OpenTrace(path_, &progress, Notes(output_.quiet));
    const TaskGraph graph = BuildGraph(opened.trace);
    const std::vector<TaskGroup> groups =
        LeverageGroups(graph, kGroupsPerLevel, rules_.Rules(), names_.form);
    const LeverageReport leverage =
        MeasureLeverage(graph, FindSteps(opened.trace, rules_.Rules()), groups);
    progress.Clear();
    output.Write(MakeLeverageReport(graph, groups, leverage, opened.source, rows_.top));
    return ExitCode::kOk;
  }

 private:
  std::string path_;
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
    "For each kernel class, kernel, call and range: how much shorter a step (or the GPU span) "
    "would\n"
    "be if it took 10 % less, half, or nothing. By simulation, not by share: what nobody waits "
    "for\n"
    "is worth nothing.",
    {{{"xsp leverage train.sqlite", "where an hour of work pays off most"},
      {"xsp leverage train.sqlite --top 0 --format csv", "everything, for a spreadsheet"}}},
    []() -> std::unique_ptr<Action> { return std::make_unique<LeverageAction>(); }};

}  // namespace xsp
