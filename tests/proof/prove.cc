#include "tests/proof/prove.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "graph/builder.h"
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

constexpr std::int64_t kGapJitter = 200;
constexpr std::uint64_t kOtherSeed = 7;

double ErrorOf(DurationNs forecast, DurationNs truth) {
  return static_cast<double>(forecast) / static_cast<double>(truth) - 1;
}

DurationNs KernelTime(const Trace& trace) {
  DurationNs sum = 0;
  for (EventId kernel : trace.OfKind(EventKind::kKernel)) sum += trace.duration(kernel);
  return sum;
}

ProofResult Compare(const Trace& before, DurationNs after,
                    const std::function<void(Edit&)>& change_graph) {
  const TaskGraph graph = BuildGraph(before);
  Edit edit(graph);
  change_graph(edit);
  ProofResult result;
  result.before = GpuSpan(before);
  result.after = after;
  result.forecast = GpuSpanOf(graph, Simulate(graph, edit.overlay())).Length();
  result.naive = NaiveForecast(graph, edit.overlay());
  const DurationNs replay = GpuSpanOf(graph, Simulate(graph)).Length();
  result.replay_error = ErrorOf(replay, result.before);
  result.forecast_error = ErrorOf(result.forecast, after);
  result.naive_error = ErrorOf(result.naive, after);
  return result;
}

}  // namespace

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
  scenario.machine.gap_jitter = kGapJitter;
  const Trace before = RunAndImport(scenario);
  proof.change_program(scenario);
  scenario.machine.gap_jitter = kGapJitter;  // The change may have written a new program.
  scenario.machine.seed = kOtherSeed;
  return Compare(before, GpuSpan(RunAndImport(scenario)), proof.change_graph);
}

ProofResult ProveFasterKernels(const Trace& before, const Trace& after) {
  const double factor =
      static_cast<double>(KernelTime(after)) / static_cast<double>(KernelTime(before));
  return Compare(before, GpuSpan(after), [&](Edit& edit) { edit.ScaleKernels("", factor); });
}

}  // namespace xsp::proof
