#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/quantity.h"
#include "base/suggest.h"
#include "cli/command.h"
#include "cli/inputs/open_trace.h"
#include "cli/inputs/throughput_inputs.h"
#include "cli/options/common_options.h"
#include "cli/options/output.h"
#include "cli/options/read_selection.h"
#include "cli/terminal/console.h"
#include "cli/terminal/progress_bar.h"
#include "cli/terminal/result_file.h"
#include "hierarchy/analyses/batch_manifest.h"
#include "hierarchy/hierarchy.h"
#include "hierarchy/names/device_number.h"
#include "hierarchy/selection/averaged_steps.h"
#include "importers/ncu/ncu_csv.h"
#include "report/analyses/analyze_report.h"
#include "report/tables/units.h"

namespace xsp {
namespace {

// A trace to analyse and the batch size it was recorded with, if anybody said.
struct AnalyzeInput {
  std::string trace;
  std::optional<std::uint64_t> batch;
};

// What the user gave as traces, --batch and --manifest. One batch size serves all traces, several
// must be as many as the traces. Throws Error.
std::vector<AnalyzeInput> AnalyzeInputs(const std::vector<std::string>& traces,
                                        const std::vector<std::uint64_t>& batches,
                                        const std::string& manifest) {
  std::vector<AnalyzeInput> inputs;
  if (!manifest.empty()) {
    if (!traces.empty() || !batches.empty()) {
      throw Error("--manifest names the traces and their batch sizes",
                  "leave out TRACE and --batch");
    }
    ProtectInput(manifest);
    for (const ManifestEntry& entry : ReadBatchManifest(manifest)) {
      inputs.push_back({entry.trace.string(), entry.batch});
    }
    return inputs;
  }
  if (traces.empty()) throw Error("no trace was given", "give a TRACE or --manifest FILE");
  if (batches.size() > 1 && batches.size() != traces.size()) {
    throw Error("--batch names " + std::to_string(batches.size()) + " batch sizes for " +
                    std::to_string(traces.size()) + " traces",
                "give one, or one for each trace");
  }
  for (std::size_t i = 0; i < traces.size(); ++i) {
    std::optional<std::uint64_t> batch;
    if (!batches.empty()) batch = batches[batches.size() == 1 ? 0 : i];
    if (batch == 0u) throw Error("--batch 0: a batch holds at least one input");
    inputs.push_back({traces[i], batch});
  }
  return inputs;
}

std::vector<std::string> AnalysisNames() {
  std::vector<std::string> names;
  for (const AnalysisInfo& info : AllAnalyses()) names.emplace_back(info.name);
  return names;
}

AnalysisId AnalysisCalled(const std::string& word) {
  if (const AnalysisInfo* info = FindAnalysis(word)) return info->id;
  std::vector<std::string> words;
  std::string list;
  for (const AnalysisInfo& info : AllAnalyses()) {
    words.emplace_back(info.name);
    words.emplace_back(info.number);
    list += (list.empty() ? "" : " ") + std::string(info.name);
  }
  const std::string meant = DidYouMean(word, words);
  throw Error("no analysis is called '" + word + "'",
              (meant.empty() ? "" : meant + " ") + "analyses: a1 to a15 or " + list);
}

class AnalyzeAction final : public Action {
 public:
  void AddOptions(OptionSet& options) override {
    options
        .Add("TRACE", traces_,
             "Traces; several are runs of the same thing, or of other batch sizes")
        .Value("");
    AddRankOption(options, traces_);
    AddFrameworkNamesTo(options);
    options.Add("--analysis", analyses_, "Which analyses, by number or name, as in a2,roofline")
        .Commas()
        .Value("NAME...")
        .Words(AnalysisNames());
    AddRunOptions(options);
    AddFigureOptions(options);
    throughput_.AddTo(options);
    steps_.AddTo(options);
    window_.AddTo(options);
    names_.AddTo(options);
    options
        .Add("--top", options_.top,
             "How many rows of each table; 0: all; default: all of the analyses that were "
             "asked for, else 5")
        .Value("N")
        .Group("Output");
    output_.AddTo(options, AnalysisNames());
    output_.AddTimeUnitTo(options);
  }

