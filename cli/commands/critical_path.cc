#include "cli/command.h"
#include "cli/inputs/open_trace.h"
#include "cli/options/common_options.h"
#include "cli/options/output.h"
#include "cli/options/read_selection.h"
#include "cli/terminal/console.h"
#include "cli/terminal/progress_bar.h"
#include "graph/readings/path_analysis.h"
#include "graph/unit/trace_graph.h"
#include "report/graph/path_report.h"
#include "report/timelines/chrome_timeline.h"

namespace xsp {
namespace {

class CriticalPathAction final : public Action {
 public:
  void AddOptions(OptionSet& options) override {
    AddTraceArgument(options, path_);
    steps_.AddTo(options);
    window_.AddTo(options);
    rows_.AddTopTo(options);
    rules_.AddTo(options);
    output_.AddTo(
        options,
        {"breakdown", "by_layer", "by_range", "runs", "path", "slack_by_name", "slack", "next"},
        {OutputFormat::kChrome});
    output_.AddTimeUnitTo(options);
  }

  ExitCode Run() override {
    Output output(output_);
    ProgressBar progress(output_.quiet);
    OpenedTrace opened = OpenTrace(path_, &progress, Notes(output_.quiet));
    const TraceGraph run(std::move(opened.trace), ReadSelection(window_, steps_),
                         {.rules = rules_.Rules()});
    const TaskGraph& graph = run.graph();
    const TaskPlaces places(graph);
    const PathAnalysis analysis = AnalyzePath(graph, places, run.steps(), run.unit());
    Report report =
        MakePathReport(graph, places, analysis, Diagnose(graph, run.hierarchy(), run.unit()),
                       opened.source, run.window(), rows_.top);
    if (output_.Wants(OutputFormat::kChrome)) {
      report.documents.emplace_back(
          OutputFormat::kChrome,
          ChromeTimeline(graph, analysis.replay, analysis.unit.time, &analysis.path));
    }
    progress.Clear();
    output.Write(report);
    return ExitCode::kOk;
  }

 private:
  std::string path_;
  StepOptions steps_;
  WindowOptions window_;
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
    "The chain of work and waits that fills a counted step (or the GPU span, where there are "
    "fewer\n"
    "than three) without a hole: what it is made of, by kind, layer and host range, each summing\n"
    "to the measured time, as means over the steps that the first line names; the path of one of\n"
    "them as runs of host and device; how much slack the rest has; and the path that is left once\n"
    "the largest part is gone.\n"
    "\n"
    "The graph is that of the whole run: --steps, --time and --nvtx say where to look. What\n"
    "--device, --process, --thread and --stream leave out counts as untraced time.",
    {{{"xsp critical-path train.sqlite", "where the step's time is decided"},
      {"xsp critical-path train.sqlite --steps 7 --format chrome --output path.json",
       "step 7 as a timeline for Perfetto, with the path marked"}}},
    []() -> std::unique_ptr<Action> { return std::make_unique<CriticalPathAction>(); }};

}  // namespace xsp
