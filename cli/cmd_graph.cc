#include <CLI/CLI.hpp>
#include <optional>

#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/console.h"
#include "cli/open_trace.h"
#include "cli/output.h"
#include "cli/progress_bar.h"
#include "graph/assessment.h"
#include "graph/builder.h"
#include "graph/rule.h"
#include "hierarchy/steps.h"
#include "model/error.h"
#include "report/graph_report.h"

namespace xsp {
namespace {

Rule RuleOf(const std::string& name) {
  if (const auto rule = RuleFromName(name)) return *rule;
  std::string names;
  for (Rule rule : AllRules()) names += (names.empty() ? "" : " ") + std::string(NameOf(rule));
  throw Error("no rule is called '" + name + "'", "rules: " + names);
}

class GraphAction final : public Action {
 public:
  void AddOptions(CLI::App& app) override {
    AddTraceArgument(app, path_);
    app.add_option("--without", without_,
                   "Leave out the edges of a rule in replay; may be repeated")
        ->type_name("RULE");
    app.add_option("--explain", explain_, "Why this task began and finished no earlier")
        ->type_name("TASK");
    rows_.AddTopTo(app);
    output_.AddTo(app);
  }

  ExitCode Run() override {
    Output output(output_);
    ProgressBar progress(output_.quiet);
    const OpenedTrace opened = OpenTrace(path_, &progress, Notes(output_.quiet));
    std::uint32_t ignored = 0;
    for (const std::string& name : without_) ignored |= 1u << IndexOf(RuleOf(name));
    const TaskGraph graph = BuildGraph(opened.trace);
    if (explain_) {
      if (*explain_ >= graph.task_count()) {
        throw Error("there is no task " + std::to_string(*explain_),
                    "tasks are numbered from 0 to " + std::to_string(graph.task_count()) + " - 1");
      }
      progress.Clear();
      output.Write(MakeExplainReport(graph, TaskId(*explain_), opened.source));
      return ExitCode::kOk;
    }
    const GraphAssessment assessment = Assess(graph, FindSteps(opened.trace), ignored);
    progress.Clear();
    output.Write(MakeGraphReport(graph, assessment, opened.source, rows_.top));
    return ExitCode::kOk;
  }

 private:
  std::string path_;
  std::vector<std::string> without_;
  std::optional<std::uint32_t> explain_;
  RowOptions rows_;
  OutputOptions output_;
};

}  // namespace

extern const Command kGraphCommand;
const Command kGraphCommand = {
    "graph",
    "Waits",
    "who waits for whom, and how far the simulation of it can be trusted",
    "Builds the dependency graph of a trace: every call and every piece of device work, and what\n"
    "each waits for. Then replays it with a handful of latencies, and shows how far that is from\n"
    "what was measured, what would happen if every kernel took half as long, and which idle time "
    "it\n"
    "cannot explain.",
    {{{"xsp graph train.sqlite", "how far forecasts from this trace can be trusted"},
      {"xsp graph train.sqlite --explain 4711", "why a task began when it did"}}},
    []() -> std::unique_ptr<Action> { return std::make_unique<GraphAction>(); }};

}  // namespace xsp
