#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <set>
#include <string>

#include "hierarchy/hierarchy.h"
#include "hierarchy/names/graph_names.h"
#include "hierarchy/steps/counted_steps.h"
#include "importers/importer.h"
#include "sample_traces/kineto_writer.h"
#include "sample_traces/nsys_writer.h"
#include "sample_traces/serving.h"

namespace xsp {
namespace {

samples::ScenarioOptions OptionsFor(samples::Engine engine) {
  samples::ScenarioOptions options;
  options.engine = engine;
  options.steps = 22;
  options.nvtx = samples::NvtxLevel::kLayers;
  return options;
}

Trace SampleOf(const samples::ScenarioOptions& options, const std::string& ending) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() /
                                     ("xsp_serving_" + std::to_string(::getpid()) + "." + ending);
  const samples::Scenario scenario = samples::MakeScenario("serve", options);
  if (ending == "json") {
    samples::WriteKinetoTrace(file.string(), scenario.program, scenario.machine, {});
  } else {
    samples::WriteTrace(file.string(), scenario.program, scenario.machine, scenario.options);
  }
  Trace trace = ImportFile(file);
  std::filesystem::remove(file);
  return trace;
}

// The layers in which kernels of a kind of steps stand.
std::set<std::string> LayersOf(const Hierarchy& hierarchy, std::string_view kind) {
  std::set<std::string> layers;
  for (EventId work : hierarchy.trace().OfKind(EventKind::kKernel)) {
    const std::uint32_t step = hierarchy.StepOfWork(work);
    if (step == Steps::kOutside || hierarchy.steps().steps[step].kind() != kind) continue;
    for (NodeId node = hierarchy.NodeOfWork(work); node.valid();
         node = hierarchy.nodes().parent[node.value]) {
      if (hierarchy.nodes().level[node.value] == Level::kLayer) {
        layers.insert(std::string(hierarchy.Name(node)));
      }
    }
  }
  return layers;
}

std::set<std::string> LayersIn(samples::Engine engine) {
  const std::string path =
      engine == samples::Engine::kVllm ? "LlamaForCausalLM.model" : "model.model";
  return {path + ".layers.0", path + ".layers.1"};
}

}  // namespace

TEST_CASE("each engine's sample has its kinds, batches and layers, in both formats") {
  for (const samples::Engine engine :
       {samples::Engine::kVllm, samples::Engine::kSglang, samples::Engine::kTensorRtLlm}) {
    for (const std::string ending : {"sqlite", "json"}) {
      INFO("engine " << static_cast<int>(engine) << ", " << ending);
      const samples::ScenarioOptions options = OptionsFor(engine);
      const std::vector<samples::ServedBatch> truth = samples::ServedBatches(options);
      const Trace trace = SampleOf(options, ending);
      const Hierarchy hierarchy(trace);
      const Steps& steps = hierarchy.steps();
      REQUIRE(steps.size() == truth.size());
      for (std::size_t i = 0; i < truth.size(); ++i) {
        INFO("step " << i + 1 << ": " << steps.steps[i].name);
        const StepContent& content = steps.steps[i].content;
        CHECK(content.kind == truth[i].kind());
        CHECK(content.requests == static_cast<std::uint64_t>(truth[i].requests()));
        const bool is_told = engine != samples::Engine::kSglang || truth[i].kind() != "mixed";
        CHECK(content.tokens ==
              (is_told ? static_cast<std::uint64_t>(truth[i].tokens()) : kMissing<std::uint64_t>));
      }
      CHECK(steps.kinds.size() == 3);
      const std::set<std::string> layers = LayersIn(engine);
      CHECK(LayersOf(hierarchy, "prefill") == layers);
      CHECK(LayersOf(hierarchy, "mixed") == layers);
      // Replayed kernels have the layers of their capture where nodes lead there.
      if (ending == "sqlite") CHECK(LayersOf(hierarchy, "decode") == layers);
    }
  }
}

// PyTorch's profiler does not record what a graph was captured from.
TEST_CASE("an eager run gives the replayed kernels of each engine's sample their layers") {
  for (const samples::Engine engine :
       {samples::Engine::kVllm, samples::Engine::kSglang, samples::Engine::kTensorRtLlm}) {
    INFO("engine " << static_cast<int>(engine));
    samples::ScenarioOptions options = OptionsFor(engine);
    Trace replay = SampleOf(options, "json");
    options.eager = true;
    const Trace eager = SampleOf(options, "json");
    const Hierarchy names(eager);
    CHECK(names.steps().kinds.size() == 3);
    const GraphNames found = JoinGraphNames(replay, names);
    CHECK(found.replayed > 0);
    CHECK(found.Share() == 1);
    const Trace named = WithKernelOperators(std::move(replay), found.names, found.source);
    const Hierarchy hierarchy(named);
    CHECK(LayersOf(hierarchy, "decode") == LayersIn(engine));
    CHECK(LayersOf(hierarchy, "prefill") == LayersIn(engine));
  }
}

}  // namespace xsp
