#include "importers/merge/merge.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "base/error.h"
#include "importers/importer.h"
#include "sample_traces/kineto_writer.h"
#include "sample_traces/scenarios.h"
#include "tests/support/real_traces.h"

namespace xsp {
namespace {

namespace fs = std::filesystem;

// A folder of generated recordings.
class Recordings {
 public:
  Recordings() : folder_(fs::temp_directory_path() / ("xsp_merge_" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~Recordings() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  // What nsys and the profiler inside of the process saw of one run.
  fs::path Nsys(const samples::Scenario& scenario, bool with_nvtx) const {
    samples::ExportOptions options = scenario.options;
    options.nvtx = with_nvtx;
    const fs::path file = folder_ / ("run" + std::to_string(++count_) + ".sqlite");
    samples::WriteTrace(file.string(), scenario.program, scenario.machine, options);
    return file;
  }
  fs::path Kineto(const samples::Scenario& scenario, samples::KinetoOptions options) const {
    const fs::path file = folder_ / ("run" + std::to_string(++count_) + ".json");
    samples::WriteKinetoTrace(file.string(), scenario.program, scenario.machine, options);
    return file;
  }

 private:
  fs::path folder_;
  mutable int count_ = 0;
};

samples::Scenario Training(std::uint64_t seed) {
  samples::ScenarioOptions options;
  options.seed = seed;
  options.steps = 4;
  return samples::MakeScenario("train", options);
}

MergedRecordings Merge(const std::vector<fs::path>& files) {
  std::vector<Recording> recordings;
  for (const fs::path& file : files) recordings.push_back({file, ImportFile(file)});
  return MergeRecordings(std::move(recordings));
}

std::string RefusalOfMerge(const std::vector<fs::path>& files) {
  try {
    Merge(files);
  } catch (const Error& error) {
    return std::string(error.what()) + " | " + error.hint();
  }
  return "";
}

// How many CUDA calls lie in an operator of their thread.
std::uint32_t CallsInOperators(const Trace& trace) {
  std::uint32_t count = 0;
  for (EventId call : trace.OfKind(EventKind::kApi)) {
    for (EventId op : trace.operators().event) {
      if (trace.track_of(op) != trace.track_of(call)) continue;
      if (trace.begin(op) > trace.begin(call) || trace.end(op) < trace.end(call)) continue;
      ++count;
      break;
    }
  }
  return count;
}

}  // namespace

TEST_CASE("two recordings of one run become one: CUDA of one, operators of the other") {
  const Recordings recordings;
  const samples::Scenario scenario = Training(1);
  samples::KinetoOptions kineto;
  kineto.clock_ns = 12'345'678;
  const fs::path nsys = recordings.Nsys(scenario, false);
  const fs::path torch = recordings.Kineto(scenario, kineto);
  const Trace alone = ImportFile(nsys);
  const Trace other = ImportFile(torch);
  REQUIRE(alone.operators().event.empty());
  REQUIRE(!other.operators().event.empty());
  // In whatever order they are given.
  for (const auto& files : {std::vector{nsys, torch}, std::vector{torch, nsys}}) {
    const MergedRecordings merged = Merge(files);
    const Trace& trace = merged.trace;
    CHECK(trace.OfKind(EventKind::kKernel).size() == alone.OfKind(EventKind::kKernel).size());
    CHECK(trace.OfKind(EventKind::kApi).size() == alone.OfKind(EventKind::kApi).size());
    CHECK(trace.OfKind(EventKind::kOsrt).size() == alone.OfKind(EventKind::kOsrt).size());
    CHECK(trace.operators().event.size() == other.operators().event.size());
    CHECK(trace.processes().size() == alone.processes().size());
    CHECK(CallsInOperators(trace) == CallsInOperators(other));
    for (EventId e : trace.OfKind(EventKind::kKernel)) CHECK(trace.call_of(e).valid());
    REQUIRE(merged.notes.size() == 1);
    CHECK_THAT(merged.notes[0],
               Catch::Contains("by correlation id") && Catch::Contains("residual 0 ns"));
    CHECK(trace.info().format == "nsys-sqlite+kineto");
  }
}

TEST_CASE("operators that both recordings have are taken once") {
  const Recordings recordings;
  const samples::Scenario scenario = Training(1);
  const fs::path nsys = recordings.Nsys(scenario, true);
  const MergedRecordings merged = Merge({nsys, recordings.Kineto(scenario, {})});
  const Trace alone = ImportFile(nsys);
  CHECK(merged.trace.operators().event.size() == alone.operators().event.size());
  CHECK(merged.trace.OfKind(EventKind::kNvtxPushPop).size() ==
        alone.OfKind(EventKind::kNvtxPushPop).size());
}

TEST_CASE("recordings of two runs are refused with the reason") {
  const Recordings recordings;
  const fs::path nsys = recordings.Nsys(Training(1), false);
  CHECK_THAT(RefusalOfMerge({nsys, recordings.Kineto(Training(2), {})}),
             Catch::Contains("not recordings of one run") && Catch::Contains("same names") &&
                 Catch::Contains("xsp diff"));
  samples::ScenarioOptions other;
  other.streams = 3;
  CHECK_THAT(RefusalOfMerge({nsys, recordings.Kineto(samples::MakeScenario("streams", other), {})}),
             Catch::Contains("are in the first"));
  CHECK_THAT(RefusalOfMerge({nsys}), Catch::Contains("at least two"));
}

TEST_CASE("the ranks of a job become one trace on one clock") {
  const Recordings recordings;
  samples::ScenarioOptions options;
  options.steps = 6;
  options.ranks = 2;
  const samples::Scenario scenario = samples::MakeScenario("multi", options);
  samples::KinetoOptions first, second;
  second.process = 1;
  second.clock_ns = -250'000'000;
  const fs::path a = recordings.Kineto(scenario, first);
  const fs::path b = recordings.Kineto(scenario, second);
  const Trace of_a = ImportFile(a);
  const Trace of_b = ImportFile(b);
  const MergedRecordings merged = Merge({a, b});
  const Trace& trace = merged.trace;
  REQUIRE(trace.processes().size() == 2);
  CHECK(trace.processes()[0].rank == 0);
  CHECK(trace.processes()[1].rank == 1);
  CHECK(trace.OfKind(EventKind::kKernel).size() ==
        of_a.OfKind(EventKind::kKernel).size() + of_b.OfKind(EventKind::kKernel).size());
  CHECK(trace.operators().event.size() ==
        of_a.operators().event.size() + of_b.operators().event.size());
  // What the clocks say of the last event of each: in truth they end within a few milliseconds.
  std::array<TimeNs, 2> last = {};
  for (EventId e : trace.OfKind(EventKind::kKernel)) {
    if (!trace.name(e).starts_with("nccl")) continue;
    TimeNs& end = last[trace.process_of(e).value];
    end = std::max(end, trace.end(e));
  }
  CHECK(std::abs(last[0] - last[1]) < 100'000);
  CHECK_THAT(merged.notes.at(0), Catch::Contains("collectives"));
  CHECK_THAT(RefusalOfMerge({a, a}), Catch::Contains("both of rank 0"));
}

TEST_CASE("two ranks of a real job are put on one clock") {
  const auto folder = test::RealTracesOrSkip();
  if (!folder) return;
  const MergedRecordings merged =
      Merge({*folder / "kineto/hta_rank0.json.gz", *folder / "kineto/hta_rank1.json.gz"});
  CHECK(merged.trace.processes().size() == 2);
  CHECK(merged.trace.OfKind(EventKind::kKernel).size() == 1154 + 1104);
  CHECK(merged.notes.size() == 1);
}

}  // namespace xsp
