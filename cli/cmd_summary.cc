#include <optional>

#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/console.h"
#include "cli/open_trace.h"
#include "cli/output.h"
#include "cli/progress_bar.h"
#include "cli/window.h"
#include "graph/builder.h"
#include "graph/idle.h"
#include "graph/scheduler.h"
#include "graph/unit.h"
#include "model/recorder.h"
#include "report/summary_report.h"

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

// What a user who has seen the summary would do next.
std::vector<NextStep> NextSteps(const OpenedTrace& opened) {
  const std::string path = Quoted(opened.source.path);
  std::vector<NextStep> steps = {{"xsp info " + path, "everything about the capture"}};
  if (!opened.trace.DeviceWork().empty()) {
    steps.push_back({"xsp tree " + path, "where the time went, from step to kernel"});
    steps.push_back({"xsp critical-path " + path, "what decided how long it took"});
  }
  if (!opened.from_store) steps.push_back({"xsp import " + path, "opens in a moment next time"});
  const auto& missing = opened.trace.info().missing;
  if (!missing.empty()) {
    std::string command(RecorderCommand(opened.trace.info().format));
    if (!command.empty()) command += ' ';
    steps.push_back({command + missing.front().flag, "would also record: " + missing.front().what});
  }
  return steps;
}

class SummaryAction final : public Action {
 public:
  void AddOptions(OptionSet& options) override {
    AddTraceArgument(options, path_);
    steps_.AddTo(options);
    window_.AddTo(options);
    names_.AddTo(options);
    rows_.AddTopTo(options);
    rows_.AddSortTo(options, {"total", "mean", "longest", "count", "name"});
    output_.AddTimeUnitTo(options);
    output_.AddTo(options);
  }

  ExitCode Run() override {
    Output output(output_);
    ProgressBar progress(output_.quiet);
    OpenedTrace opened = OpenTrace(path_, &progress, Notes(output_.quiet));
    SummaryOptions options;
    options.top = rows_.top;
    options.sort = rows_.sort;
    options.names = names_.form;
    options.next = NextSteps(opened);
    const WindowedTrace part = ApplyWindow(std::move(opened.trace), window_, steps_);
    const std::optional<IdleReport> idle = WhyIdle(part.trace);
    if (idle) options.idle = &*idle;
    progress.Clear();
    output.Write(MakeSummaryReport(part.trace, opened.source, part.window, options));
    return ExitCode::kOk;
  }

 private:
  // Only of a whole run: who waits for whom cannot be told from a part.
  std::optional<IdleReport> WhyIdle(const Trace& trace) const {
    if (!window_.Empty() || !steps_.Empty()) return std::nullopt;
    const Hierarchy hierarchy(trace);
    const TaskGraph graph = BuildGraph(trace, hierarchy);
    if (graph.op_count() == 0) return std::nullopt;
    return FindIdle(graph, SimulateGuided(graph), {SpanUnit(graph).time});
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
    "the first look: busy and idle time, top kernels (also: xsp TRACE)",
    "Shows how busy each device was, which kernels took the time, and what to try next. This is\n"
    "what 'xsp TRACE' does without a command.",
    {{{"xsp train.sqlite", "the summary of a whole trace"},
      {"xsp train.sqlite --time 1.2s-3.4s --top 20", "of a part of it, with more kernels"}}},
    []() -> std::unique_ptr<Action> { return std::make_unique<SummaryAction>(); }};

}  // namespace xsp
