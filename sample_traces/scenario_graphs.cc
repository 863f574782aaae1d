// CUDA graphs: captured once, launched in every step, traced node by node or as a whole.
#include <string>

#include "sample_traces/scenarios.h"
#include "sample_traces/script.h"

namespace xsp::samples {

Scenario MakeGraphs(const ScenarioOptions& options) {
  Scenario scenario;
  Program& program = scenario.program;
  const int32_t process = program.AddProcess("decoder");
  const int32_t context = program.AddContext(process, 0);
  const int32_t stream = program.AddStream(context, false);
  const int32_t branch = program.AddStream(context, false);
  const int32_t graph = program.AddGraph();
  Script script(program, program.AddThread(process, "decoder"));
  program.threads[script.thread()].start_ns = 2'000'000;
  const int64_t width = options.hidden > 0 ? options.hidden : 1'024;
  const auto add = [&](const KernelSpec& kernel) { return program.AddKernel(kernel); };
  const int32_t gemm = add(GemmKernel(options.batch, 4 * width, width, "tn", options.precision));
  const int32_t norm = add(LayerNormKernel(options.batch, width, false));
  const int32_t gelu =
      add(ElementwiseKernel("GeluCUDAKernelImpl", options.batch * width * 4, 2, options.precision));
  const int32_t cache =
      add(ElementwiseKernel("CUDAFunctor_add", options.batch * width, 3, options.precision));
  const int32_t sample = add(SoftmaxKernel(options.batch, 8'192, false));

  script.Malloc(context, 256 << 20, false);
  if (options.nvtx >= NvtxLevel::kSteps) script.Push("capture");
  script.BeginCapture(stream);
  for (int64_t layer = 0; layer < options.layers; ++layer) {
    if (options.nvtx >= NvtxLevel::kLayers) script.Push("layer " + std::to_string(layer));
    script.Work(6'000);
    script.Launch(norm, stream);
    script.Launch(gemm, stream);
    script.Launch(cache, branch);  // runs beside the others: its own branch of the graph
    script.Launch(gelu, stream);
    script.Launch(gemm, stream);
    if (options.nvtx >= NvtxLevel::kLayers) script.Pop();
  }
  script.Memset(4'096, stream);
  script.EndCapture(stream, graph);
  script.Instantiate(graph);
  if (options.nvtx >= NvtxLevel::kSteps) script.Pop();

  script.Loop(options.steps + options.warmup);
  if (options.nvtx >= NvtxLevel::kSteps) script.Push("token %0", 0, 1);
  script.Copy({CopyKind::kHostToDevice, 4'096, MemoryKind::kPinned, true, -1}, stream);
  script.GraphLaunch(graph, stream);
  script.Work(options.bound == Bound::kHost ? 90'000 : 5'000);
  script.Launch(sample, stream);
  script.Copy({CopyKind::kDeviceToHost, 64, MemoryKind::kPinned, true, -1}, stream);
  script.StreamSync(stream).groups = kGroupSync;
  script.Work(14'000);
  if (options.nvtx >= NvtxLevel::kSteps) script.Pop();
  script.EndLoop();
  script.DeviceSync(context);
  scenario.machine.trace_graph_nodes = options.graph_nodes;
  return scenario;
}

}  // namespace xsp::samples
