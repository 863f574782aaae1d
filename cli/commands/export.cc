#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/whole_file.h"
#include "cli/command.h"
#include "cli/commands/export_archive.h"
#include "cli/datasets/open_ranks.h"
#include "cli/inputs/forecast_inputs.h"
#include "cli/inputs/open_trace.h"
#include "cli/options/common_options.h"
#include "cli/options/output.h"
#include "cli/options/read_selection.h"
#include "cli/terminal/console.h"
#include "cli/terminal/progress_bar.h"
#include "cli/terminal/result_file.h"
#include "graph/readings/path_analysis.h"
#include "graph/unit/gpu_span.h"
#include "graph/unit/trace_graph.h"
#include "hierarchy/names/device_number.h"
#include "hierarchy/selection/averaged_steps.h"
#include "report/exports/chakra.h"
#include "report/exports/export_report.h"
#include "report/exports/operation_facts.h"
#include "report/exports/perfetto.h"
#include "report/exports/stacks.h"
#include "report/timelines/tree_timeline.h"
#include "report/timelines/whatif_timeline.h"
#include "store/folder_in_progress.h"
#include "store/operation_table.h"

namespace xsp {
namespace {

namespace fs = std::filesystem;

enum class ExportFormat : std::uint8_t {
  kPerfetto,
  kChrome,
  kSpeedscope,
  kFolded,
  kChakra,
  kParquet,
};
const std::vector<std::string> kFormatWords = {"perfetto", "chrome", "speedscope",
                                               "folded",   "chakra", "parquet"};
// What comes behind the trace's name where no file was named; of chakra it is a folder.
constexpr std::array<std::string_view, 6> kEndings = {
    ".pftrace", ".chrome.json", ".speedscope.json", ".folded", ".chakra", ".parquet"};
constexpr std::string_view kArchiveEnding = ".tar";  // Of several ranks.
const std::vector<std::string> kWeightWords = {"device", "host", "path"};

bool HasDeviceWork(const Trace& trace) { return !trace.DeviceWork().empty(); }

class ExportAction final : public Action {
 public:
  void AddOptions(OptionSet& options) override {
    AddTracesArgument(options, paths_, "TRACE");
    options.Add("--rank", rank_, "Of a run of a dataset: only this rank").Value("N");
    options
        .Choice(
            "--to", kFormatWords, [this](std::size_t i) { format_ = static_cast<ExportFormat>(i); },
            "What to write")
        .Required();
    options
        .Add("-o", out_,
             "The file (of chakra, the folder); by default the trace's name with the format's "
             "ending, here")
        .Value("FILE");
    options.Choice(
        "--weight", kWeightWords, [this](std::size_t i) { weight_ = static_cast<StackWeight>(i); },
        "Of speedscope and folded: which time; device is the default");
    options.Flag(
        "--no-waits", no_waits_,
        "Of perfetto: without waits, idle causes and the critical path, which take longest "
        "to find");
    choice_.AddTo(options);
    steps_.AddTo(options);
    window_.AddTo(options);
    names_.AddTo(options);
    rules_.AddTo(options);
    output_.AddTo(options, {"contents"});
  }

  ExitCode Run() override {
    Output output(output_);
    ProgressBar progress(output_.quiet);
    outcome_.format = kFormatWords[static_cast<std::size_t>(format_)];
    const std::vector<std::string> traces = TracesOf(paths_, rank_);
    path_ = traces.front();
    CheckCombination(traces.size());
    const bool is_archive = traces.size() > 1;
    if (out_.empty()) {
      out_ = fs::path(paths_.front()).stem().string() +
             std::string(is_archive ? kArchiveEnding : Ending());
    }
    Report report = is_archive      ? ExportArchive(traces, progress)
                    : IsOfTheUnit() ? ExportUnit(progress)
                                    : ExportTrace(progress);
    progress.Clear();
    output.Write(report);
    return ExitCode::kOk;
  }

 private:
  std::string_view Ending() const { return kEndings[static_cast<std::size_t>(format_)]; }
  bool WritesStacks() const {
    return format_ == ExportFormat::kSpeedscope || format_ == ExportFormat::kFolded;
  }

  // A changed program is one of the steps that are simulated; so is one of chosen steps that others
  // shall simulate.
  bool IsOfTheUnit() const {
    return !choice_.chosen().empty() || (format_ == ExportFormat::kChakra && !steps_.Empty());
  }

