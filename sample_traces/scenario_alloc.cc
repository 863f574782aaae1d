// Temporary buffers from cudaMalloc and cudaFree, which wait for the device, and from a pool.
#include "sample_traces/scenarios.h"
#include "sample_traces/script.h"

namespace xsp::samples {

Scenario MakeAlloc(const ScenarioOptions& options) {
  Scenario scenario;
  Program& program = scenario.program;
  const int32_t process = program.AddProcess("workspace");
  const int32_t context = program.AddContext(process, 0);
  const int32_t stream = program.DefaultStream(context);
  Script script(program, program.AddThread(process, "workspace"));
  program.threads[script.thread()].start_ns = 2'000'000;
  const int64_t unit = options.bound == Bound::kHost ? 6'000 : 130'000;
  const int32_t build =
      program.AddKernel(PlainKernel("build_table", "int *, const int *, int", 216, unit));
  const int32_t probe =
      program.AddKernel(PlainKernel("probe_table", "int *, const int *, int", 432, 2 * unit));

  script.Loop(options.steps + options.warmup);
  if (options.nvtx >= NvtxLevel::kSteps) script.Push("query %0", 0, 1);
  script.Malloc(context, 32 << 20, true).groups = kGroupAlloc;
  for (int64_t layer = 0; layer < options.layers; ++layer) {
    script.MallocAsync(stream, 4 << 20);
    script.Work(7'000);
    script.Launch(build, stream);
    script.Launch(probe, stream);
    script.FreeAsync(stream, 4 << 20);
  }
  script.Work(9'000);
  script.Free(context, 32 << 20).groups = kGroupAlloc;
  script.Work(35'000);
  if (options.nvtx >= NvtxLevel::kSteps) script.Pop();
  script.EndLoop();
  script.DeviceSync(context);
  scenario.options.memory_usage = true;
  return scenario;
}

}  // namespace xsp::samples
