#include <algorithm>

#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/console.h"
#include "cli/graph_window.h"
#include "cli/open_trace.h"
#include "cli/output.h"
#include "cli/progress_bar.h"
#include "graph/builder.h"
#include "graph/leverage.h"
#include "graph/slice.h"
#include "model/error.h"
#include "report/leverage_report.h"

namespace xsp {
namespace {

// Enough for every group that matters, few enough to simulate each.
constexpr std::size_t kGroupsPerLevel = 60;

// All steps but the chosen ones set aside, as cold ones are.
Steps OnlyChosen(Steps steps, const std::vector<std::uint32_t>& chosen) {
  for (std::uint32_t i = 0; i < steps.size(); ++i) {
    steps.steps[i].cold = i < chosen.front() || chosen.back() < i;
  }
  return steps;
}

// When the host was at work on the chosen steps: it runs ahead of their times.
TimeRange HostTime(const GraphPart& part) {
  TimeRange time = *part.time;
  for (const std::vector<HostStep>& steps : part.steps().of_process) {
    if (steps.empty()) continue;
    time.begin = std::min(time.begin, steps[part.chosen.front()].host.begin);
    time.end = std::min(time.end, steps[part.chosen.back()].host.end);
  }
  return time;
}

class LeverageAction final : public Action {
 public:
  void AddOptions(OptionSet& options) override {
    AddTraceArgument(options, path_);
    steps_.AddTo(options);
    window_.AddTo(options);
    rows_.top = 20;
    rows_.AddTopTo(options);
    rules_.AddTo(options);
    names_.AddTo(options);
    output_.AddTo(options);
    output_.AddTimeUnitTo(options);
  }

  ExitCode Run() override {
    Output output(output_);
    ProgressBar progress(output_.quiet);
    OpenedTrace opened = OpenTrace(path_, &progress, Notes(output_.quiet));
    const GraphPart part =
        ChooseGraphPart(std::move(opened.trace), window_, steps_, rules_.Rules());
    const TaskGraph graph = BuildGraph(*part.trace, *part.hierarchy);
    Report report;
    if (part.chosen.size() >= kStepsForUnit) {
      report = Measured(graph, OnlyChosen(part.steps(), part.chosen), part, opened.source);
    } else if (!part.chosen.empty()) {
      report = Measured(Slice(graph, HostTime(part)).graph, {}, part, opened.source);
    } else if (part.time) {
      report = Measured(graph, {}, part, opened.source, *part.time);
    } else {
      report = Measured(graph, part.steps(), part, opened.source);
    }
    progress.Clear();
    output.Write(report);
    return ExitCode::kOk;
  }

 private:
  Report Measured(const TaskGraph& graph, const Steps& steps, const GraphPart& part,
                  const TraceSource& source, TimeRange time = kAllTime) {
    if (graph.op_count() == 0) {
      throw Error("no work of a GPU was launched in this part of the trace: " + part.window.text,
                  "take a longer one: calls and the work that they launch must be in it");
    }
    const std::vector<TaskGroup> groups = LeverageGroups(graph, kGroupsPerLevel, names_.form);
    const LeverageReport leverage = MeasureLeverage(graph, steps, groups, time);
    return MakeLeverageReport(graph, groups, leverage, source, part.window, rows_.top);
  }

  std::string path_;
  StepOptions steps_;
  WindowOptions window_;
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
    "span, where there are fewer than three steady steps) would be if it took 10 % less, half, or\n"
    "nothing. By simulation, not by share: what nobody waits for is worth nothing.\n"
    "\n"
    "A range is the device work launched in it; a host_range is the host's own time in it.",
    {{{"xsp leverage train.sqlite", "where an hour of work pays off most"},
      {"xsp leverage train.sqlite --top 0 --format csv", "everything, for a spreadsheet"}}},
    []() -> std::unique_ptr<Action> { return std::make_unique<LeverageAction>(); }};

}  // namespace xsp
