#include "cli/inputs/trace_page.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "cli/terminal/console.h"
#include "diff/runs/measure.h"
#include "graph/readings/host_profile.h"
#include "graph/readings/path_analysis.h"
#include "graph/unit/trace_graph.h"
#include "hierarchy/level.h"
#include "hierarchy/names/device_number.h"
#include "hierarchy/selection/averaged_steps.h"
#include "hierarchy/selection/chosen_steps.h"
#include "report/forecasts/leverage_report.h"
#include "report/forecasts/whatif_report.h"
#include "report/graph/idle_report.h"
#include "report/graph/path_report.h"
#include "report/html/after_columns.h"
#include "report/html/page.h"
#include "report/html/tree_columns.h"
#include "report/html/waterfall.h"
#include "report/screens/info_report.h"
#include "report/summary/summary_report.h"
#include "report/tree/tree_report.h"
#include "sim/diagnosis/advise.h"
#include "sim/diagnosis/leverage.h"
#include "sim/diagnosis/summary.h"

namespace xsp {
namespace {

constexpr std::size_t kMostWhatIfs = 6;
constexpr std::size_t kMostAfterRows = 6000;

// Names that columns refer to by number.
template <class Enum, std::size_t kCount>
Json EnumNamesJson() {
  Json list = Json::array();
  for (std::size_t i = 0; i < kCount; ++i) list.push_back(NameOf(static_cast<Enum>(i)));
  return list;
}

Window Worded(const std::string& text) {
  Window window;
  window.text = text;
  return window;
}

class TracePageMaker {
 public:
  TracePageMaker(const TracePageOptions& options, TraceSource source, Progress* progress)
      : options_(options), source_(std::move(source)), progress_(progress) {
    name_ = BaseName(source_.path);
    source_.path = name_;
  }

  TracePage OfDevices(Trace trace) {
    const TraceGraph run(std::move(trace), options_.selection, {.rules = *options_.rules});
    const TaskGraph& graph = run.graph();
    Stage("Summing up");
    Put("info", InfoOf(run.trace(), run.steps(), run.window()));
    Put("summary", MakeSummaryReport(Summarize(run, NameForm::kShort), source_,
                                     {0, "total", NameForm::kShort, name_}));
    Stage("Finding who waited for whom");
    const TaskPlaces places(graph);
    const PathAnalysis path = AnalyzePath(graph, places, run.steps(), run.unit());
    Put("critical_path",
        MakePathReport(graph, places, path, Diagnose(graph, run.hierarchy(), run.unit()), source_,
                       run.window(), 0),
        {"path", "slack"});
    const OpenRanges ranges(run.hierarchy());
    const IdleAnalysis idle = AnalyzeIdle(graph, ranges, run.steps(), run.unit());
    Put("idle", MakeIdleReport(graph, idle, ranges, source_, run.window(), {.top = 0}), {"gaps"});
    AddTree(run.hierarchy(), &graph, &path);
    if (options_.with_forecasts) AddForecasts(run, path);
    if (options_.for_comparison) Measure(run);
    Stage("Drawing");
    page_["waterfall"] =
        WaterfallColumns({run.hierarchy(), &graph, &path, &idle.idle}, Left(), texts_);
    return Finish();
  }

  // Nothing ran on a device: what the host did is all there is.
  TracePage OfHost(Trace trace) {
    {
      const Hierarchy hierarchy(trace, *options_.rules);
      Put("info", InfoOf(trace, hierarchy.steps(), DescribeSelection({})));
      AddTree(hierarchy, nullptr, nullptr);
      page_["waterfall"] = WaterfallColumns({hierarchy}, Left(), texts_);
    }
    Put("summary", MakeSummaryReport(Summarize(std::move(trace), {}, NameForm::kShort), source_,
                                     {0, "total", NameForm::kShort, name_}));
    return Finish();
  }

 private:
  void Stage(std::string_view label) {
    if (progress_ != nullptr) progress_->Start(label, 0, "");
    if (progress_ != nullptr) progress_->Advance(0);
  }

  Report InfoOf(const Trace& trace, const Steps& steps, const Window& window) const {
    return MakeInfoReport(trace, source_, window, StepsInfoOf(trace, steps));
  }

  void Put(const char* key, Report report, const std::vector<std::string_view>& without = {}) {
    page_[key] = DocumentOf(std::move(report), without, cut_);
  }

  // How long every step took, and whether it counts (StepRole).
  void AddSteps(const Steps& steps) {
    PackedColumn ns, role;
    for (const Step& step : steps.steps) {
      ns.Add(step.time.Length());
      role.Add(static_cast<int>(step.role));
    }
    page_["steps"] = {{"rows", steps.size()}, {"ns", ns.ToJson()}, {"role", role.ToJson()}};
  }

