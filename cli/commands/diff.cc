#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "cli/command.h"
#include "cli/datasets/open_ranks.h"
#include "cli/inputs/baseline_folder.h"
#include "cli/inputs/diff_policy.h"
#include "cli/inputs/open_trace.h"
#include "cli/options/common_options.h"
#include "cli/options/output.h"
#include "cli/options/read_selection.h"
#include "cli/terminal/ci_environment.h"
#include "cli/terminal/console.h"
#include "cli/terminal/progress_bar.h"
#include "cli/terminal/signals.h"
#include "diff/comparable.h"
#include "diff/comparison.h"
#include "diff/runs/measure.h"
#include "diff/runs/run.h"
#include "graph/builder.h"
#include "hierarchy/hierarchy.h"
#include "hierarchy/selection/chosen_steps.h"
#include "hierarchy/selection/filters.h"
#include "hierarchy/selection/selection.h"
#include "model/names/kernel_rules.h"
#include "model/progress.h"
#include "report/diff/diff_report.h"
#include "report/diff/diff_words.h"
#include "report/tables/report.h"

namespace xsp {
namespace {

// A trace that was read, measured for a comparison, and let go again.
struct ComparedRun {
  Run run;
  TraceSource source;
};

// How to read and measure the traces of a comparison.
struct MeasureSettings {
  Selection selection;
  const KernelRules* rules = nullptr;
  bool quiet = false;
};

// Both sides of the usual comparison; more would only cost memory.
constexpr std::size_t kAtOnce = 2;

// What is measured of a run, beside what the user asked for.
struct MeasureChoice {
  bool as_span = false;
  bool without_ranges = false;
  std::string kind = {};
  std::optional<Batch> batch = {};
};

ComparedRun Measure(OpenedTrace opened, const MeasureSettings& settings,
                    const MeasureChoice& choice) {
  // What the window leaves out is gone: totals and critical path speak of the same part.
  Selection filters = settings.selection;
  const StepChoice steps = std::exchange(filters.steps, {});
  Trace trace = TakePart(std::move(opened.trace), filters).trace;
  if (choice.without_ranges) {
    EventMask keep(trace.event_count(), 1);
    LeaveOutRanges(trace, keep);
    trace = Select(trace, keep);
  }
  const Hierarchy hierarchy(trace, *settings.rules);
  const TaskGraph graph = BuildGraph(trace, hierarchy);
  MeasureOptions options;
  options.as_span = choice.as_span;
  options.ranges_left_out = choice.without_ranges;
  if (steps.NamesSteps() || steps.says_all) {
    options.steps.steps = ChosenSteps(hierarchy.steps(), steps);
  }
  ExpectKind(hierarchy.steps(), steps.kind);
  options.steps.kind = steps.kind.empty() ? choice.kind : steps.kind;
  options.steps.batch = choice.batch;
  return {MeasureRun(graph, hierarchy, opened.source.path, options), opened.source};
}

std::vector<ComparedRun> MeasureAll(const std::vector<std::string>& paths,
                                    const MeasureSettings& settings, Progress* progress,
                                    const MeasureChoice& choice) {
  std::vector<ComparedRun> runs;
  std::deque<std::future<ComparedRun>> under_way;
  auto take_oldest = [&] {
    runs.push_back(under_way.front().get());
    under_way.pop_front();
  };
  for (const std::string& path : paths) {
    OpenedTrace opened = OpenTrace(path, progress, Notes(settings.quiet));
    if (under_way.size() == kAtOnce) take_oldest();
    under_way.push_back(std::async(std::launch::async, [&, opened = std::move(opened)]() mutable {
      return Measure(std::move(opened), settings, choice);
    }));
  }
  while (!under_way.empty()) take_oldest();
  return runs;
}

// Reads and measures traces, in the order given. Reading one goes on while the one before is being
// measured; no more than two are in memory at a time. All runs of the result speak of the same
// unit: of a kind of steps that all have; where not all have steps found in the same way, of the
// GPU span. Of steps whose batches are told, of the same batch. Where only one side has ranges,
// they are left out, so that steps and places are told by kernels on both. Throws Error.
std::vector<ComparedRun> MeasureTraces(const std::vector<std::string>& base,
                                       const std::vector<std::string>& now,
                                       const MeasureSettings& settings, Progress* progress) {
  std::vector<std::string> paths = base;
  paths.insert(paths.end(), now.begin(), now.end());
  MeasureChoice choice;
  std::vector<ComparedRun> runs = MeasureAll(paths, settings, progress, choice);
  const auto all = [&] {
    std::vector<const Run*> list;
    for (const ComparedRun& run : runs) list.push_back(&run.run);
    return list;
  };
  const std::vector<const Run*> list = all();
  const auto border = list.begin() + static_cast<std::ptrdiff_t>(base.size());
  const StepChoice& asked = settings.selection.steps;
  // Steps that were asked for by number or kind are those that the ranges tell.
  if (asked.Empty() && RangesOnOneSideOnly({list.begin(), border}, {border, list.end()})) {
    choice.without_ranges = true;
    runs = MeasureAll(paths, settings, progress, choice);
  }
  if (!SameUnit(all())) {
    choice.kind = CommonKind(all());
    if (!choice.kind.empty()) runs = MeasureAll(paths, settings, progress, choice);
    const MeasureChoice span = {.as_span = true, .without_ranges = choice.without_ranges};
    if (!SameUnit(all())) return MeasureAll(paths, settings, progress, span);
  }
  const auto batches_of = [&](std::size_t first, std::size_t last) {
    std::vector<BatchCount> batches;
    for (std::size_t i = first; i < last; ++i) {
      const std::vector<BatchCount>& of_run = runs[i].run.batches;
      batches.insert(batches.end(), of_run.begin(), of_run.end());
    }
    return batches;
  };
  const std::optional<BatchPair> pair =
      runs.front().run.is_step
          ? BatchesToCompare(batches_of(0, base.size()), batches_of(base.size(), runs.size()))
          : std::nullopt;
  if (!pair) return runs;
  choice.batch = pair->base;
  std::vector<ComparedRun> alike = MeasureAll(base, settings, progress, choice);
  choice.batch = pair->now;
  for (ComparedRun& run : MeasureAll(now, settings, progress, choice)) {
    alike.push_back(std::move(run));
  }
  // A run of several that hardly has the batch: all of them as they are.
  const bool have_steps = std::all_of(alike.begin(), alike.end(),
                                      [](const ComparedRun& run) { return run.run.is_step; });
  return have_steps ? std::move(alike) : std::move(runs);
}

// What stands on the two sides of a comparison.
struct Sides {
  std::vector<std::string> base;
  std::vector<std::string> now;
  std::string base_name;  // What the base is called.
  BaselineNoise noise;    // What a baseline remembers of its runs.
};

// How far runs of a baseline differ, by those that are gone: the others are compared themselves.
std::optional<RunNoise> Remembered(const BaselineNoise& noise, bool is_step) {
  const ScatterOfRuns& scatter = is_step ? noise.step : noise.span;
  if (scatter.degrees <= 0) return std::nullopt;
  return RunNoise{std::sqrt(scatter.squares / scatter.degrees), scatter.degrees};
}

std::string NameOfSide(const std::vector<std::string>& paths) {
  std::string name;
  for (const std::string& path : paths) name += (name.empty() ? "" : " + ") + path;
  return name;
}

Side SideOf(std::vector<ComparedRun>& runs, std::size_t first, std::size_t last,
            std::vector<TraceSource>& sources) {
  std::vector<Run> side;
  for (std::size_t i = first; i < last; ++i) {
    sources.push_back(runs[i].source);
    side.push_back(std::move(runs[i].run));
  }
  return Side(std::move(side));
}

// The same options for each place alone that the result is to be written to.
std::vector<OutputOptions> OneByOne(const OutputOptions& options) {
  std::vector<OutputOptions> all = {options};
  all.front().writes.clear();
  for (const auto& write : options.writes) {
    OutputOptions& one = all.emplace_back(options);
    one.format = OutputFormat::kTable;
    one.output.clear();
    one.writes = {write};
  }
  for (OutputOptions& one : all) {
    if (!one.Wants(OutputFormat::kCsv)) one.table.clear();
    one.quiet = true;
  }
  return all;
}

class DiffAction final : public Action {
 public:
  void AddOptions(OptionSet& options) override {
    options.Add("TRACE", traces_, "BASE and NEW; with --baseline or --base, the new runs")
        .Value("");
    AddFrameworkNamesTo(options);
    options.Add("--base", base_, "Several runs of the base").Value("TRACE...").Group("Sides");
    options.Add("--new", new_, "Several new runs").Value("TRACE...").Group("Sides");
    options.Add("--baseline", baseline_, "The runs of a saved baseline are the base")
        .Value("NAME")
        .Group("Sides");
    options.Add("--rank", rank_, "Of runs of a dataset only this rank; default: all of them")
        .Value("N")
        .Group("Sides");
    folder_.AddTo(options);
    options.Flag("--force", force_, "Compare even where the GPUs are not the same").Group("Sides");
    policy_.AddTo(options);
    options
        .Flag("--allow-unknown", outcome_.allow_unknown,
              "A limit that noise leaves undecided passes")
        .Group("Limits");
    steps_.AddTo(options);
    window_.AddTo(options);
    rules_.AddTo(options);
    rows_.AddTopTo(options);
    output_.AddTo(options, DiffTableNames(),
                  {OutputFormat::kJunit, OutputFormat::kSarif, OutputFormat::kGithub});
    output_.AddTimeUnitTo(options);
  }

