#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/console.h"
#include "cli/open_trace.h"
#include "cli/output.h"
#include "cli/progress_bar.h"
#include "graph/builder.h"
#include "hierarchy/steps.h"
#include "report/path_report.h"

namespace xsp {
namespace {

class CriticalPathAction final : public Action {
 public:
  void AddOptions(CLI::App& app) override {
    AddTraceArgument(app, path_);
    rows_.AddTopTo(app);
    rules_.AddTo(app);
    output_.AddTo(app);
  }

  ExitCode Run() override {
    Output output(output_);
    ProgressBar progress(output_.quiet);
    const OpenedTrace opened = OpenTrace(path_, &progress, Notes(output_.quiet));
    const TaskGraph graph = BuildGraph(opened.trace);
    const KernelRules& rules = rules_.Rules();
    const Report report =
        MakePathReport(graph, FindSteps(opened.trace, rules), rules, opened.source, rows_.top);
    progress.Clear();
    output.Write(report);
    return ExitCode::kOk;
  }

 private:
  std::string path_;
  RowOptions rows_;
  RuleOptions rules_;
  OutputOptions output_;
};

}  // namespace

extern const Command kCriticalPathCommand;
const Command kCriticalPathCommand = {
    "critical-path",
    "Waits",
    "what decided how long a step took",
    "The chain of work and waits that fills the median steady step (or the GPU span, where there\n"
    "are no steps) without a hole: a breakdown that sums to the measured time, the longest runs,\n"
    "and the path that is left once the largest part is gone.",
    {{{"xsp critical-path train.sqlite", "where the step's time is decided"},
      {"xsp critical-path train.sqlite --format json", "every piece of the path"}}},
    []() -> std::unique_ptr<Action> { return std::make_unique<CriticalPathAction>(); }};

}  // namespace xsp
