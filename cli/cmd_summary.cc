#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/console.h"
#include "cli/open_trace.h"
#include "cli/output.h"
#include "cli/progress_bar.h"
#include "cli/read_selection.h"
#include "graph/builder.h"
#include "graph/device_work.h"
#include "graph/graph_part.h"
#include "graph/idle.h"
#include "graph/scheduler.h"
#include "graph/unit.h"
#include "model/recorder.h"
#include "report/summary_report.h"
#include "sim/forecast.h"
#include "sim/habits.h"

namespace xsp {
namespace {

// As a shell wants it.
std::string Quoted(const std::string& path) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,/:@%";
  if (!path.empty() && path.find_first_not_of(kPlain) == std::string::npos) return path;
  std::string quoted = "'";
  for (char c : path) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// More than this many tasks would take too long to simulate for a first look: habits are then
// named without what it would gain to give them up.
constexpr std::uint32_t kMostTasks = 100'000;

// How many tasks a forecast of the unit simulates: those of its steps, or all.
std::uint64_t TasksOf(const TaskGraph& graph, const Steps& steps, const Unit& unit) {
  if (!unit.is_step || steps.size() == 0) return graph.task_count();
  return std::uint64_t{graph.task_count()} * (unit.step_count + unit.fill) / steps.size();
}

std::vector<Habit> HabitsOf(const TaskGraph& graph, const Hierarchy& hierarchy, const Unit& unit,
                            const std::vector<TimeRange>& times) {
  std::vector<Habit> habits = FindHabits(graph, unit, times);
  if (!habits.empty() && TasksOf(graph, hierarchy.steps(), unit) <= kMostTasks) {
    SimulateHabits(Workbench(graph, hierarchy, unit), habits);
  }
  return habits;
}

class SummaryAction final : public Action {
 public:
  void AddOptions(OptionSet& options) override {
    AddTraceArgument(options, path_);
    steps_.AddTo(options);
    window_.AddTo(options);
    names_.AddTo(options);
    rows_.top = 5;
    rows_.AddTopTo(options);
    rows_.AddSortTo(options, {"total", "mean", "longest", "count", "name"});
    output_.AddTimeUnitTo(options);
    output_.AddTo(options, {"kernels", "device_time"});
  }

  ExitCode Run() override {
    Output output(output_);
    ProgressBar progress(output_.quiet);
    OpenedTrace opened = OpenTrace(path_, &progress, Notes(output_.quiet));
    const SummaryOptions options = {rows_.top, rows_.sort, names_.form, Quoted(opened.source.path)};
    Report report =
        opened.trace.DeviceWork().empty() ? OfHost(opened, options) : OfDevices(opened, options);
    WarnOfJournal(path_, report);
    progress.Clear();
    output.Write(report);
    return ExitCode::kOk;
  }

 private:
  Report OfHost(OpenedTrace& opened, const SummaryOptions& options) const {
    const TracePart part = TakePart(std::move(opened.trace), ReadSelection(window_, steps_));
    return MakeHostSummaryReport(part.trace, opened.source, part.window, options);
  }

  // The part and the unit are those of idle, critical-path and leverage.
  Report OfDevices(OpenedTrace& opened, const SummaryOptions& options) const {
    GraphPart part = ChooseGraphPart(std::move(opened.trace), ReadSelection(window_, steps_));
    const TaskGraph graph = BuildGraph(*part.trace, *part.hierarchy);
    const Unit unit = UnitOf(graph, part);
    const std::vector<TimeRange> times = TimesOf(part.steps(), unit);
    IdleReport idle = FindIdle(graph, SimulateGuided(graph), times);
    TakeMeans(unit, idle);
    const std::optional<EventMask> wanted = EventsOfRanges(part);
    const std::vector<WorkPiece> pieces = WorkIn(*part.trace, times, wanted ? &*wanted : nullptr);
    const std::vector<Habit> habits = HabitsOf(graph, *part.hierarchy, unit, times);
    return MakeSummaryReport({graph, part.steps(), unit, idle, pieces, habits}, opened.source,
                             part.window, options);
  }

  std::string path_;
  StepOptions steps_;
  WindowOptions window_;
  NameOptions names_;
  RowOptions rows_;
  OutputOptions output_;
};

}  // namespace

extern const Command kSummaryCommand;
const Command kSummaryCommand = {
    "summary",
    "Traces",
    "the first look: a verdict, device time, top kernels (also: xsp TRACE)",
    "One screen: what decides how long it takes, the step, what each device was busy with and why\n"
    "it was idle, which kernels took the time, and what to do next. By default of the steady "
    "steps\n"
    "that the first line names, as idle, critical-path and leverage do. This is what 'xsp TRACE'\n"
    "does without a command.",
    {{{"xsp train.sqlite", "the first look at a trace"},
      {"xsp train.sqlite --time 1.2s-3.4s --top 20", "of a part of it, with more kernels"}}},
    []() -> std::unique_ptr<Action> { return std::make_unique<SummaryAction>(); }};

}  // namespace xsp
