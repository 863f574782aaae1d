// Steps beside which something else runs: side streams, copies, graphs, allocation.
#include "tests/proof/one_thread.h"
#include "tests/proof/proof_case.h"

namespace xsp::proof {
namespace {

using samples::Scenario;
using HostMemory = samples::MemoryKind;
using Direction = samples::CopyKind;

// After its last kernel a step starts something on another stream that runs on into the next: a
// copy of what it computed, or more computing. The next such one must be over before a step may
// change what it reads.
struct SideShape {
  int64_t every = 1;
  int64_t copy_bytes = 0;  // To pinned memory; 0: a kernel instead.
  int64_t side_us = 300;
};

Scenario WithSideStream(const SideShape& shape) {
  Scenario scenario;
  OneThread thread(scenario);
  samples::Script& script = thread.script();
  const int32_t stream = thread.Stream();
  const int32_t side = thread.Stream();
  const int32_t computed = thread.program().AddEvent(thread.context());
  const int32_t read = thread.program().AddEvent(thread.context());
  const int32_t forward = thread.Kernel("forward", 60, 54);
  const int32_t update = thread.Kernel("update", 120, 54);
  const int32_t average = thread.Kernel("average", shape.side_us, 54);
  script.Loop(40);
  script.Push("step %0", 0, 1);
  for (int i = 0; i < 6; ++i) {
    script.Work(9'000);
    script.Launch(forward, stream);
  }
  script.StreamWait(stream, read);
  script.Launch(update, stream);
  script.EventRecord(computed, stream).every = shape.every;
  script.StreamWait(side, computed).every = shape.every;
  if (shape.copy_bytes > 0) {
    script.Copy({Direction::kDeviceToHost, shape.copy_bytes, HostMemory::kPinned, true, -1}, side)
        .every = shape.every;
  } else {
    script.Launch(average, side).every = shape.every;
  }
  script.EventRecord(read, side).every = shape.every;
  script.Pop();
  script.Work(5'000);
  script.EndLoop();
  script.DeviceSync(thread.context());
  return scenario;
}

std::function<Scenario()> Beside(const SideShape& shape) {
  return [shape] { return WithSideStream(shape); };
}

// The next batch is copied to the device while this one is computed.
Scenario Prefetching() {
  Scenario scenario;
  OneThread thread(scenario);
  samples::Script& script = thread.script();
  const int32_t stream = thread.Stream();
  const int32_t copies = thread.Stream();
  const int32_t arrived = thread.program().AddEvent(thread.context());
  const int32_t computed = thread.program().AddEvent(thread.context());
  const int32_t kernel = thread.Kernel("train", 180);
  const samples::CopySpec batch{Direction::kHostToDevice, 12 << 20, HostMemory::kPinned, true, -1};
  script.Loop(40);
  script.Push("step %0", 0, 1);
  script.Work(12'000);
  script.StreamWait(copies, computed);
  script.Copy(batch, copies);
  for (int i = 0; i < 4; ++i) {
    script.Work(8'000);
    script.Launch(kernel, stream);
  }
  script.EventRecord(computed, stream);
  script.EventRecord(arrived, copies);
  script.StreamWait(stream, arrived);
  script.Pop();
  script.EndLoop();
  script.DeviceSync(thread.context());
  return scenario;
}

// Four passes add up their gradients, then the optimizer runs; the loss is read once.
Scenario Accumulation() {
  Scenario scenario;
  OneThread thread(scenario);
  samples::Script& script = thread.script();
  const int32_t stream = thread.default_stream();
  const int32_t forward = thread.Kernel("forward", 70);
  const int32_t backward = thread.Kernel("backward", 130);
  const int32_t adam = thread.Kernel("adam", 500);
  script.Loop(24);
  script.Push("step %0", 0, 1);
  for (int pass = 0; pass < 4; ++pass) {
    script.Push("micro batch");
    script.Work(40'000);
    script.Copy({Direction::kHostToDevice, 256 << 10, HostMemory::kPageable, true, -1}, stream);
    for (int i = 0; i < 3; ++i) {
      script.Work(7'000);
      script.Launch(forward, stream);
    }
    for (int i = 0; i < 3; ++i) {
      script.Work(7'000);
      script.Launch(backward, stream);
    }
    script.Pop();
  }
  script.Launch(adam, stream);
  script.Copy({Direction::kDeviceToHost, 4, HostMemory::kPinned, true, -1}, stream).groups =
      samples::kGroupSync;
  script.StreamSync(stream).groups = samples::kGroupSync;
  script.Pop();
  script.EndLoop();
  script.DeviceSync(thread.context());
  return scenario;
}

// Buffers that are made and given back in every step; both wait for the device.
Scenario Allocating() {
  Scenario scenario;
  OneThread thread(scenario);
  samples::Script& script = thread.script();
  const int32_t stream = thread.default_stream();
  const int32_t build = thread.Kernel("build_table", 130);
  const int32_t probe = thread.Kernel("probe_table", 240);
  script.Loop(40);
  script.Push("step %0", 0, 1);
  script.Malloc(thread.context(), 32 << 20, true).groups = samples::kGroupAlloc;
  script.Work(15'000);
  script.Launch(build, stream);
  script.Launch(probe, stream);
  script.Work(9'000);
  script.Free(thread.context(), 32 << 20).groups = samples::kGroupAlloc;
  script.Work(35'000);
  script.Pop();
  script.EndLoop();
  script.DeviceSync(thread.context());
  return scenario;
}

Scenario CopiesInAndOut() {
  Scenario scenario;
  OneThread thread(scenario);
  samples::Script& script = thread.script();
  const int32_t stream = thread.default_stream();
  const int32_t kernel = thread.Kernel("process_block", 300);
  script.Loop(30);
  script.Push("step %0", 0, 1);
  script.Work(40'000);
  script.Copy({Direction::kHostToDevice, 4 << 20, HostMemory::kPageable, false, -1}, stream);
  script.Launch(kernel, stream);
  script.Copy({Direction::kDeviceToHost, 1 << 20, HostMemory::kPageable, false, -1}, stream);
  script.Pop();
  script.EndLoop();
  script.DeviceSync(thread.context());
  return scenario;
}

samples::ScenarioOptions Options(int64_t steps) {
  samples::ScenarioOptions options;
  options.steps = steps;
  return options;
}

void DoubleCopies(Scenario& scenario) {
  ForEachOp(scenario, [](samples::Op& op) {
    if (op.kind == samples::OpKind::kCopy) op.copy.bytes *= 2;
  });
}
}  // namespace

std::vector<ProofCase> StepsBeside() {
  const SideShape averaging;
  const SideShape saving{.every = 2, .copy_bytes = 24 << 20};
  const auto half = Kernels("", 500);
  const auto half_graph = GraphKernels("", 0.5);
  return {
      {"compute across the border: the step's own kernels twice as fast",
       "a side stream computes on into the next step", "forward, update × 0.5", Beside(averaging),
       [](Scenario& scenario) {
         ScaleKernels(scenario, "forward", 500);
         ScaleKernels(scenario, "update", 500);
       },
       [](Edit& edit) {
         edit.ScaleKernels("forward", 0.5);
         edit.ScaleKernels("update", 0.5);
       }},
      {"compute across the border: the side stream twice as slow",
       "a side stream computes on into the next step", "side kernel × 2", Beside(averaging),
       Kernels("average", 2'000), GraphKernels("average", 2)},
      {"side copy every 2nd step: kernels twice as fast", "side copy in every 2nd step",
       "kernels × 0.5", Beside(saving), half, half_graph},
      {"side copy every 2nd step: kernels a tenth", "side copy in every 2nd step", "kernels × 0.1",
       Beside(saving), Kernels("", 100), GraphKernels("", 0.1)},
      {"prefetching: kernels a tenth", "next batch copied beside", "kernels × 0.1", Prefetching,
       Kernels("", 100), GraphKernels("", 0.1)},
      {"prefetching: twice the data", "next batch copied beside", "copies × 2", Prefetching,
       DoubleCopies, [](Edit& edit) { edit.ScaleOps(TaskKind::kMemcpy, "", 2); }},
      {"gradient accumulation: kernels twice as fast", "gradients of 4 passes added up",
       "kernels × 0.5", Accumulation, half, half_graph},
      {"gradient accumulation: the loss is not read", "gradients of 4 passes added up",
       "sync removed", Accumulation, RemoveMarked, RemoveReads()},
      {"steps of graph launches: sync removed", "graph launches, node by node", "sync removed",
       [] { return samples::MakeGraphs(Options(60)); }, Change("no-sync"),
       [](Edit& edit) { edit.RemoveCalls("cudaStreamSynchronize"); }},
      {"steps of graph launches: kernels twice as fast", "graph launches, node by node",
       "kernels × 0.5", [] { return samples::MakeGraphs(Options(60)); }, half, half_graph},
      {"steps that allocate: allocation removed", "cudaMalloc and cudaFree wait",
       "allocation removed", Allocating, Change("no-alloc"),
       [](Edit& edit) {
         edit.RemoveCalls("cudaMalloc_");
         edit.RemoveCalls("cudaFree_");
       }},
      {"steps that copy: kernels twice as fast", "pageable copies in and out", "kernels × 0.5",
       CopiesInAndOut, half, half_graph},
      {"steps that copy: pinned and asynchronous", "pageable copies in and out", "pinned and async",
       CopiesInAndOut, PinCopies, PinGraphCopies},
  };
}

}  // namespace xsp::proof
