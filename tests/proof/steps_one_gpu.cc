// Steps of one process: bound by the host, by the device, by the launch queue, by a sync.
#include <array>

#include "tests/proof/one_thread.h"
#include "tests/proof/proof_case.h"

namespace xsp::proof {
namespace {

using samples::Scenario;

// Rounds of two kernels, host work between the launches, a sync at the end if asked for.
struct StepShape {
  int64_t steps = 30;
  int64_t launches = 10;  // Per step, of each of two kernels.
  int64_t kernel_us = 40;
  int64_t work_ns = 6'000;
  int64_t sync_every = 0;       // Never.
  int64_t optimizer_every = 0;  // A long kernel in every so-manieth step.
};

Scenario Steps(const StepShape& shape) {
  Scenario scenario;
  OneThread thread(scenario);
  samples::Script& script = thread.script();
  const int32_t stencil = thread.Kernel("stencil", shape.kernel_us);
  const int32_t reduce = thread.Kernel("reduce", shape.kernel_us / 4);
  const int32_t optimizer = thread.Kernel("optimizer", 12 * shape.kernel_us);
  script.Loop(shape.steps);
  script.Push("step %0", 0, 1);
  for (int64_t i = 0; i < shape.launches; ++i) {
    script.Work(shape.work_ns);
    script.Launch(stencil, thread.default_stream());
    script.Work(shape.work_ns / 2);
    script.Launch(reduce, thread.default_stream());
  }
  if (shape.optimizer_every > 0) {
    script.Launch(optimizer, thread.default_stream()).every = shape.optimizer_every;
  }
  if (shape.sync_every > 0) {
    samples::Op& sync = script.StreamSync(thread.default_stream());
    sync.every = shape.sync_every;
    sync.groups = samples::kGroupSync;
  }
  script.Pop();
  script.Work(shape.work_ns);
  script.EndLoop();
  script.DeviceSync(thread.context());
  return scenario;
}

// Nothing ever waits: the GPU is busy for 60 % of the time.
constexpr StepShape kHostBound = {.kernel_us = 25, .work_ns = 30'000};
// The GPU takes longer than the host, so the host runs ahead until the queue is full.
constexpr StepShape kFarAhead = {.steps = 150, .launches = 20, .kernel_us = 60};
constexpr StepShape kSynced = {.sync_every = 1};
constexpr StepShape kSyncedNow = {.steps = 48, .sync_every = 4};
constexpr StepShape kOptimizer = {.steps = 40, .sync_every = 1, .optimizer_every = 4};

std::function<Scenario()> Program(const StepShape& shape) {
  return [shape] { return Steps(shape); };
}

// Steps that only their kernels show; a blocking copy reads a result in each.
Scenario TimeSteps() {
  samples::ScenarioOptions options;
  options.steps = 60;
  options.layers = 6;
  return samples::MakeHpc(options);
}

// A batch is pinned memory in two halves: the host waits for the step before the last one, so that
// it may fill the half that this one used.
Scenario DoubleBuffered() {
  Scenario scenario;
  OneThread thread(scenario);
  samples::Script& script = thread.script();
  const int32_t stream = thread.Stream();
  const int32_t kernel = thread.Kernel("process_block", 90);
  const std::array<int32_t, 2> done = {thread.program().AddEvent(thread.context()),
                                       thread.program().AddEvent(thread.context())};
  for (int32_t event : done) script.EventRecord(event, stream);
  script.Loop(20);
  for (int half = 0; half < 2; ++half) {
    script.Push("step %0", half, 2);
    script.EventSync(done[static_cast<std::size_t>(half)]).groups = samples::kGroupSync;
    script.Work(260'000);
    script.Copy({samples::CopyKind::kHostToDevice, 1 << 20, samples::MemoryKind::kPinned, true, -1},
                stream);
    for (int i = 0; i < 4; ++i) script.Launch(kernel, stream);
    script.EventRecord(done[static_cast<std::size_t>(half)], stream);
    script.Pop();
  }
  script.EndLoop();
  script.DeviceSync(thread.context());
  return scenario;
}

// Data is loaded by the thread itself, in a range that says so.
Scenario LoadsInline() {
  Scenario scenario;
  OneThread thread(scenario);
  samples::Script& script = thread.script();
  const int32_t kernel = thread.Kernel("train_step", 400);
  script.Loop(30);
  script.Push("step %0", 0, 1);
  script.Push("load_batch");
  script.Work(1'500'000).groups = samples::kGroupLoading;
  script.Pop();
  for (int i = 0; i < 3; ++i) {
    script.Work(8'000);
    script.Launch(kernel, thread.default_stream());
  }
  script.Pop();
  script.EndLoop();
  script.DeviceSync(thread.context());
  return scenario;
}

std::function<void(Scenario&)> HostWork(int64_t permille) {
  return [=](Scenario& scenario) {
    ForEachOp(scenario, [=](samples::Op& op) {
      if (op.kind == samples::OpKind::kWork) op.amount = op.amount * permille / 1'000;
    });
  };
}
std::function<void(Edit&)> GraphGaps(double factor) {
  return [=](Edit& edit) { edit.ScaleGaps(factor); };
}
void Unchanged(Scenario&) {}
void UnchangedGraph(Edit&) {}

// The sync that every fourth step ends with, in all of them.
void SyncAlways(Scenario& scenario) { scenario = Steps(kSynced); }
void SyncGraphAlways(Edit& edit) {
  const TaskGraph& graph = edit.graph();
  NewCall sync;
  sync.label = "cudaStreamSynchronize";
  for (TaskId task : graph.host_tasks()) {
    if (graph.question[task].ask != Ask::kStream) continue;
    sync.question = graph.question[task];
    sync.own = graph.own[task];
  }
  const std::uint32_t per_step = 2 * static_cast<std::uint32_t>(kSyncedNow.launches);
  std::uint32_t launches = 0;
  for (TaskId task : graph.host_tasks()) {
    if (!graph.IsHost(Next(task))) continue;
    if (graph.OpsOf(task).empty() || ++launches % per_step != 0) continue;
    if (graph.question[Next(task)].ask != Ask::kStream) edit.InsertAfter(task, sync);
  }
}

void RemoveSyncs(Edit& edit) {
  edit.RemoveCalls("cudaStreamSynchronize");
  edit.RemoveCalls("cudaEventSynchronize");
}

}  // namespace

std::vector<ProofCase> OneGpuSteps() {
  const char* const host_bound = "host-bound, no sync, GPU 60 % busy";
  const char* const far_ahead = "GPU-bound, no sync, host far ahead";
  const char* const synced = "sync in every step";
  const char* const optimizer = "optimizer in every 4th step";
  return {
      {"steps, host-bound: host work a quarter", host_bound, "host gaps × 0.25",
       Program(kHostBound), HostWork(250), GraphGaps(0.25)},
      {"steps, host-bound: kernels twice as slow", host_bound, "kernels × 2", Program(kHostBound),
       Kernels("", 2'000), GraphKernels("", 2)},
      {"steps, host-bound: kernels four times as slow", host_bound, "kernels × 4",
       Program(kHostBound), Kernels("", 4'000), GraphKernels("", 4)},
      {"steps, host-bound: kernels twice as fast", host_bound, "kernels × 0.5", Program(kHostBound),
       Kernels("", 500), GraphKernels("", 0.5)},
      {"steps, host far ahead: kernels twice as fast", far_ahead, "kernels × 0.5",
       Program(kFarAhead), Kernels("", 500), GraphKernels("", 0.5)},
      {"steps, host far ahead: kernels ten times as fast", far_ahead, "kernels × 0.1",
       Program(kFarAhead), Kernels("", 100), GraphKernels("", 0.1)},
      {"steps, host far ahead: host work four times", far_ahead, "host gaps × 8",
       Program(kFarAhead), HostWork(8'000), GraphGaps(8)},
      {"steps, synced: kernels twice as fast", synced, "kernels × 0.5", Program(kSynced),
       Kernels("", 500), GraphKernels("", 0.5)},
      {"steps, synced: sync removed", synced, "sync removed", Program(kSynced), RemoveMarked,
       RemoveSyncs},
      {"steps, synced now and then: sync removed", "sync in every 4th step", "sync removed",
       Program(kSyncedNow), RemoveMarked, RemoveSyncs},
      {"steps, synced now and then: sync always", "sync in every 4th step", "sync in every step",
       Program(kSyncedNow), SyncAlways, SyncGraphAlways},
      {"steps, optimizer every 4th: unchanged", optimizer, "nothing", Program(kOptimizer),
       Unchanged, UnchangedGraph},
      {"steps, optimizer every 4th: optimizer a tenth", optimizer, "optimizer × 0.1",
       Program(kOptimizer), Kernels("optimizer", 100), GraphKernels("optimizer", 0.1)},
      {"steps, optimizer every 4th: sync removed", optimizer, "sync removed", Program(kOptimizer),
       RemoveMarked, RemoveSyncs},
      {"steps without ranges: kernels twice as fast", "time steps without ranges", "kernels × 0.5",
       TimeSteps, Kernels("", 500), GraphKernels("", 0.5)},
      {"steps without ranges: result not read", "time steps without ranges", "sync removed",
       TimeSteps, RemoveMarked, [](Edit& edit) { edit.RemoveCalls("cudaMemcpy"); }},
      {"double buffering: kernels twice as fast", "host waits for the step before the last",
       "kernels × 0.5", DoubleBuffered, Kernels("", 500), GraphKernels("", 0.5)},
      {"double buffering: wait removed", "host waits for the step before the last", "sync removed",
       DoubleBuffered, RemoveMarked, RemoveSyncs},
      {"steps that load inline: loading an eighth", "data loaded in the step", "loading × 0.125",
       LoadsInline,
       [](Scenario& scenario) {
         ForEachOp(scenario, [](samples::Op& op) {
           if ((op.groups & samples::kGroupLoading) != 0) op.amount /= 8;
         });
       },
       [](Edit& edit) { edit.ScaleLoads(0.125); }},
  };
}

}  // namespace xsp::proof
