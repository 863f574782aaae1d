// A simulation code without any annotation: a loop over time steps, now and then a reduction whose
// result the host reads.
#include "sample_traces/scenarios.h"
#include "sample_traces/script.h"

namespace xsp::samples {

Scenario MakeHpc(const ScenarioOptions& options) {
  Scenario scenario;
  Program& program = scenario.program;
  const int32_t process = program.AddProcess("lattice");
  const int32_t context = program.AddContext(process, 0);
  const int32_t stream = program.DefaultStream(context);
  Script script(program, program.AddThread(process, "lattice"));
  program.threads[script.thread()].start_ns = 1'500'000;
  const int64_t unit = options.bound == Bound::kHost ? 2'000 : 38'000;
  const int32_t halo = program.AddKernel(
      PlainKernel("exchange_halo", "double *, const double *, int, int", 24, unit / 6));
  const int32_t flux = program.AddKernel(
      PlainKernel("compute_flux", "double *, double *, const double *, int, int", 648, unit));
  const int32_t update = program.AddKernel(
      PlainKernel("update_cells", "double *, const double *, double, int, int", 648, unit / 2));
  const int32_t reduce =
      program.AddKernel(PlainKernel("max_speed", "const double *, double *, int", 108, unit / 4));

  script.OsCall("fopen", 42'000);
  script.OsCall("fread", 190'000);
  const int64_t cells = 8 << 20;
  script.Malloc(context, cells, false);
  script.Malloc(context, cells, false);
  script.Copy({CopyKind::kHostToDevice, cells, MemoryKind::kPageable, false, -1}, stream);
  script.Memset(cells, stream);
  script.Loop(options.steps);
  for (int64_t direction = 0; direction < options.layers; ++direction) {
    script.Launch(halo, stream);
    script.Work(900);
    script.Launch(flux, stream);
    script.Work(700);
    script.Launch(update, stream);
    script.Work(600);
  }
  script.Launch(reduce, stream).every = options.sync_every;
  Op& read = script.Copy({CopyKind::kDeviceToHost, 8, MemoryKind::kPageable, false, -1}, stream);
  read.groups = kGroupSync;
  read.every = options.sync_every;
  script.Work(8'000).every = options.sync_every;
  script.EndLoop();
  script.DeviceSync(context);
  script.Copy({CopyKind::kDeviceToHost, cells, MemoryKind::kPageable, false, -1}, stream);
  script.OsCall("fwrite", 260'000);
  script.Free(context, cells);
  script.Free(context, cells);
  return scenario;
}

}  // namespace xsp::samples
