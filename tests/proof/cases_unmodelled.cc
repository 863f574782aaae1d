// What the graph does not model, with the size of the error.
#include "tests/proof/one_thread.h"
#include "tests/proof/proof_case.h"

namespace xsp::proof {
namespace {

using samples::Scenario;

// Kernels that could each fill the GPU, on two streams: they slow each other down.
Scenario SharedSms(bool one_stream) {
  Scenario scenario;
  OneThread thread(scenario);
  const int32_t streams[] = {thread.Stream(), thread.Stream()};
  const int32_t kernel = thread.Kernel("fill_gpu", 100, 4'096);
  thread.script().Loop(150);
  for (int32_t stream : streams) {
    thread.script().Work(3'000);
    thread.script().Launch(kernel, one_stream ? streams[0] : stream);
  }
  thread.script().EndLoop();
  thread.script().DeviceSync(thread.context());
  return scenario;
}

Scenario WholeGraphs() {
  samples::ScenarioOptions options;
  options.steps = 150;
  options.graph_nodes = false;
  return samples::MakeGraphs(options);
}

}  // namespace

std::vector<ProofCase> UnmodelledCases() {
  std::vector<ProofCase> cases = {
      {"kernels that share the SMs: all on one stream", "2 streams of kernels that fill the GPU",
       "2 streams become 1", [] { return SharedSms(false); },
       [](Scenario& scenario) { scenario = SharedSms(true); },
       [](Edit& edit) { edit.MergeStreams(1, 0); }},
      {"CUDA graph as a whole: kernels twice as fast", "graph launches as a whole",
       "kernels × 0.5 (spans × 0.5)", WholeGraphs,
       [](Scenario& scenario) { ScaleKernels(scenario, "", 500); },
       [](Edit& edit) {
         edit.ScaleKernels("", 0.5);
         edit.ScaleOps(TaskKind::kGraphSpan, "", 0.5);
       }},
  };
  for (const ProofCase& proof : UnmodelledPolling()) cases.push_back(proof);
  return cases;
}

}  // namespace xsp::proof
