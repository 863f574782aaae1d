#include <optional>

#include "base/error.h"
#include "base/quantity.h"
#include "cli/command.h"
#include "cli/inputs/open_trace.h"
#include "cli/options/common_options.h"
#include "cli/options/output.h"
#include "cli/options/read_selection.h"
#include "cli/terminal/console.h"
#include "cli/terminal/progress_bar.h"
#include "hierarchy/hierarchy.h"
#include "hierarchy/selection/averaged_steps.h"
#include "report/timelines/tree_timeline.h"
#include "report/tree/tree_explain.h"
#include "report/tree/tree_report.h"

namespace xsp {
namespace {

const std::vector<std::string> kTreeLevels = {"rank", "step",    "phase", "layer",
                                              "op",   "library", "api",   "device"};

// "1%", "0.01", "0".
double ParseShare(const std::string& text) {
  const std::optional<double> share = ReadShare(text);
  if (!share || *share > 1) {
    throw Error("--min-share: '" + text + "' is no share: give 0, 0.02 or 2%");
  }
  return *share;
}

class TreeAction final : public Action {
 public:
  void AddOptions(OptionSet& options) override {
    AddTraceArgument(options, path_);
    steps_.AddTo(options);
    window_.AddTo(options);
    AddViewOptions(options);
    names_.AddTo(options);
    options
        .Add("--serialized", serialized_,
             "A run of the same program with CUDA_LAUNCH_BLOCKING=1: settles what belongs "
             "where when threads work at the same time")
        .Value("TRACE");
    rules_.AddTo(options);
    options
        .Add("--explain", explain_,
             "Why a node is where it is: its path as in CSV, or the end or a part of it")
        .Value("PATH");
    output_.AddTo(options, {"nodes", "facts", "operations"}, {OutputFormat::kChrome});
    output_.AddTimeUnitTo(options);
  }

  ExitCode Run() override {
    output_.whole_names = names_.IsWhole();
    Output output(output_);
    ProgressBar progress(output_.quiet);
    OpenedTrace opened = OpenTrace(path_, &progress, Notes(output_.quiet));
    const TracePart part = TakePart(std::move(opened.trace), ReadSelection(window_));
    view_.window_length = part.Length();
    // People see equal blocks once; who asks for everything, or for one of them, gets them apart.
    view_.fold = view_.min_share > 0 && view_.filter.empty() &&
                 !output_.Wants(OutputFormat::kJson) && !output_.Wants(OutputFormat::kCsv);
    const KernelRules& rules = rules_.Rules();
    std::optional<OpenedTrace> blocking;
    std::optional<Hierarchy> settling;
    if (!serialized_.empty()) {
      blocking = OpenTrace(serialized_, &progress, Notes(output_.quiet));
      settling.emplace(blocking->trace, rules);
    }
    const Hierarchy hierarchy(part.trace, rules, settling ? &*settling : nullptr);
    AveragedSteps choice = StepsToAverage(hierarchy.steps(), ReadSteps(steps_));
    if (steps_.steps == "all") {  // A child for each, and what lies outside of them.
      choice.steps = StepSet();
      choice.text = "whole trace, " + std::to_string(hierarchy.steps().size()) + " steps";
    }
    // People see kernels right below operations; scripts get the calls in between as well.
    const bool wants_calls = view_.deepest_level == Level::kApi ||
                             output_.Wants(OutputFormat::kJson) ||
                             output_.Wants(OutputFormat::kCsv);
    const PathTotals tree(hierarchy, {.steps = choice.steps,
                                      .with_calls = wants_calls && explain_.empty(),
                                      .keep_places = !explain_.empty()});
    progress.Clear();
    Window window = part.window;
    window.text = window_.Empty() ? choice.text : window.text + ", " + choice.text;
    if (settling) {
      Notes(output_.quiet)("the serialized run settled " +
                           std::to_string(hierarchy.settled().settled) + " of " +
                           std::to_string(hierarchy.settled().ambiguous) +
                           " operations whose place was told by time only");
    }
    Report report =
        explain_.empty()
            ? MakeTreeReport(tree, view_, names_.form, opened.source, window, choice.counted)
            : MakeTreeExplainReport(tree, FindTreeNode(tree, explain_), rules, names_.form,
                                    opened.source, window);
    if (output_.Wants(OutputFormat::kChrome)) {
      // A timeline is of the whole part, unless steps were asked for.
      report.documents.emplace_back(
          OutputFormat::kChrome,
          TreeTimeline(hierarchy, names_.form, steps_.Empty() ? StepSet() : choice.steps));
    }
    output.Write(report);
    return ExitCode::kOk;
  }

 private:
  void AddViewOptions(OptionSet& options) {
    options.Choice(
        "--level", kTreeLevels,
        [this](std::size_t i) { view_.deepest_level = *LevelFromName(kTreeLevels[i]); },
        "The deepest level shown; what lies below counts as its parent's own time");
    options.Add("--depth", view_.deepest_depth, "The deepest line shown, counted from the root")
        .Value("N");
    options
        .Add("--filter", view_.filter, "Only nodes whose path contains this, as in forward/block")
        .Value("PATH");
    options.Choice(
        "--sort", {"time", "start"}, [this](std::size_t i) { view_.sort_by_start = i == 1; },
        "Order of the children of a node; time is the default");
    view_.min_share = 0.01;
    options
        .Each(
            "--min-share", [this](const std::string& text) { view_.min_share = ParseShare(text); },
            "What has less of the device's and of the host's time goes to [other]; 1% by default, "
            "0 shows everything")
        .Value("SHARE");
  }

  std::string path_;
  std::string serialized_;
  std::string explain_;
  RuleOptions rules_;
  StepOptions steps_;
  WindowOptions window_;
  OutputOptions output_;
  TreeViewOptions view_;
  NameOptions names_;
};

}  // namespace

extern const Command kTreeCommand;
const Command kTreeCommand = {
    "tree",
    "Where time goes",
    "from the step down to one kernel, with totals that add up everywhere",
    "Shows who contains whom: rank, step, phase, layer, operation, library, call, kernel. Device\n"
    "work belongs where it was launched; backward work to the layer of its forward operation, by\n"
    "sequence number or, marked as temporal, by time; replayed graph work to its capture. Where\n"
    "nobody named anything, steps and layers are found in what repeats.\n"
    "\n"
    "By default the mean of the counted steps, with the spread between them; --steps all shows "
    "the\n"
    "whole trace with a child per step. What no fact places is [unattributed], what is cut is\n"
    "[other], and the last line says which facts the rest rests on. Equal siblings share a line\n"
    "(block 0-15 ×16); --min-share 0 and --filter show each. Without GPU work, it is about the\n"
    "host's time.\n"
    "\n"
    "--format chrome writes the trace as a timeline for Perfetto or chrome://tracing, with steps,\n"
    "phases, layers and operations as tracks above host threads and streams.",
    {{{"xsp tree train.sqlite --level layer", "phases and layers of a mean step"},
      {"xsp tree train.sqlite --steps all --min-share 0 --format json",
       "everything, for a script"}}},
    []() -> std::unique_ptr<Action> { return std::make_unique<TreeAction>(); }};

}  // namespace xsp
