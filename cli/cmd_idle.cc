#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/console.h"
#include "cli/open_trace.h"
#include "cli/output.h"
#include "cli/progress_bar.h"
#include "graph/builder.h"
#include "graph/host_profile.h"
#include "graph/idle.h"
#include "graph/replay.h"
#include "model/error.h"
#include "report/idle_report.h"
#include "report/units.h"

namespace xsp {
namespace {

class IdleAction final : public Action {
 public:
  void AddOptions(CLI::App& app) override {
    AddTraceArgument(app, path_);
    rows_.AddTopTo(app);
    app.add_option("--min-gap", min_gap_, "List only gaps of at least this length")
        ->type_name("TIME")
        ->group("Output");
    output_.AddTo(app);
  }

  ExitCode Run() override {
    Output output(output_);
    ProgressBar progress(output_.quiet);
    const OpenedTrace opened = OpenTrace(path_, &progress, Notes(output_.quiet));
    IdleReportOptions options;
    options.top = rows_.top;
    if (!min_gap_.empty()) {
      const auto length = ParseDuration(min_gap_);
      if (!length) throw Error("'" + min_gap_ + "' is no length of time", "write it as in 50us");
      options.min_gap = *length;
    }
    const TaskGraph graph = BuildGraph(opened.trace);
    const SimSpan span = MeasuredGpuSpan(graph);
    IdleReport idle;
    if (!span.empty()) {
      idle = FindIdle(graph, SimulateGuided(graph), {span.begin.ns, span.end.ns});
    }
    const HostProfile profile = ProfileHost(graph, idle.hosts);
    progress.Clear();
    output.Write(MakeIdleReport(graph, idle, profile, opened.source, {}, options));
    return ExitCode::kOk;
  }

 private:
  std::string path_;
  RowOptions rows_;
  std::string min_gap_;
  OutputOptions output_;
};

}  // namespace

extern const Command kIdleCommand;
const Command kIdleCommand = {
    "idle",
    "Waits",
    "when and why devices did nothing",
    "Every stretch in which a device did nothing, with its cause from the dependency graph; "
    "causes\n"
    "sum to the idle time of each device. Untraced host time, the usual cause, is broken down by\n"
    "what the capture has: ranges, operating-system calls, scheduling, CPU samples.",
    {{{"xsp idle train.sqlite", "why the GPU starves"},
      {"xsp idle train.sqlite --min-gap 100us --top 50", "the long gaps, one by one"}}},
    []() -> std::unique_ptr<Action> { return std::make_unique<IdleAction>(); }};

}  // namespace xsp