  ExitCode Run() override {
    if (analyses_.empty() && !output_.table.empty()) analyses_ = {output_.table};
    for (const std::string& word : analyses_) options_.analyses.push_back(AnalysisCalled(word));
    options_.names = names_.form;
    options_.statistic = runs_.statistic;
    ReadFigureOptions();
    const std::vector<AnalyzeInput> inputs = AnalyzeInputs(traces_, batches_, manifest_);
    output_.whole_names = names_.IsWhole();
    Output output(output_);
    ProgressBar progress(output_.quiet);
    std::map<std::optional<std::uint64_t>, std::vector<NamedProfile>> runs;
    for (const AnalyzeInput& input : inputs) {
      runs[input.batch].push_back({input.trace, Measure(input.trace, progress)});
    }
    std::vector<BatchProfile> batches;
    for (auto& [batch, of_batch] : runs) {
      const auto count = static_cast<std::uint32_t>(of_batch.size());
      batches.push_back({batch, count, CombineRuns(std::move(of_batch), options_.statistic)});
    }
    progress.Clear();
    Report report =
        MakeAnalyzeReport(batches, options_, sources_, gpus_, TheWindow(batches), counted_);
    if (inputs.size() == 1) {
      throughput_.AddSection(inputs.front().trace, ReadSelection(window_, steps_), output_.quiet,
                             report);
    }
    output.Write(report);
    return ExitCode::kOk;
  }

 private:
  void AddRunOptions(OptionSet& options) {
    runs_.AddTo(options);
    options.Add("--batch", batches_, "The batch size: one for all traces, or one for each")
        .Commas()
        .Value("N...");
    options
        .Add("--manifest", manifest_,
             "A JSON list of traces with their batch sizes: [{\"trace\": \"b16.sqlite\", "
             "\"batch\": 16}, ...]")
        .Value("FILE");
    options
        .Add("--latency-target", latency_target_,
             "The optimal batch is the one of the highest throughput within this time, as "
             "in 20ms; without it the 5 % rule")
        .Value("TIME");
  }

  void AddFigureOptions(OptionSet& options) {
    options
        .Add("--ncu", ncu_,
             "What Nsight Compute counted (ncu --csv --page raw), joined by kernel name and "
             "launch shape")
        .Value("FILE");
    options
        .Add("--peak-flops", peak_flops_,
             "Peak flop/s of the GPU, as in 15.7T; by default fp32 by its clock and cores")
        .Value("RATE");
    options
        .Add("--peak-bandwidth", peak_bandwidth_,
             "Peak bytes/s of its memory, as in 900G; by default as in the trace")
        .Value("RATE");
    rules_.AddTo(options);
  }

  void ReadFigureOptions() {
    if (!ncu_.empty()) {
      CheckExists(ncu_);
      ProtectInput(ncu_);
      counters_ = ReadNcuCsv(ncu_);
    }
    profile_.counters = counters_;
    if (!peak_flops_.empty()) {
      profile_.peak_flops = PeakOf("--peak-flops", peak_flops_, ReadFlops(peak_flops_));
    }
    if (!peak_bandwidth_.empty()) {
      profile_.peak_bandwidth =
          PeakOf("--peak-bandwidth", peak_bandwidth_, ReadBytesPerSecond(peak_bandwidth_));
    }
    if (latency_target_.empty()) return;
    const auto target = ParseDuration(latency_target_);
    if (!target || *target <= 0) {
      throw Error("--latency-target '" + latency_target_ + "' is no time", "write it as 20ms");
    }
    options_.latency_target_ns = static_cast<double>(*target);
  }

  // "900GB/s", "900GB" or "900G".
  static std::optional<double> ReadBytesPerSecond(const std::string& text) {
    if (const auto bandwidth = ReadBandwidth(text)) return bandwidth;
    const std::optional<std::uint64_t> bytes = ReadBytes(text);
    return bytes ? std::optional(static_cast<double>(*bytes)) : std::nullopt;
  }

  static double PeakOf(const std::string& option, const std::string& text,
                       std::optional<double> rate) {
    if (rate && *rate > 0) return *rate;
    throw Error(option + " '" + text + "' is no rate", "write it as 15.7T or 900G");
  }

