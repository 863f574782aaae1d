// Many streams: pipelines that hand on through events, kernels that share the device, and the
// legacy default stream, which orders itself against all blocking ones.
#include <string>
#include <vector>

#include "sample_traces/scenarios.h"
#include "sample_traces/script.h"

namespace xsp::samples {

Scenario MakeStreams(const ScenarioOptions& options) {
  Scenario scenario;
  Program& program = scenario.program;
  const int32_t process = program.AddProcess("pipelines");
  const int32_t context = program.AddContext(process, 0);
  Script script(program, program.AddThread(process, "pipelines"));
  program.threads[script.thread()].start_ns = 2'000'000;
  std::vector<int32_t> streams;
  std::vector<int32_t> events;
  for (int32_t i = 0; i < options.streams; ++i) {
    // Every second one does not order itself against the default stream.
    streams.push_back(program.AddStream(context, i % 2 == 0, i == 0 ? -5 : 0));
    events.push_back(program.AddEvent(context));
  }
  const int32_t done = program.AddEvent(context);
  const int64_t unit = options.bound == Bound::kHost ? 3'000 : 45'000;
  const int32_t stage =
      program.AddKernel(PlainKernel("pipeline_stage", "float *, const float *, int", 54, unit));
  const int32_t wide = program.AddKernel(
      PlainKernel("wide_transform", "float *, const float *, int, int", 432, 2 * unit));
  const int32_t reduce =
      program.AddKernel(PlainKernel("block_reduce", "const float *, float *, int", 216, unit / 2));

  script.Malloc(context, 64 << 20, false);
  script.Loop(options.steps + options.warmup);
  if (options.nvtx >= NvtxLevel::kSteps) script.Push("frame %0", 0, 1);
  for (size_t i = 0; i < streams.size(); ++i) {
    if (i > 0) script.StreamWait(streams[i], events[i - 1]);
    for (int64_t k = 0; k < options.layers; ++k) {
      script.Work(2'500);
      script.Launch(stage, streams[i]);
    }
    script.EventRecord(events[i], streams[i]);
    script.Launch(wide, streams[i]);
  }
  script.Work(4'000);
  script.Launch(reduce, program.DefaultStream(context));
  script.Launch(stage, streams.front());
  script.EventRecord(done, streams.back());
  script.EventSync(done).groups = kGroupSync;
  script.Work(6'000);
  if (options.nvtx >= NvtxLevel::kSteps) script.Pop();
  script.EndLoop();
  script.DeviceSync(context);
  return scenario;
}

}  // namespace xsp::samples
