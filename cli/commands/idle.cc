#include "base/error.h"
#include "cli/command.h"
#include "cli/inputs/open_trace.h"
#include "cli/options/common_options.h"
#include "cli/options/output.h"
#include "cli/options/read_selection.h"
#include "cli/terminal/console.h"
#include "cli/terminal/progress_bar.h"
#include "graph/readings/host_profile.h"
#include "graph/unit/trace_graph.h"
#include "report/graph/idle_report.h"
#include "report/tables/units.h"

namespace xsp {
namespace {

class IdleAction final : public Action {
 public:
  void AddOptions(OptionSet& options) override {
    AddTraceArgument(options, path_);
    options
        .Each(
            "--min-gap", [this](const std::string& text) { view_.min_gap = ParseGap(text); },
            "List only gaps of at least this length, as in 50us")
        .Value("TIME");
    steps_.AddTo(options);
    window_.AddTo(options);
    rows_.AddTopTo(options);
    output_.AddTo(options, {"causes", "devices", "gaps", "host_activities"});
    output_.AddTimeUnitTo(options);
  }

  ExitCode Run() override {
    Output output(output_);
    ProgressBar progress(output_.quiet);
    OpenedTrace opened = OpenTrace(path_, &progress, Notes(output_.quiet));
    const TraceGraph run(std::move(opened.trace), ReadSelection(window_, steps_));
    const OpenRanges ranges(run.hierarchy());
    const IdleAnalysis analysis = AnalyzeIdle(run.graph(), ranges, run.steps(), run.unit());
    view_.top = rows_.top;
    progress.Clear();
    output.Write(MakeIdleReport(run.graph(), analysis, ranges, opened.source, run.window(), view_));
    return ExitCode::kOk;
  }

 private:
  static DurationNs ParseGap(const std::string& text) {
    if (const auto length = ParseDuration(text); length && *length >= 0) return *length;
    throw Error("--min-gap: '" + text + "' is no length of time: write 50us");
  }

  std::string path_;
  IdleReportOptions view_;
  StepOptions steps_;
  WindowOptions window_;
  RowOptions rows_;
  OutputOptions output_;
};

}  // namespace

extern const Command kIdleCommand;
const Command kIdleCommand = {
    "idle",
    "Waits",
    "when and why devices did nothing",
    "Every stretch in which a device did nothing, with its cause from the dependency graph; the\n"
    "causes sum to the idle time of each device. Untraced host time, the usual cause, is named by\n"
    "what the capture has: open ranges, operating-system calls, scheduling, CPU samples.\n"
    "\n"
    "By default in the counted steps that the first line names, or from the first device "
    "operation\n"
    "to the last where there are fewer than three; --steps, --time and --nvtx say where to look.",
    {{{"xsp idle train.sqlite", "why the GPU starves"},
      {"xsp idle train.sqlite --steps 5-15 --min-gap 100us --top 50",
       "the long gaps of some steps, one by one"}}},
    []() -> std::unique_ptr<Action> { return std::make_unique<IdleAction>(); }};

}  // namespace xsp