  void Refuse(const std::string& message) override { WriteTrouble(message); }

  ExitCode Run() override {
    try {
      Output output(output_);
      return Run(output);
    } catch (const Interrupted&) {
      throw;
    } catch (const BrokenPipe&) {
      throw;
    } catch (const GrammarError& error) {
      WriteTrouble(std::string(error.what()) + ": '" + error.text() + "'");
      throw;
    } catch (const std::exception& error) {
      WriteTrouble(error.what());
      throw;
    }
  }

 private:
  ExitCode Run(Output& output) {
    CompareOptions compare = policy_.Read();
    compare.force = force_;
    std::optional<BaselineLock> lock;
    Sides sides = FindSides(lock);
    sides.base = TracesOf(sides.base, rank_);
    sides.now = TracesOf(sides.now, rank_);
    ProgressBar progress(output_.quiet);
    std::vector<ComparedRun> runs =
        MeasureTraces(sides.base, sides.now,
                      {ReadSelection(window_, steps_), &rules_.Rules(), output_.quiet}, &progress);
    lock.reset();
    DiffReportOptions report = ReportOptions(sides);
    const Side base = SideOf(runs, 0, sides.base.size(), report.base);
    const Side now = SideOf(runs, sides.base.size(), runs.size(), report.now);
    compare.remembered = Remembered(sides.noise, base.is_step());
    Comparison comparison = Compare(base, now, compare);
    progress.Clear();
    policy_.Accept(comparison, compare, Notes(output_.quiet));
    output.Write(MakeDiffReport(comparison, report));
    const bool told = TellCi(comparison, report, Notes(output_.quiet));
    // A result in a file says nothing to whoever reads the log of a job.
    if (!told && !output.ShowsPeople()) {
      const std::string words = OutcomeWords(comparison, outcome_);
      if (!words.empty()) SayError(words, "");
    }
    return ExitCodeOf(OutcomeOf(comparison, outcome_));
  }

