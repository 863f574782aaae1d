#include "diff/trend/trend.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
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
#include "hierarchy/ranks/rank_work.h"
#include "model/names/kernel_names.h"
#include "report/ranks/trend_report.h"
#include "store/dataset/dataset.h"

namespace xsp {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kKernelMetric = "kernel:";

// A run as the trend sees it: where its ranks are, and when it was.
struct TrendRun {
  std::string name;
  std::optional<DatasetRun> run;  // Of a dataset,
  fs::path trace;                 // or one stored trace.
};

// Samples of a metric, one for each counted step: its mean over ranks.
struct Samples {
  std::vector<double> values;
  std::vector<double> ranks;

  void Add(std::size_t step, double value) {
    if (values.size() <= step) {
      values.resize(step + 1, 0);
      ranks.resize(step + 1, 0);
    }
    values[step] += value;
    ++ranks[step];
  }

  std::optional<TrendPoint> Point(const std::string& run) const {
    std::vector<double> means;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (ranks[i] > 0) means.push_back(values[i] / ranks[i]);
    }
    if (means.empty()) return std::nullopt;
    const auto n = static_cast<double>(means.size());
    TrendPoint point;
    point.run = run;
    for (const double mean : means) point.value += mean / n;
    if (means.size() < 2) return point;
    double squares = 0;
    for (const double mean : means) squares += (mean - point.value) * (mean - point.value);
    point.error = std::sqrt(squares / (n - 1) / n);
    return point;
  }
};

class TrendAction final : public Action {
 public:
  void AddOptions(OptionSet& options) override {
    options.Add("DIR", dataset_, "A dataset of runs; none with --baseline").Value("");
    options.Add("--baseline", baseline_, "The runs of a saved baseline").Value("NAME");
    folder_.AddTo(options);
    options.Add("--last", last_, "Only so many runs, the newest; 50 is the default").Value("N");
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

  std::vector<TrendRun> Runs(TrendReportOptions& report) {
    std::vector<TrendRun> runs;
    if (!baseline_.empty()) {
      if (!dataset_.empty()) throw Error("DIR and --baseline both say which runs are meant");
      report.what = "runs of baseline " + baseline_;
      for (const BaselineRun& run : BaselineCalled(folder_.Folder(), baseline_).runs) {
        runs.push_back({run.id, std::nullopt, run.folder});
      }
      return runs;
    }
    if (dataset_.empty()) {
      throw Error("trend takes a dataset of runs, or --baseline NAME",
                  "xsp import FILES --dataset DIR --run NAME makes one");
    }
    CheckExists(dataset_);
    report.what = "runs in " + dataset_;
    for (DatasetRun& run : ListRuns(dataset_)) {
      std::string name = run.name;
      runs.push_back({std::move(name), std::move(run), {}});
    }
    if (runs.empty()) {
      throw Error(dataset_ + ": there is no run in it",
                  "xsp import FILES --dataset " + dataset_ + " --run NAME adds one");
    }
    return runs;
  }

  // The runs in the order in which they took place; where one does not tell when, by name.
  std::vector<TrendPoint> Points(ProgressBar& progress, TrendReportOptions& report) {
    std::optional<BaselineLock> lock;
    if (!baseline_.empty()) lock.emplace(folder_.Folder());
    struct Found {
      TrendPoint point;
      std::int64_t started = 0;
    };
    std::vector<Found> found;
    bool all_tell = true;
    for (const TrendRun& run : Runs(report)) {
      try {
        const std::vector<RankTables> ranks =
            run.run ? OpenRun(*run.run, &progress, Notes(output_.quiet)).ranks
                    : OpenRankTables(run.trace, &progress, Notes(output_.quiet));
        const auto point = Measure(run, ranks, progress).Point(run.name);
        if (!point) {
          report.left_out.push_back(run.name + ": " + WhyNothing());
          continue;
        }
        const std::int64_t started = StartOf(ranks);
        all_tell &= started != kMissing<std::int64_t>;
        found.push_back({*point, started});
      } catch (const Error& error) {
        report.left_out.push_back(run.name + ": " + error.what());
      }
    }
    // Runs of a baseline are in the order in which they were saved.
    if (all_tell && baseline_.empty()) {
      std::stable_sort(found.begin(), found.end(),
                       [](const Found& a, const Found& b) { return a.started < b.started; });
    }
    const std::size_t first = found.size() > last_ && last_ > 0 ? found.size() - last_ : 0;
    std::vector<TrendPoint> points;
    for (std::size_t i = first; i < found.size(); ++i) points.push_back(std::move(found[i].point));
    return points;
  }

  std::string WhyNothing() const {
    return IsKernel() ? "no kernel fits '" + metric_.substr(kKernelMetric.size()) + "'"
                      : "it has no counted steps";
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

  Samples Measure(const TrendRun& run, const std::vector<RankTables>& ranks,
                  ProgressBar& progress) const {
    if (IsKernel()) return MeasureKernels(run, progress);
    Samples samples;
    for (const RankTables& rank : ranks) {
      std::size_t place = 0;
      for (const RankStep& step : rank.steps) {
        if (step.role != "counted") continue;
        samples.Add(place++, metric_ == "step" ? static_cast<double>(step.end_ns - step.begin_ns)
                                               : IdleOf(rank, step.step));
      }
    }
    return samples;
  }

  // What of a step is no compute.
  static double IdleOf(const RankTables& rank, std::int64_t step) {
    double idle = 0;
    for (const RankBudget& row : rank.budget) {
      if (row.step == step && row.part_of.empty() && row.cause != "compute") {
        idle += static_cast<double>(row.ns);
      }
    }
    return idle;
  }

  // Kernels are not in the small tables: the trace of the first rank is read.
  Samples MeasureKernels(const TrendRun& run, ProgressBar& progress) const {
    const std::string pattern = metric_.substr(kKernelMetric.size());
    const fs::path path = run.run ? run.run->Readable().front()->folder : run.trace;
    const OpenedTrace opened = OpenTrace(path, &progress, Notes(output_.quiet));
    const Hierarchy hierarchy(opened.trace);
    const std::vector<std::uint32_t> counted = hierarchy.steps().Counted();
    Samples samples;
    bool is_any = false;
    std::vector<double> sums(counted.size(), 0);
    for (const RankEvents& events : EventsByProcess(hierarchy)) {
      for (const RankWork& work : events.work) {
        if (opened.trace.KindOf(work.event) != EventKind::kKernel) continue;
        const auto step = std::lower_bound(counted.begin(), counted.end(), work.step);
        if (step == counted.end() || *step != work.step) continue;
        if (!MatchesGlob(pattern, opened.trace.name(work.event)) &&
            !MatchesGlob(pattern, ShortKernelName(opened.trace.name(work.event)))) {
          continue;
        }
        sums[static_cast<std::size_t>(step - counted.begin())] +=
            static_cast<double>(work.time.Length());
        is_any = true;
      }
    }
    for (std::size_t i = 0; is_any && i < sums.size(); ++i) samples.Add(i, sums[i]);
    return samples;
  }

  std::string dataset_, baseline_;
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
    "Follows a metric over the runs of a dataset, or of a named baseline: the mean of the counted\n"
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
