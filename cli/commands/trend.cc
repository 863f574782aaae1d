#include "diff/trend/trend.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>

#include "base/error.h"
#include "base/glob.h"
#include "cli/command.h"
#include "cli/datasets/open_ranks.h"
#include "cli/inputs/baseline_folder.h"
#include "cli/inputs/open_trace.h"
#include "cli/options/common_options.h"
#include "cli/options/output.h"
#include "cli/terminal/console.h"
#include "cli/terminal/progress_bar.h"
#include "hierarchy/hierarchy.h"
#include "hierarchy/ranks/main_steps.h"
#include "hierarchy/ranks/rank_work.h"
#include "model/names/kernel_names.h"
#include "report/ranks/trend_report.h"
#include "store/dataset/dataset.h"

namespace xsp {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kKernelMetric = "kernel:";

// A run as the trend sees it: where its ranks are.
struct TrendRun {
  std::string name;
  std::optional<DatasetRun> run;  // Of a dataset,
  fs::path trace;                 // or one stored trace.
};

// Samples of a metric, one for each counted step of a kind: its mean over ranks.
struct Samples {
  std::string kind;                // Of steps; empty: there are no kinds.
  std::vector<std::int64_t> step;  // Their numbers, on the first rank.
  std::vector<double> values;
  std::vector<double> ranks;

  void Add(std::size_t place, std::int64_t number, double value) {
    if (values.size() <= place) {
      step.resize(place + 1, number);
      values.resize(place + 1, 0);
      ranks.resize(place + 1, 0);
    }
    values[place] += value;
    ++ranks[place];
  }

  double Mean(std::size_t place) const { return values[place] / std::max(1.0, ranks[place]); }

  std::optional<TrendPoint> Point(const std::string& run) const {
    if (values.empty()) return std::nullopt;
    const auto n = static_cast<double>(values.size());
    TrendPoint point;
    point.run = run;
    for (std::size_t i = 0; i < values.size(); ++i) point.value += Mean(i) / n;
    if (values.size() < 2) return point;
    double squares = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      squares += (Mean(i) - point.value) * (Mean(i) - point.value);
    }
    point.error = std::sqrt(squares / (n - 1) / n);
    return point;
  }

  // A point for each step.
  std::vector<TrendPoint> StepPoints() const {
    std::vector<TrendPoint> points;
    for (std::size_t i = 0; i < values.size(); ++i) {
      points.push_back({std::to_string(step[i]), Mean(i), std::nullopt});
    }
    return points;
  }
};

// A run that was measured, and when it began.
struct TrendedRun {
  std::string name;
  Samples samples;
  std::int64_t started = 0;
};

class TrendAction final : public Action {
 public:
  void AddOptions(OptionSet& options) override {
    options
        .Add("DIR", folders_,
             "A dataset of runs, or some runs of it; one run alone: over its steps; none with "
             "--baseline")
        .Value("");
    options.Add("--baseline", baseline_, "The runs of a saved baseline").Value("NAME");
    folder_.AddTo(options);
    options.Add("--last", last_, "Only so many runs, the newest; 0: all; 50 is the default")
        .Value("N");
    options.Add("--metric", metric_, "step (the default), idle, or kernel:PATTERN")
        .Value("METRIC")
        .Words({"step", "idle", "kernel:"});
    options
        .Add("--fail-on", fail_on_,
             "A limit, as in 'drift > 3%'; also change and last; may be repeated")
        .Value("LIMIT")
        .Repeatable();
    rows_.top = 20;
    rows_.AddTopTo(options);
    output_.AddTo(options, {"points", "changes", "gates"});
    output_.AddTimeUnitTo(options);
  }

  ExitCode Run() override {
    Output output(output_);
    std::vector<TrendGate> gates;
    for (const std::string& text : fail_on_) gates.push_back(ParseTrendGate(text));
    CheckMetric();
    ProgressBar progress(output_.quiet);
    TrendReportOptions report;
    const Trend trend = FindTrend(Points(progress, report));
    progress.Clear();
    report.metric = metric_;
    report.top = rows_.top;
    bool fails = false, undecided = false;
    for (const TrendGate& gate : gates) {
      report.gates.push_back(CheckTrendGate(trend, gate));
      const GateState state = report.gates.back().state;
      fails |= state == GateState::kFails;
      undecided |= state == GateState::kUndecided || state == GateState::kNoData;
    }
    output.Write(MakeTrendReport(trend, report));
    if (fails) return ExitCode::kGateFailed;
    return undecided ? ExitCode::kUndecided : ExitCode::kOk;
  }

 private:
  bool IsKernel() const { return metric_.starts_with(kKernelMetric); }

