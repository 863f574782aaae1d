#include <algorithm>
#include <filesystem>

#include "cli/command.h"
#include "cli/inputs/open_trace.h"
#include "cli/options/common_options.h"
#include "cli/options/output.h"
#include "cli/options/read_selection.h"
#include "cli/terminal/console.h"
#include "cli/terminal/progress_bar.h"
#include "hierarchy/leveled/leveled.h"
#include "hierarchy/selection/chosen_steps.h"
#include "report/tree/level_report.h"

namespace xsp {
namespace {

const std::vector<std::string> kShownLevels = {"phase", "layer", "op", "library", "device"};

class LevelAction final : public Action {
 public:
  void AddOptions(OptionSet& options) override {
    AddTracesArgument(options, paths_, "RUN");
    AddRankOption(options, paths_);
    steps_.AddTo(options);
    runs_.AddTo(options);
    rules_.AddTo(options);
    options.Choice(
        "--level", kShownLevels,
        [this](std::size_t i) { view_.deepest_level = *LevelFromName(kShownLevels[i]); },
        "The deepest level shown; layer is the default");
    rows_.top = view_.top;
    rows_.AddTopTo(options);
    options.Choice(
        "--sort", {"time", "overhead", "start"},
        [this](std::size_t i) { view_.sort = LevelViewOptions::Sort(i); },
        "By what rows are sorted; time is the default");
    names_.AddTo(options);
    output_.AddTo(options, {"levels", "nodes"});
    output_.AddTimeUnitTo(options);
  }

  ExitCode Run() override {
    output_.whole_names = names_.IsWhole();
    Output output(output_);
    ProgressBar progress(output_.quiet);
    std::vector<RunProfile> runs;
    std::vector<TraceSource> sources;
    for (const std::string& path : paths_) {
      const OpenedTrace opened = OpenTrace(path, &progress, Notes(output_.quiet));
      const Hierarchy hierarchy(opened.trace, rules_.Rules());
      runs.push_back(
          ProfileOf(hierarchy, StepsOf(hierarchy.steps()), NameOfRun(path), names_.form));
      sources.push_back(opened.source);
    }
    const LeveledRuns leveled = LevelRuns(runs, runs_.statistic);
    progress.Clear();
    view_.top = rows_.top;
    Report report = MakeLevelReport(leveled, runs, sources, runs_.statistic, view_);
    report.window.text = WindowWords(leveled, runs);
    output.Write(report);
    return ExitCode::kOk;
  }

 private:
  // In each run the steps that the options ask for; by default those that count.
  std::vector<std::uint32_t> StepsOf(const Steps& steps) const {
    return StepsToCount(steps, ReadSteps(steps_)).counted;
  }

  // The name of the file, or all of the path where another run has the same name.
  std::string NameOfRun(const std::string& path) const {
    const auto name_of = [](const std::string& p) { return std::filesystem::path(p).filename(); };
    const auto same = std::count_if(paths_.begin(), paths_.end(), [&](const std::string& other) {
      return name_of(other) == name_of(path);
    });
    return same > 1 || name_of(path).empty() ? path : name_of(path).string();
  }

  std::string StatisticWords() const {
    return runs_.statistic == Statistic::kTrimmed ? "trimmed mean"
                                                  : std::string(NameOf(runs_.statistic));
  }

  std::string WindowWords(const LeveledRuns& leveled, const std::vector<RunProfile>& runs) const {
    std::string words;
    switch (leveled.unit) {
      case LevelUnit::kStep:
        words = steps_.steps.empty() && steps_.skip == 0 ? "mean of the counted steps"
                                                         : "mean of the chosen steps";
        break;
      case LevelUnit::kRanges:
        words = "from the first to the last range";
        break;
      case LevelUnit::kSpan:
        words = "GPU span";
    }
    const bool has_repeats = leveled.depths.size() < runs.size();
    return has_repeats ? words + ", " + StatisticWords() + " of repeated runs" : words;
  }

  std::vector<std::string> paths_;
  StepOptions steps_;
  RunOptions runs_;
  RuleOptions rules_;
  RowOptions rows_;
  NameOptions names_;
  OutputOptions output_;
  LevelViewOptions view_;
};

}  // namespace

extern const Command kLevelCommand;
const Command kLevelCommand = {
    "level",
    "Where time goes",
    "what profiling itself costs: one program recorded to several depths",
    "A profiler measures its own level well and slows down everything above it. Give runs of the\n"
    "same program that were recorded to different depths: steps only (nsys profile --trace=nvtx),\n"
    "layers as well, kernels as well (--trace=cuda,nvtx). Which levels a run holds is found in "
    "it;\n"
    "several runs of the same depth are averaged.\n"
    "\n"
    "Each level's latency comes from the runs in which nothing deeper was recorded; the overhead\n"
    "of a level is the difference between the depth that has it and the one before, for the step\n"
    "and for every range. Runs that are not of the same program are refused, with what differs.",
    {{{"xsp level steps.sqlite layers.sqlite kernels.sqlite", "true latencies, and the overhead"},
      {"xsp level run1.sqlite run2.sqlite run3.sqlite --statistic median --format json",
       "repeats, for a script"}}},
    []() -> std::unique_ptr<Action> { return std::make_unique<LevelAction>(); }};

}  // namespace xsp
