#include "tests/proof/prove.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "graph/builder.h"
#include "graph/unit/unit_bench.h"
#include "importers/importer.h"

namespace xsp::proof {
namespace {

namespace fs = std::filesystem;

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "xsp-proof-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
    path_ = name;
  }
  ~TemporaryFolder() { fs::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

DurationNs GpuSpan(const Trace& trace) {
  TimeNs begin = 0;
  TimeNs end = 0;
  for (EventId op : trace.DeviceWork()) {
    begin = begin == 0 ? trace.begin(op) : std::min(begin, trace.begin(op));
    end = std::max(end, trace.end(op));
  }
  return end - begin;
}

double ErrorOf(DurationNs forecast, DurationNs truth) {
  return static_cast<double>(forecast) / static_cast<double>(truth) - 1;
}

constexpr std::uint32_t kFewestSteps = 8;

DurationNs KernelTime(const Trace& trace) {
  DurationNs sum = 0;
  for (EventId kernel : trace.OfKind(EventKind::kKernel)) sum += trace.duration(kernel);
  return sum;
}

ProofResult Compare(const Trace& before, DurationNs after,
                    const std::function<void(Edit&)>& change_graph) {
  const Hierarchy hierarchy(before);
  const TaskGraph graph = BuildGraph(before, hierarchy);
  Edit edit(graph);
  change_graph(edit);
  ProofResult result;
  result.before = GpuSpan(before);
  result.after = after;
  const EditedGraph edited = edit.Build();
  result.forecast = GpuSpanOf(edited.graph(), edited.Simulate()).Length();
  result.naive = NaiveForecast(graph, edited);
  const DurationNs replay = GpuSpanOf(graph, Simulate(graph)).Length();
  result.replay_error = ErrorOf(replay, result.before);
  result.forecast_error = ErrorOf(result.forecast, after);
  result.naive_error = ErrorOf(result.naive, after);
  return result;
}

// The measured step with every duration that the edit changes added or taken off. What the edit put
// in counts where the task before it does.
DurationNs NaiveStep(const UnitBench& bench, const EditedGraph& edited) {
  const TaskGraph& graph = bench.graph();
  const TaskGraph whole = edited.Whole();
  PerTask<std::uint8_t> counts(whole.host_count());
  DurationNs change = 0;
  for (TaskId task : graph.tasks()) {
    if (!bench.IsInUnit(task)) continue;
    const TaskId now = edited.PlaceOf(task);
    if (now.valid() && whole.IsHost(now)) counts[now] = 1;
    change -= now.valid() ? graph.own[task] : graph.measured(task);
    if (graph.IsHost(task)) change -= graph.gap[task];
  }
  std::uint8_t before = 0;
  for (TaskId host : whole.host_tasks()) {
    if (whole.IsNew(host)) counts[host] = before;
    before = counts[host];
  }
  for (TaskId task : whole.tasks()) {
    const bool is_host = whole.IsHost(task);
    if (counts[is_host ? task : whole.CallOf(task)] == 0) continue;
    change += whole.own[task] + (is_host ? whole.gap[task] : 0);
  }
  return std::max<DurationNs>(0, bench.unit().measured + bench.unit().MeanOfRun(change));
}

}  // namespace

void SetNoise(samples::Scenario& scenario, std::uint64_t seed) {
  scenario.machine.seed = seed;
  scenario.machine.gap_jitter = 200;
  scenario.machine.outliers = 5;
}

DurationNs TrueStep(const Trace& trace) {
  const Steps steps = FindSteps(trace);
  const auto size = static_cast<std::uint32_t>(steps.size());
  if (size < kFewestSteps) throw std::runtime_error("too few steps");
  const std::uint32_t count = size / 2 / steps.period * steps.period;
  DurationNs sum = 0;
  for (std::uint32_t i = size - 1 - count; i < size - 1; ++i) sum += steps.steps[i].time.Length();
  return sum / count;
}

Trace RunAndImport(const samples::Scenario& scenario) {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "run.sqlite";
  samples::WriteTrace(file.string(), scenario.program, scenario.machine, scenario.options);
  return ImportFile(file);
}

bool Holds(const ProofResult& result) {
  return std::abs(result.replay_error) <= kReplayBound &&
         std::abs(result.forecast_error) <= kForecastBound;
}

ProofResult Prove(const ProofCase& proof) {
  samples::Scenario scenario = proof.before();
  SetNoise(scenario, 1);
  const Trace before = RunAndImport(scenario);
  proof.change_program(scenario);
  SetNoise(scenario, 7);
  return Compare(before, GpuSpan(RunAndImport(scenario)), proof.change_graph);
}

ProofResult ProveStep(const ProofCase& proof) {
  samples::Scenario scenario = proof.before();
  SetNoise(scenario, 1);
  const Trace before = RunAndImport(scenario);
  proof.change_program(scenario);
  SetNoise(scenario, 7);
  const Hierarchy hierarchy(before);
  const TaskGraph graph = BuildGraph(before, hierarchy);
  const UnitBench bench(graph, hierarchy.steps(), ChooseUnit(graph, hierarchy.steps()));
  if (!bench.unit().is_step) throw std::runtime_error("no steps");
  Edit edit(bench.graph());
  proof.change_graph(edit);
  ProofResult result;
  result.before = bench.unit().measured;
  result.after = TrueStep(RunAndImport(scenario));
  const EditedGraph edited = edit.Build();
  result.forecast = bench.Length(edited.graph(), edited.overlay());
  result.naive = NaiveStep(bench, edited);
  result.replay_error = ErrorOf(bench.Length(), result.before);
  result.forecast_error = ErrorOf(result.forecast, result.after);
  result.naive_error = ErrorOf(result.naive, result.after);
  return result;
}

ProofResult ProveFasterKernels(const Trace& before, const Trace& after) {
  const double factor =
      static_cast<double>(KernelTime(after)) / static_cast<double>(KernelTime(before));
  return Compare(before, GpuSpan(after), [&](Edit& edit) { edit.ScaleKernels("", factor); });
}

}  // namespace xsp::proof