  void CheckMetric() const {
    const bool is_known = metric_ == "step" || metric_ == "idle" ||
                          (IsKernel() && metric_.size() > kKernelMetric.size());
    if (!is_known) {
      throw Error("--metric " + metric_ + ": no such metric",
                  "step, idle, or kernel:PATTERN, as in kernel:*gemm*");
    }
  }

  std::vector<TrendRun> Runs(TrendReportOptions& report) const {
    if (!baseline_.empty() && !folders_.empty()) {
      throw Error("DIR and --baseline both say which runs are meant");
    }
    if (!baseline_.empty()) return RunsOfBaseline(report);
    if (folders_.empty()) {
      throw Error("trend takes a dataset of runs, or --baseline NAME",
                  "xsp import FILES --dataset DIR --run NAME makes one");
    }
    std::vector<TrendRun> runs;
    const auto add = [&](DatasetRun run) {
      std::string name = run.name;
      runs.push_back({std::move(name), std::move(run), {}});
    };
    for (const std::string& folder : folders_) {
      CheckExists(folder);
      const std::size_t before = runs.size();
      if (IsRun(folder)) {
        add(LookAtRun(folder));
      } else if (fs::is_directory(folder)) {
        for (DatasetRun& run : ListRuns(folder)) add(std::move(run));
      }
      if (runs.size() == before) {
        throw Error(folder + ": there is no run in it",
                    "xsp import FILES --dataset " + folder + " --run NAME adds one");
      }
    }
    report.what = folders_.size() > 1 ? "runs" : "runs in " + folders_.front();
    return runs;
  }

  std::vector<TrendRun> RunsOfBaseline(TrendReportOptions& report) const {
    std::vector<TrendRun> runs;
    report.what = "runs of baseline " + baseline_;
    for (const BaselineRun& run : BaselineCalled(folder_.Folder(), baseline_).runs) {
      runs.push_back({run.id, std::nullopt, run.folder});
    }
    return runs;
  }

  std::vector<TrendPoint> Points(ProgressBar& progress, TrendReportOptions& report) const {
    std::optional<BaselineLock> lock;
    if (!baseline_.empty()) lock.emplace(folder_.Folder());
    const std::vector<TrendRun> runs = Runs(report);
    std::vector<TrendedRun> measured;
    for (const TrendRun& run : runs) {
      try {
        measured.push_back(MeasureRun(run, progress));
      } catch (const Error& error) {
        report.left_out.push_back(run.name + ": " + error.what());
      }
    }
    if (runs.size() == 1 && folders_.size() == 1 && IsRun(folders_.front())) {
      return StepsOfRun(measured, report);
    }
    InOrder(measured);
    LeaveOutOtherKinds(measured, report);
    std::vector<TrendPoint> points;
    const std::size_t first = measured.size() > last_ && last_ > 0 ? measured.size() - last_ : 0;
    for (std::size_t i = first; i < measured.size(); ++i) {
      points.push_back(*measured[i].samples.Point(measured[i].name));
    }
    return points;
  }

  static std::vector<TrendPoint> StepsOfRun(const std::vector<TrendedRun>& measured,
                                            TrendReportOptions& report) {
    report.point = "step";
    report.what = "counted steps of " + report.what.substr(std::string("runs in ").size());
    return measured.empty() ? std::vector<TrendPoint>() : measured.front().samples.StepPoints();
  }

  // The runs in the order in which they took place; where one does not tell when, by name. Those of
  // a baseline are in the order in which they were saved.
  void InOrder(std::vector<TrendedRun>& measured) const {
    const bool all_tell = std::none_of(measured.begin(), measured.end(), [](const TrendedRun& run) {
      return run.started == kMissing<std::int64_t>;
    });
    if (!all_tell || !baseline_.empty()) return;
    std::stable_sort(
        measured.begin(), measured.end(),
        [](const TrendedRun& a, const TrendedRun& b) { return a.started < b.started; });
  }

  // Steps of different kinds are never compared: those of the newest run decide.
  static void LeaveOutOtherKinds(std::vector<TrendedRun>& measured, TrendReportOptions& report) {
    if (measured.empty()) return;
    const std::string kind = measured.back().samples.kind;
    report.kind = kind;
    const auto is_other = [&](const TrendedRun& run) { return run.samples.kind != kind; };
    for (const TrendedRun& run : measured) {
      if (is_other(run)) {
        report.left_out.push_back(run.name + ": its steps are of kind '" + run.samples.kind +
                                  "', those of the newest run of kind '" + kind + "'");
      }
    }
    std::erase_if(measured, is_other);
  }