  void CheckCombination(std::size_t traces) const {
    if (traces > 1 && format_ != ExportFormat::kPerfetto) {
      throw Error("several ranks go into one file only with --to perfetto",
                  "--rank N takes one of a run");
    }
    const bool takes_whatifs = format_ == ExportFormat::kChakra || format_ == ExportFormat::kChrome;
    if (!choice_.chosen().empty() && !takes_whatifs) {
      throw Error("a changed program can be written as chakra or chrome, not as " + outcome_.format,
                  "xsp whatif tells its figures");
    }
    if (weight_ && !WritesStacks()) {
      throw Error("--weight goes with --to speedscope and --to folded");
    }
    if (no_waits_ && format_ != ExportFormat::kPerfetto) {
      throw Error("--no-waits goes with --to perfetto");
    }
  }

  Report ExportTrace(ProgressBar& progress) {
    std::optional<ResultFile> file = Open();
    OpenedTrace opened = OpenTrace(path_, &progress, Notes(output_.quiet));
    const std::string gpus = GpuWords(opened.trace);
    const TraceSource source = opened.source;
    Window window;
    if (NeedsGraph(opened.trace)) {
      const TraceGraph run(std::move(opened.trace), ReadSelection(window_, steps_),
                           {.rules = rules_.Rules()});
      window = run.window();
      WriteWithGraph(run, file);
    } else {
      const TracePart part = TakePart(std::move(opened.trace), ReadSelection(window_));
      const Hierarchy hierarchy(part.trace, rules_.Rules());
      window = part.window;
      if (WritesStacks()) {
        window.text = StepsToAverage(hierarchy.steps(), ReadSteps(steps_)).text;
      }
      WriteWithoutGraph(hierarchy, *file);
    }
    return MakeExportReport(outcome_, source, gpus, window);
  }

  // A folder has no file to open before the work.
  std::optional<ResultFile> Open() const {
    if (format_ == ExportFormat::kChakra) return std::nullopt;
    return ResultFile(out_);
  }

  bool NeedsGraph(const Trace& trace) const {
    switch (format_) {
      case ExportFormat::kChakra:
      case ExportFormat::kParquet:
        return true;
      case ExportFormat::kPerfetto:
        return !no_waits_ && HasDeviceWork(trace);
      case ExportFormat::kSpeedscope:
      case ExportFormat::kFolded:
        return weight_ == StackWeight::kPath;
      case ExportFormat::kChrome:
        break;
    }
    return false;
  }

  // Timelines are of the whole part, unless steps were asked for; stacks are means of the counted
  // steps, as xsp tree shows them.
  StepSet ShownSteps(const Hierarchy& hierarchy) const {
    if (steps_.Empty() && !WritesStacks()) return {};
    if (steps_.steps == "all") return {};
    return StepsToAverage(hierarchy.steps(), ReadSteps(steps_)).steps;
  }

  void WriteWithoutGraph(const Hierarchy& hierarchy, ResultFile& file) {
    const StepSet steps = ShownSteps(hierarchy);
    switch (format_) {
      case ExportFormat::kPerfetto:
        WriteFile(file, [&](const ByteSink& sink) {
          Count(WritePerfetto(hierarchy, nullptr, names_.form, steps, sink));
        });
        break;
      case ExportFormat::kChrome:
        WriteFile(file, [&](const ByteSink& sink) {
          WriteTreeTimeline(hierarchy, names_.form, steps, sink);
        });
        break;
      default:
        WriteStacks(hierarchy, steps, nullptr, file);
    }
  }

  void WriteWithGraph(const TraceGraph& run, std::optional<ResultFile>& file) {
    const StepSet steps = ShownSteps(run.hierarchy());
    const TaskGraph& graph = run.graph();
    switch (format_) {
      case ExportFormat::kPerfetto:
        WriteFile(*file, [&](const ByteSink& sink) { Count(WriteWithWaits(run, steps, sink)); });
        break;
      case ExportFormat::kParquet:
        WriteFacts(run, steps, *file);
        break;
      case ExportFormat::kChakra:
        WriteChakra(graph);
        break;
      default: {
        const TaskPlaces places(graph);
        const PathAnalysis analysis = AnalyzePath(graph, places, run.steps(), run.unit());
        const StackPath path{graph, analysis.path, run.unit().is_step ? run.unit().step_count : 1};
        WriteStacks(run.hierarchy(), steps, &path, *file);
      }
    }
  }

  // What each device waited for from the first operation to the last.
  static IdleReport IdleOf(const TaskGraph& graph, const Schedule& guided) {
    const SimSpan span = MeasuredGpuSpan(graph);
    if (span.empty()) return {};
    return FindIdle(graph, guided, {{span.begin.ns, span.end.ns}});
  }