  Profile Measure(const std::string& path, ProgressBar& progress) {
    OpenedTrace opened = OpenTrace(path, &progress, Notes(output_.quiet));
    const TracePart part = TakePart(std::move(opened.trace), ReadSelection(window_));
    const Hierarchy hierarchy(part.trace, rules_.Rules());
    const AveragedSteps choice = StepsToAverage(hierarchy.steps(), ReadSteps(steps_));
    if (sources_.empty()) {
      window_text_ = part.window;
      counted_ = choice.counted;
      const bool has_steps = hierarchy.steps().size() > 0;
      const std::string steps = !choice.steps.is_whole() ? choice.text
                                : has_steps              ? "GPU span"
                                                         : "GPU span (no steps found)";
      window_text_.text = window_.Empty() ? steps : window_text_.text + ", " + steps;
    }
    sources_.push_back(opened.source);
    gpus_ = GpuWords(part.trace);
    profile_.steps = choice.steps;
    return MeasureProfile(hierarchy, profile_);
  }

  // Of several runs the first one's steps, and how they were put together.
  Window TheWindow(const std::vector<BatchProfile>& batches) const {
    Window window = window_text_;
    const bool has_runs = std::any_of(batches.begin(), batches.end(),
                                      [](const BatchProfile& batch) { return batch.runs > 1; });
    if (has_runs) {
      const std::string statistic(NameOf(options_.statistic));
      window.text = statistic + (options_.statistic == Statistic::kTrimmed ? " mean" : "") +
                    " of the runs; first run: " + window.text;
    }
    return window;
  }

  ThroughputOptions throughput_;
  std::vector<std::string> traces_;
  std::vector<std::string> analyses_;
  std::vector<std::uint64_t> batches_;
  std::string manifest_, latency_target_, ncu_, peak_flops_, peak_bandwidth_;
  RuleOptions rules_;
  std::vector<KernelCounters> counters_;
  ProfileOptions profile_;
  AnalyzeReportOptions options_;
  RunOptions runs_;
  StepOptions steps_;
  WindowOptions window_;
  NameOptions names_;
  OutputOptions output_;
  std::vector<TraceSource> sources_;
  std::string gpus_;
  Window window_text_;
  CountedSteps counted_;  // Of the first trace.
};

}  // namespace

extern const Command kAnalyzeCommand;
const Command kAnalyzeCommand = {
    "analyze",
    "Where time goes",
    "XSP's fifteen analyses: model, layers, kernels, roofline",
    "Looks at a step (or the GPU span) as a model of layers that run kernels:\n"
    "  a1 model           a6 latency-by-type   a11 layer-kernels\n"
    "  a2 layers          a7 memory-by-type    a12 layer-metrics\n"
    "  a3 layer-latency   a8 kernels           a13 gpu-vs-host\n"
    "  a4 layer-memory    a9 roofline          a14 layer-roofline\n"
    "  a5 layer-types    a10 kernels-by-name   a15 model-kernels\n"
    "and stages (thirds of the layers). Without --analysis: the most useful ones, top rows each.\n"
    "\n"
    "A layer's latency lasts from its begin on the host, or the end of the device work before it,\n"
    "whichever is later, to the end of its last device work; its time on the host stands beside\n"
    "it. Flop, DRAM bytes and achieved occupancy come from Nsight Compute (--ncu), else from\n"
    "recorded shapes, else from tile and grid; every figure says which, and what is not in the\n"
    "trace is said to be missing. Several traces of one batch size are runs of the same thing and\n"
    "are averaged; with several batch sizes A1 and A15 have a row for each.",
    {{{"xsp analyze train.sqlite --ncu counters.csv --analysis layer-kernels,roofline",
       "which layers and kernels memory holds back"},
      {"xsp analyze b1.sqlite b2.sqlite b4.sqlite --batch 1,2,4 --analysis a1,a15",
       "throughput and the optimal batch size"}}},
    []() -> std::unique_ptr<Action> { return std::make_unique<AnalyzeAction>(); }};

}  // namespace xsp