  TrendedRun MeasureRun(const TrendRun& run, ProgressBar& progress) const {
    const std::vector<RankTables> ranks =
        run.run ? OpenRun(*run.run, &progress, Notes(output_.quiet)).ranks
                : OpenRankTables(run.trace, &progress, Notes(output_.quiet));
    TrendedRun measured{run.name, {}, StartOf(ranks)};
    const std::optional<std::string> kind = MainKind(ranks);
    if (!kind) throw Error("it has no counted steps");
    measured.samples = IsKernel() ? MeasureKernels(run, ranks.front(), *kind, progress)
                                  : MeasureSteps(ranks, *kind);
    measured.samples.kind = *kind;
    return measured;
  }

  static std::int64_t StartOf(const std::vector<RankTables>& ranks) {
    std::int64_t started = kMissing<std::int64_t>;
    for (const RankTables& rank : ranks) {
      const std::int64_t start = rank.facts.session_start_ns;
      if (start == kMissing<std::int64_t>) continue;
      if (started == kMissing<std::int64_t> || start < started) started = start;
    }
    return started;
  }

  Samples MeasureSteps(const std::vector<RankTables>& ranks, const std::string& kind) const {
    Samples samples;
    const bool is_idle = metric_ == "idle";
    for (const RankTables& rank : ranks) {
      std::map<std::int64_t, double> idle;  // What of a step is no compute.
      for (const RankBudget& row : rank.budget) {
        if (row.part_of.empty() && row.cause != "compute") {
          idle[row.step] += static_cast<double>(row.ns);
        }
      }
      std::size_t place = 0;
      for (const RankStep& step : CountedOfKind(rank, kind)) {
        samples.Add(place++, step.step,
                    is_idle ? idle[step.step] : static_cast<double>(step.end_ns - step.begin_ns));
      }
    }
    return samples;
  }

  // Kernels are not in the small tables: the trace of the first rank is read.
  Samples MeasureKernels(const TrendRun& run, const RankTables& rank, const std::string& kind,
                         ProgressBar& progress) const {
    const std::string pattern = metric_.substr(kKernelMetric.size());
    const fs::path path = run.run ? run.run->Readable().front()->folder : run.trace;
    const OpenedTrace opened = OpenTrace(path, &progress, Notes(output_.quiet));
    const Hierarchy hierarchy(opened.trace);
    std::map<std::int64_t, double> sums;  // By number of the step.
    for (const RankStep& step : CountedOfKind(rank, kind)) sums[step.step] = 0;
    bool is_any = false;
    const std::vector<RankEvents> events = EventsByProcess(hierarchy);
    for (const RankWork& work : events.at(static_cast<std::size_t>(rank.process)).work) {
      if (opened.trace.KindOf(work.event) != EventKind::kKernel) continue;
      const auto sum = sums.find(std::int64_t{work.step} + 1);
      if (work.step == Steps::kOutside || sum == sums.end()) continue;
      const std::string_view name = opened.trace.name(work.event);
      if (!MatchesGlob(pattern, name) && !MatchesGlob(pattern, ShortKernelName(name))) continue;
      sum->second += static_cast<double>(work.time.Length());
      is_any = true;
    }
    if (!is_any) throw Error("no kernel fits '" + pattern + "'");
    Samples samples;
    for (const auto& [step, ns] : sums) samples.Add(samples.values.size(), step, ns);
    return samples;
  }

  std::vector<std::string> folders_;
  std::string baseline_;
  BaselineFolderOption folder_;
  std::size_t last_ = 50;
  std::string metric_ = "step";
  std::vector<std::string> fail_on_;
  RowOptions rows_;
  OutputOptions output_;
};

}  // namespace

extern const Command kTrendCommand;
const Command kTrendCommand = {
    "trend",
    "Many ranks",
    "a metric over many runs: changes, drift, and a limit for CI",
    "Follows a metric over the runs of a dataset, those that are named, or those of a named\n"
    "baseline; of one run alone, over its steps: the mean of the counted\n"
    "steps over all ranks (step), what of them is no compute (idle), or the time of kernels in a\n"
    "step of the first rank (kernel:PATTERN). It says at which run another level began, how far\n"
    "the metric drifted from the first to the last run (20 runs that each add 0.4 % are +8 %), "
    "and\n"
    "how far runs differ by chance.\n"
    "\n"
    "--fail-on limits the drift, the largest change ('change > 2%') or the newest run against "
    "those\n"
    "before ('last > 5%'). Exit codes: 0 all limits hold, 1 one is exceeded, 3 one is undecided\n"
    "(noise) or there are fewer than three runs, 2 trouble.",
    {{{"xsp trend jobs --last 50", "how the step went over the last fifty runs"},
      {"xsp trend --baseline main --metric 'kernel:*gemm*' --fail-on 'drift > 3%'",
       "a limit on what kernels take, for CI"}}},
    []() -> std::unique_ptr<Action> { return std::make_unique<TrendAction>(); }};

}  // namespace xsp