  // A stale result would be taken for this one's, so each is replaced, whatever became of the
  // others. Files that were to be read, but have not been yet, must not be taken for results.
  void WriteTrouble(const std::string& message) const {
    for (const std::vector<std::string>* paths : {&traces_, &base_, &new_}) {
      for (const std::string& path : *paths) ProtectInput(path);
    }
    if (!policy_.file().empty()) ProtectInput(policy_.file());
    const Report report = MakeDiffTroubleReport(message, Formats());
    for (const OutputOptions& one : OneByOne(output_)) {
      try {
        Output(one).WriteTrouble(report);
      } catch (const Error&) {
        // What cannot be written now could not before.
      }
    }
    TellCiOfTrouble(message);
  }

  static ExitCode ExitCodeOf(Outcome outcome) {
    switch (outcome) {
      case Outcome::kHolds:
        return ExitCode::kOk;
      case Outcome::kFailed:
        return ExitCode::kGateFailed;
      case Outcome::kUndecided:
        return ExitCode::kUndecided;
      case Outcome::kNotComparable:
        break;
    }
    return ExitCode::kNotComparable;
  }

  // Those of the documents that were asked for.
  std::vector<OutputFormat> Formats() const {
    std::vector<OutputFormat> formats;
    for (OutputFormat format : {OutputFormat::kMarkdown, OutputFormat::kJunit, OutputFormat::kSarif,
                                OutputFormat::kGithub}) {
      if (output_.Wants(format)) formats.push_back(format);
    }
    return formats;
  }

