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

// The first thread computes, wakes the second and computes on: the trace does not tell that the
// second was woken, nor by whom.
Scenario WakesAndGoesOn() {
  Scenario scenario;
  OneThread thread(scenario);
  samples::Program& program = thread.program();
  samples::Script& first = thread.script();
  samples::Script second(program, program.AddThread(thread.process(), "second"));
  const int32_t kernel = thread.Kernel("tile_update", 150, 54);
  const int32_t streams[] = {thread.Stream(), thread.Stream()};
  const int32_t go = program.AddSemaphore(0);
  const int32_t done = program.AddSemaphore(0);
  first.Loop(100);
  first.Launch(kernel, streams[0]);
  first.StreamSync(streams[0]);
  first.Post(go);
  first.Launch(kernel, streams[0]);
  first.StreamSync(streams[0]);
  first.Wait(done);
  first.EndLoop();
  second.Loop(100);
  second.Wait(go);
  for (int i = 0; i < 3; ++i) second.Launch(kernel, streams[1]);
  second.StreamSync(streams[1]);
  second.Post(done);
  second.EndLoop();
  first.DeviceSync(thread.context());
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
  return {
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
      {"a thread that is woken while the other goes on",
       "2 threads, one wakes the other and goes on", "kernels × 0.5", WakesAndGoesOn,
       [](Scenario& scenario) { ScaleKernels(scenario, "", 500); },
       [](Edit& edit) { edit.ScaleKernels("", 0.5); }},
  };
}

}  // namespace xsp::proof