  void AddTree(const Hierarchy& hierarchy, const TaskGraph* graph, const PathAnalysis* path) {
    AddSteps(hierarchy.steps());
    const AveragedSteps choice = StepsToAverage(hierarchy.steps(), options_.selection.steps);
    const PathTotals tree(hierarchy, {.steps = choice.steps, .keep_places = true});
    TreeViewOptions view;
    view.min_share = 0.01;
    Put("tree",
        MakeTreeReport(tree, view, NameForm::kShort, source_, Worded(choice.text), choice.counted),
        {"root"});
    if (path != nullptr) {
      const PathTimes times = PathTimesOf(tree, *graph, *path);
      page_["places"] = TreeColumns(tree, &times, texts_, cut_);
    } else {
      page_["places"] = TreeColumns(tree, nullptr, texts_, cut_);
    }
  }

  void AddForecasts(const TraceGraph& run, const PathAnalysis& path) {
    Stage("Simulating what could be faster");
    const std::vector<TaskGroup> groups = LeverageGroups(run.graph(), kGroupsPerLevel);
    Put("leverage",
        MakeLeverageReport(run.graph(), groups,
                           MeasureLeverage(run.graph(), run.steps(), run.unit(), groups), source_,
                           run.window(), 0));
    Stage("Simulating what would change");
    const Workbench bench(run.graph(), run.hierarchy(), run.unit());
    const ForecastHead head = {source_, GpuWords(run.trace()), run.window(),
                               Diagnose(run.graph(), run.hierarchy(), run.unit())};
    const AdviceReport advice = Advise(bench);
    Put("advise", MakeAdviceReport(bench, advice, head, name_));
    auto columns = [&](const Workbench::Simulated& simulated) {
      return SimulatedColumns(simulated, run.steps(), run.unit(), path.example, kMostAfterRows,
                              texts_);
    };
    Json after = Json::array();
    for (const Advice& item : advice.items) {
      if (after.size() == kMostWhatIfs) break;
      Workbench::Simulated simulated;
      const Forecast forecast = bench.Run(std::array{item.chosen}, &simulated);
      Json one = DocumentOf(MakeWhatIfReport(bench, forecast, head), {"limits"}, cut_);
      one["title"] = item.chosen.whatif->title;
      one["waterfall"] = columns(simulated);
      after.push_back(std::move(one));
    }
    if (!after.empty()) page_["before"] = columns(bench.Unchanged());
    page_["whatifs"] = std::move(after);
  }

  // What waterfalls may take of the page: what the rest leaves.
  std::size_t Left() const {
    const std::size_t used = page_.dump().size() + texts_.DeflatedSize();
    return options_.budget > used ? options_.budget - used : 0;
  }

  void Measure(const TraceGraph& run) {
    MeasureOptions by_steps;
    const StepChoice& choice = options_.selection.steps;
    by_steps.steps.kind = choice.kind;
    if (choice.NamesSteps()) by_steps.steps.steps = ChosenSteps(run.steps(), choice);
    MeasureOptions by_span = by_steps;
    by_span.as_span = true;
    for (const MeasureOptions& how : {by_steps, by_span}) {
      runs_.push_back(MeasureRun(run.graph(), run.hierarchy(), name_, how));
    }
  }

  TracePage Finish() {
    page_["name"] = name_;
    page_["classes"] = EnumNamesJson<KernelClass, kKernelClassCount>();
    page_["levels"] = EnumNamesJson<Level, kLevelCount>();
    page_["sources"] = EnumNamesJson<Source, kSourceCount>();
    page_["kinds"] = EnumNamesJson<EventKind, kEventKindCount>();
    page_["cut"] = cut_;
    Json texts = texts_.ToJson();
    if (!options_.with_hosts) RemoveFolders(page_);
    if (!options_.with_hosts) RemoveFolders(texts);
    page_["texts"] = DeflatedJson(texts);
    return {std::move(page_), source_, std::move(runs_)};
  }

  const TracePageOptions& options_;
  TraceSource source_;
  std::string name_;
  Progress* progress_;
  PackedTexts texts_;
  std::vector<std::string> cut_;
  Json page_ = Json::object();
  std::vector<Run> runs_;
};

}  // namespace

TracePage MakeTracePage(const std::string& path, const TracePageOptions& options,
                        Progress* progress) {
  OpenedTrace opened = OpenTrace(path, progress, Notes(options.quiet));
  TracePageMaker maker(options, opened.source, progress);
  const bool has_devices = !opened.trace.DeviceWork().empty() || options.for_comparison;
  return has_devices ? maker.OfDevices(std::move(opened.trace))
                     : maker.OfHost(std::move(opened.trace));
}

}  // namespace xsp