  Sides FindSides(std::optional<BaselineLock>& lock) const {
    Sides sides;
    sides.now = new_;
    std::vector<std::string> left = traces_;
    if (!baseline_.empty()) {
      if (!base_.empty()) throw Error("--baseline and --base both say what the base is");
      lock.emplace(folder_.Folder());
      const Baseline baseline = BaselineCalled(folder_.Folder(), baseline_);
      for (const BaselineRun& run : baseline.runs) sides.base.push_back(run.folder.string());
      sides.noise = baseline.noise;
      sides.base_name = baseline_;
    } else if (!base_.empty()) {
      sides.base = base_;
    } else if (!left.empty()) {
      sides.base = {left.front()};
      left.erase(left.begin());
    }
    if (sides.base_name.empty()) sides.base_name = NameOfSide(sides.base);
    sides.now.insert(sides.now.end(), left.begin(), left.end());
    const bool plain = baseline_.empty() && base_.empty() && new_.empty();
    if (sides.base.empty() || sides.now.empty() || (plain && sides.now.size() > 1)) {
      throw Error("diff takes two traces, BASE and NEW",
                  "several a side: --base A B --new C D; see 'xsp help diff'");
    }
    return sides;
  }

  DiffReportOptions ReportOptions(const Sides& sides) const {
    DiffReportOptions report;
    report.base_name = sides.base_name;
    report.now_name = NameOfSide(sides.now);
    report.command = CommandLine(sides);
    report.policy = policy_.file();
    report.outcome = outcome_;
    report.top = rows_.top;
    report.formats = Formats();
    return report;
  }

  std::string CommandLine(const Sides& sides) const {
    std::string line = "xsp diff";
    auto add = [&](const std::string& word) { line += " " + ShellQuoted(word); };
    if (!baseline_.empty()) {
      add("--baseline");
      add(baseline_);
    } else {
      add("--base");
      for (const std::string& path : sides.base) add(path);
    }
    add("--new");
    for (const std::string& path : sides.now) add(path);
    for (const std::string& word : policy_.Words()) add(word);
    if (force_) add("--force");
    if (outcome_.allow_unknown) add("--allow-unknown");
    return line;
  }

  std::vector<std::string> traces_, base_, new_;
  std::string baseline_;
  std::optional<std::uint32_t> rank_;
  BaselineFolderOption folder_;
  DiffPolicy policy_;
  bool force_ = false;
  OutcomeOptions outcome_;
  StepOptions steps_;
  WindowOptions window_;
  RuleOptions rules_;
  RowOptions rows_;
  OutputOptions output_;
};

}  // namespace

extern const Command kDiffCommand;
const Command kDiffCommand = {
    "diff",
    "Comparisons",
    "what changed between two traces, and whether it is more than noise",
    "Compares the counted steps of two runs (or the GPU spans, where there are fewer than three):\n"
    "a verdict that knows its own noise, where in the program the change comes from, and which\n"
    "kernels were added, removed, renamed or moved. Rows add up exactly to the change.\n"
    "\n"
    "--fail-on sets limits, as in 'step > 3%', 'layer:*attention* > 5%', 'kernels.added > 0',\n"
    "'memory.peak > 2GB', 'nvtx:load > 5ms'; docs/ci.md lists what can be limited. Exit codes: 0 "
    "all\n"
    "limits hold, 1 one is exceeded, 3 one is undecided (noise) or its data was not recorded, 4 "
    "the\n"
    "GPUs are not the same, 2 trouble.\n"
    "\n"
    "A policy file keeps limits with the code, and changes that were accepted (--accept). In\n"
    "GitHub Actions the result also goes to the job's summary and annotations.",
    {{{"xsp diff before.sqlite after.sqlite", "what a change did"},
      {"xsp diff --baseline main new.sqlite --policy perf.json --write markdown=comment.md",
       "a gate for CI, with a comment for the pull request"}}},
    []() -> std::unique_ptr<Action> { return std::make_unique<DiffAction>(); }};

}  // namespace xsp