  PerfettoCounts WriteWithWaits(const TraceGraph& run, const StepSet& steps,
                                const ByteSink& sink) const {
    const TaskGraph& graph = run.graph();
    Answers answers;
    Simulate(graph, {}, &answers);
    const IdleReport idle = IdleOf(graph, SimulateGuided(graph));
    const TaskPlaces places(graph);
    const PathAnalysis analysis = AnalyzePath(graph, places, run.steps(), run.unit());
    const TimelineWaits waits{graph, answers, idle, analysis.path};
    return WritePerfetto(run.hierarchy(), &waits, names_.form, steps, sink);
  }

  // Ranks of a run as one archive, a rank at a time.
  Report ExportArchive(const std::vector<std::string>& traces, ProgressBar& progress) {
    std::optional<ResultFile> file = Open();
    TraceSource first;
    std::string gpus;
    Window window;
    const auto write_one = [&](const std::string& path, const ByteSink& sink) {
      OpenedTrace opened = OpenTrace(path, &progress, Notes(output_.quiet));
      if (path == traces.front()) {
        first = opened.source;
        gpus = GpuWords(opened.trace);
      }
      if (NeedsGraph(opened.trace)) {
        const TraceGraph run(std::move(opened.trace), ReadSelection(window_, steps_),
                             {.rules = rules_.Rules()});
        window = run.window();
        return WriteWithWaits(run, ShownSteps(run.hierarchy()), sink);
      }
      const TracePart part = TakePart(std::move(opened.trace), ReadSelection(window_));
      window = part.window;
      const Hierarchy hierarchy(part.trace, rules_.Rules());
      return WritePerfetto(hierarchy, nullptr, names_.form, ShownSteps(hierarchy), sink);
    };
    const FolderInProgress scratch(out_ + ".parts");
    WriteFile(*file, [&](const ByteSink& sink) {
      const ArchiveOutcome outcome = WritePerfettoArchive(traces, scratch.path(), write_one, sink,
                                                          &progress, Notes(output_.quiet));
      Count(outcome.counts);
      outcome_.notes = outcome.notes;
    });
    outcome_.counts.emplace_back("traces", traces.size());
    return MakeExportReport(outcome_, first, gpus, window);
  }

  void WriteFacts(const TraceGraph& run, const StepSet& steps, ResultFile& file) {
    const TaskGraph& graph = run.graph();
    const Schedule guided = SimulateGuided(graph);
    const TaskPlaces places(graph);
    const TaskNames names(graph, NameForm::kFull);
    const std::vector<OperationFact> facts =
        FactsOfOperations(graph, places, names, guided, IdleOf(graph, guided), steps);
    // Parquet is written by name: in a folder of its own, which goes with this.
    const FolderInProgress work(out_ + ".parts");
    const fs::path part = work.path() / "operations.parquet";
    WriteOperationTable(facts, part);
    WriteFile(file, [&](const ByteSink& sink) { sink(ReadWholeFile(part, fs::file_size(part))); });
    outcome_.counts = {{"operations", facts.size()}};
  }

  void WriteStacks(const Hierarchy& hierarchy, const StepSet& steps, const StackPath* path,
                   ResultFile& file) {
    const StackWeight weight = weight_.value_or(StackWeight::kDevice);
    const PathTotals totals(hierarchy,
                            {.steps = steps, .with_calls = true, .keep_places = path != nullptr});
    const Stacks stacks(totals, weight, path);
    const std::string name =
        fs::path(path_).filename().string() + ", " + std::string(NameOf(weight)) + " time";
    WriteFile(file, [&](const ByteSink& sink) {
      const std::uint64_t count = format_ == ExportFormat::kFolded
                                      ? WriteFolded(stacks, sink)
                                      : WriteSpeedscope(stacks, name, sink);
      outcome_.counts = {{"stacks", count}, {"ns", static_cast<std::uint64_t>(stacks.total())}};
    });
  }

  void WriteChakra(const TaskGraph& graph) {
    Answers answers;
    const Schedule schedule = Simulate(graph, {}, &answers);
    const ChakraExport exported(graph, schedule, answers);
    const fs::path folder(out_);
    FolderInProgress work(folder);
    ChakraExport::Counts sums;
    for (std::size_t rank = 0; rank < exported.ranks().size(); ++rank) {
      const std::string name =
          folder.stem().string() + "." + std::to_string(exported.ranks()[rank]) + ".et";
      ChakraExport::Counts counts;
      WriteIn(work.path() / name, folder / name,
              [&](const ByteSink& sink) { counts = exported.Write(rank, sink); });
      sums.nodes += counts.nodes;
      sums.dependencies += counts.dependencies;
      sums.left_out += counts.left_out;
    }
    WriteIn(work.path() / "comm_group.json", folder / "comm_group.json",
            [&](const ByteSink& sink) { sink(exported.Groups()); });
    work.Publish();
    outcome_.counts = {{"nodes", sums.nodes},
                       {"dependencies", sums.dependencies},
                       {"waits between ranks", sums.left_out}};
  }

