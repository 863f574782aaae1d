// Every kind of copy: direction, pageable or pinned, waiting or not, small, medium and large.
#include <string>

#include "sample_traces/scenarios.h"
#include "sample_traces/script.h"

namespace xsp::samples {

Scenario MakeCopies(const ScenarioOptions& options) {
  Scenario scenario;
  Program& program = scenario.program;
  const int32_t process = program.AddProcess("transfer");
  const int32_t context = program.AddContext(process, 0);
  const int32_t peer = program.AddContext(process, 1);
  const int32_t copy_stream = program.AddStream(context, false);
  const int32_t compute = program.DefaultStream(context);
  Script script(program, program.AddThread(process, "transfer"));
  program.threads[script.thread()].start_ns = 2'000'000;
  const int64_t unit = options.bound == Bound::kHost ? 8'000 : 240'000;
  const int32_t kernel =
      program.AddKernel(PlainKernel("process_block", "float *, const float *, int", 432, unit));
  const MemoryKind slow = options.pinned ? MemoryKind::kPinned : MemoryKind::kPageable;

  script.ApiCall("cudaHostAlloc_v3020", 410'000);
  script.Malloc(context, 64 << 20, false);
  script.Loop(options.steps + options.warmup);
  if (options.nvtx >= NvtxLevel::kSteps) script.Push("round %0", 0, 1);
  for (int64_t bytes :
       {int64_t{16} << 10, int64_t{512} << 10, int64_t{3} << 20, int64_t{12} << 20}) {
    for (bool async : {true, false}) {
      script.Copy({CopyKind::kHostToDevice, bytes, slow, async, -1}, compute);
      script.Launch(kernel, compute);
      script.Copy({CopyKind::kDeviceToHost, bytes, slow, async, -1}, compute);
    }
    // Pinned and asynchronous, on a stream of its own, beside the kernels.
    script.Copy({CopyKind::kHostToDevice, bytes, MemoryKind::kPinned, true, -1}, copy_stream);
    script.Copy({CopyKind::kDeviceToHost, bytes, MemoryKind::kPinned, true, -1}, copy_stream);
    script.Launch(kernel, compute);
    script.Copy({CopyKind::kDeviceToDevice, bytes, MemoryKind::kDevice, true, -1}, compute);
    script.Copy({CopyKind::kPeer, bytes, MemoryKind::kDevice, true, peer}, copy_stream);
    script.Work(12'000);
  }
  script.Copy({CopyKind::kHostToHost, 256 << 10, MemoryKind::kPageable, false, -1}, compute);
  script.Memset(1 << 20, compute);
  script.StreamSync(copy_stream).groups = kGroupSync;
  if (options.nvtx >= NvtxLevel::kSteps) script.Pop();
  script.EndLoop();
  script.DeviceSync(context);
  return scenario;
}

}  // namespace xsp::samples
