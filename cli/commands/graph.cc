#include <optional>

#include "base/error.h"
#include "cli/command.h"
#include "cli/inputs/open_trace.h"
#include "cli/options/common_options.h"
#include "cli/options/output.h"
#include "cli/options/read_selection.h"
#include "cli/options/without_option.h"
#include "cli/terminal/console.h"
#include "cli/terminal/progress_bar.h"
#include "graph/builder.h"
#include "graph/readings/assessment.h"
#include "graph/unit/graph_part.h"
#include "report/graph/edges_report.h"
#include "report/graph/explain_report.h"
#include "report/graph/graph_report.h"
#include "report/timelines/chrome_timeline.h"

namespace xsp {
namespace {

class GraphAction final : public Action {
 public:
  void AddOptions(OptionSet& options) override {
    AddTraceArgument(options, path_);
    without_.AddTo(options);
    options.Add("--explain", explain_, "Why this task began and finished no earlier").Value("TASK");
    options.Flag("--edges", edges_,
                 "The graph itself: its nodes, and its edges by type and weight");
    steps_.AddTo(options);
    window_.AddTo(options);
    rows_.AddTopTo(options);
    output_.AddTo(options,
                  {"rules", "constants", "steps", "interference", "unexplained", "violated_edges",
                   "nodes", "edges"},
                  {OutputFormat::kDot, OutputFormat::kChrome});
    output_.AddTimeUnitTo(options);
  }

  ExitCode Run() override {
    const std::uint32_t ignored = without_.IgnoredRules();
    Output output(output_);
    ProgressBar progress(output_.quiet);
    OpenedTrace opened = OpenTrace(path_, &progress, Notes(output_.quiet));
    GraphPart part = ChooseGraphPart(std::move(opened.trace), ReadSelection(window_, steps_));
    ExpectOnePiece(part);
    if (output_.Wants(OutputFormat::kDot) && !part.time) {
      throw Error("a whole trace is too much for a picture: --format dot needs a part of it",
                  "add --steps 3, --time 1.2s-1.3s or --nvtx RANGE");
    }
    const TaskGraph graph = BuildGraph(*part.trace, *part.hierarchy);
    Report report = MakeReport(graph, part, opened.source, ignored);
    if (!explain_) without_.SayIn(report);
    AddDocuments(graph, part, ignored, report);
    progress.Clear();
    output.Write(report);
    return ExitCode::kOk;
  }

 private:
  // How far a graph can be trusted is told of one stretch of time.
  void ExpectOnePiece(GraphPart& part) const {
    if (part.request.times.size() < 2) return;
    if (!steps_.Empty()) {
      throw Error("--steps " + steps_.steps + ": the graph is judged in consecutive steps only",
                  "write it as 7 or 5-15");
    }
    part.window.text += ", from the first to the last of them";
  }

  Report MakeReport(const TaskGraph& graph, const GraphPart& part, const TraceSource& source,
                    std::uint32_t ignored) const {
    if (explain_) {
      if (*explain_ >= graph.task_count()) {
        throw Error("there is no task " + std::to_string(*explain_),
                    "tasks are numbered from 0 to " + std::to_string(graph.task_count() - 1));
      }
      return MakeExplainReport(graph, TaskId(*explain_), source);
    }
    if (edges_) {
      Answers answers;
      const Schedule replay = Replay(graph, ignored, &answers);
      const GraphExcerpt excerpt = ExcerptOf(graph, replay, answers, part.time.value_or(kAllTime));
      return MakeEdgesReport(graph, replay, excerpt, source, part.window);
    }
    const GraphAssessment assessment =
        Assess(graph, part.steps(), ignored, part.time.value_or(kAllTime));
    return MakeGraphReport(graph, assessment, source, part.window, rows_.top);
  }

  void AddDocuments(const TaskGraph& graph, const GraphPart& part, std::uint32_t ignored,
                    Report& report) const {
    const TimeRange time = part.time.value_or(kAllTime);
    Answers answers;
    if (output_.Wants(OutputFormat::kDot)) {
      const Schedule replay = Replay(graph, ignored, &answers);
      report.documents.emplace_back(OutputFormat::kDot,
                                    GraphDot(graph, ExcerptOf(graph, replay, answers, time)));
    }
    if (output_.Wants(OutputFormat::kChrome)) {
      report.documents.emplace_back(OutputFormat::kChrome,
                                    ChromeTimeline(graph, Replay(graph, ignored, nullptr), time));
    }
  }

  static Schedule Replay(const TaskGraph& graph, std::uint32_t ignored, Answers* answers) {
    Overlay overlay;
    overlay.ignored_rules = ignored;
    return Simulate(graph, overlay, answers);
  }

  std::string path_;
  WithoutOption without_;
  std::optional<std::uint32_t> explain_;
  bool edges_ = false;
  StepOptions steps_;
  WindowOptions window_;
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
    "what was measured, what would happen if every kernel took half as long, and what it cannot\n"
    "explain, worst first. Task numbers are what --explain takes.\n"
    "\n"
    "--format chrome writes what was measured beside what was simulated as a timeline for "
    "Perfetto;\n"
    "--format dot draws a part of the graph. Constants always come from the whole run: --steps,\n"
    "--time and --nvtx say where to look. What --device, --process, --thread and --stream leave\n"
    "out counts as untraced time.",
    {{{"xsp graph train.sqlite", "how far forecasts from this trace can be trusted"},
      {"xsp graph train.sqlite --explain 4711", "why a task began when it did"}}},
    []() -> std::unique_ptr<Action> { return std::make_unique<GraphAction>(); }};

}  // namespace xsp