  Report ExportUnit(ProgressBar& progress) {
    std::optional<ResultFile> file = Open();
    const OpenedWorkbench opened(path_, {ReadSelection(window_, steps_), {}, false, 0},
                                 rules_.Rules(), output_.quiet, &progress);
    Workbench::Simulated after = opened.bench().Unchanged();
    if (!choice_.chosen().empty()) {
      const Forecast forecast = opened.bench().Run(choice_.chosen(), &after);
      if (!forecast.applies) throw Error("this what-if does not apply: " + forecast.reason);
    }
    if (format_ == ExportFormat::kChakra) {
      WriteChakra(after.graph);
    } else {
      WriteFile(*file, [&](const ByteSink& sink) {
        sink(WhatIfTimeline(opened.bench().Unchanged(), after));
      });
    }
    if (!choice_.chosen().empty()) {
      outcome_.notes.push_back(
          "The program after the change, of the steps that are simulated, or of the whole where "
          "there are none.");
    }
    return MakeExportReport(outcome_, opened.head().source, opened.head().gpu,
                            opened.head().window);
  }

  void WriteFile(ResultFile& file, const std::function<void(const ByteSink&)>& write) {
    std::uint64_t bytes = 0;
    file.CommitPieces([&](const ByteSink& sink) {
      write([&](std::string_view piece) {
        bytes += piece.size();
        sink(piece);
      });
    });
    Wrote(out_, bytes);
  }

  // A file of a folder that gets its name later.
  void WriteIn(const fs::path& file, const fs::path& final_name,
               const std::function<void(const ByteSink&)>& write) {
    std::uint64_t bytes = 0;
    ResultFile(file).CommitPieces([&](const ByteSink& sink) {
      write([&](std::string_view piece) {
        bytes += piece.size();
        sink(piece);
      });
    });
    Wrote(final_name.string(), bytes);
  }

  void Wrote(const std::string& file, std::uint64_t bytes) {
    outcome_.written.push_back(file);
    outcome_.bytes += bytes;
  }

  void Count(const PerfettoCounts& counts) {
    outcome_.counts = {{"slices", counts.slices},
                       {"device operations", counts.operations},
                       {"waits", counts.waits},
                       {"values of counters", counts.counters}};
  }

  std::vector<std::string> paths_;
  std::optional<std::uint32_t> rank_;
  std::string path_, out_;  // The one trace, of those.
  ExportFormat format_ = ExportFormat::kPerfetto;
  std::optional<StackWeight> weight_;
  bool no_waits_ = false;
  WhatIfChoice choice_;
  StepOptions steps_;
  WindowOptions window_;
  NameOptions names_;
  RuleOptions rules_;
  OutputOptions output_;
  ExportOutcome outcome_;
};

}  // namespace

extern const Command kExportCommand;
const Command kExportCommand = {
    "export",
    "Traces",
    "write a trace for the viewers and simulators that people have",
    "perfetto     a .pftrace: ranges, calls, steps and layers as slices, device work with launch\n"
    "             geometry, the call that issued it and what it waited for, idle time by cause, "
    "the\n"
    "             critical path, counters; of a run, or of several traces, a TAR of them with the\n"
    "             offsets of their clocks\n"
    "chrome       the same without waits and counters, as Chrome's JSON; with a what-if: before "
    "and\n"
    "             after\n"
    "speedscope,  flame graphs of a mean step: device time where it was launched, host time, or "
    "the\n"
    "folded       time on the critical path (--weight)\n"
    "chakra       who waits for whom as MLCommons Chakra execution traces, a file per rank; with "
    "a\n"
    "             what-if: of the changed program\n"
    "parquet      a row per device operation with step, class, layer, waiting and idle time: what\n"
    "             SQL would have to find out again\n"
    "\n"
    "Timelines are of the whole trace, or of what --steps, --time and --nvtx say.",
    {{{"xsp export train.sqlite --to perfetto -o train.pftrace", "for ui.perfetto.dev"},
      {"xsp export train.sqlite --to folded --weight path -o path.folded",
       "what the step waits for, as a flame graph"}}},
    []() -> std::unique_ptr<Action> { return std::make_unique<ExportAction>(); }};

}  // namespace xsp
