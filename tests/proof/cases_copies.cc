// Copies of every kind: direction, memory, size, API.
#include "tests/proof/one_thread.h"
#include "tests/proof/proof_case.h"

namespace xsp::proof {
namespace {

using samples::Scenario;
using HostMemory = samples::MemoryKind;
using Direction = samples::CopyKind;

struct CopyShape {
  int64_t bytes = 8 << 20;
  HostMemory memory = HostMemory::kPageable;
  bool async = true;
  int64_t kernel_us = 300;
  int64_t rounds = 100;
};

// In, compute, out, again and again on one stream, with a sync after each round.
Scenario InComputeOut(const CopyShape& shape) {
  Scenario scenario;
  OneThread thread(scenario);
  samples::Script& script = thread.script();
  const int32_t stream = thread.Stream();
  const int32_t kernel = thread.Kernel("process_block", shape.kernel_us);
  script.Loop(shape.rounds);
  script.Work(15'000);
  script.Launch(kernel, stream);
  script.Copy({Direction::kHostToDevice, shape.bytes, shape.memory, shape.async, -1}, stream);
  script.Launch(kernel, stream);
  script.Copy({Direction::kDeviceToHost, shape.bytes, shape.memory, shape.async, -1}, stream);
  script.StreamSync(stream);
  script.EndLoop();
  script.DeviceSync(thread.context());
  return scenario;
}

std::function<Scenario()> Copies(const CopyShape& shape) {
  return [shape] { return InComputeOut(shape); };
}

// Three streams: in, compute, out, tied by events; both engines and the SMs work at once.
Scenario Overlapped() {
  Scenario scenario;
  OneThread thread(scenario);
  samples::Script& script = thread.script();
  const int32_t in = thread.Stream();
  const int32_t compute = thread.Stream();
  const int32_t out = thread.Stream();
  const int32_t arrived = thread.program().AddEvent(thread.context());
  const int32_t computed = thread.program().AddEvent(thread.context());
  const int32_t kernel = thread.Kernel("process_block", 500);
  const int64_t bytes = 6 << 20;
  script.Loop(120);
  script.Work(5'000);
  script.Copy({Direction::kHostToDevice, bytes, HostMemory::kPinned, true, -1}, in);
  script.EventRecord(arrived, in);
  script.StreamWait(compute, arrived);
  script.Launch(kernel, compute);
  script.EventRecord(computed, compute);
  script.StreamWait(out, computed);
  script.Copy({Direction::kDeviceToHost, bytes, HostMemory::kPinned, true, -1}, out);
  script.EndLoop();
  script.DeviceSync(thread.context());
  return scenario;
}

// Two streams copy to the device at the same time: they share one engine.
Scenario OneEngine() {
  Scenario scenario;
  OneThread thread(scenario);
  samples::Script& script = thread.script();
  const int32_t kernel = thread.Kernel("process_block", 120, 54);
  const int32_t streams[] = {thread.Stream(), thread.Stream()};
  script.Loop(120);
  script.Work(5'000);
  for (int32_t stream : streams) {
    script.Copy({Direction::kHostToDevice, 4 << 20, HostMemory::kPinned, true, -1}, stream);
    script.Launch(kernel, stream);
  }
  script.EndLoop();
  script.DeviceSync(thread.context());
  return scenario;
}

// Copies within the device and memsets.
Scenario WithinDevice() {
  Scenario scenario;
  OneThread thread(scenario);
  samples::Script& script = thread.script();
  const int32_t stream = thread.Stream();
  const int32_t kernel = thread.Kernel("process_block", 80);
  script.Loop(120);
  script.Work(5'000);
  script.Memset(128 << 20, stream);
  script.Launch(kernel, stream);
  script.Copy({Direction::kDeviceToDevice, 256 << 20, HostMemory::kDevice, true, -1}, stream);
  script.StreamSync(stream);
  script.EndLoop();
  script.DeviceSync(thread.context());
  return scenario;
}

Scenario EveryKind() {
  samples::ScenarioOptions options;
  options.steps = 30;
  return samples::MakeCopies(options);
}

ProofCase KernelsHalf(std::string name, const CopyShape& shape) {
  return {name + " copies: kernels twice as fast",
          "copies: " + name,
          "kernels × 0.5",
          Copies(shape),
          [](Scenario& scenario) { ScaleKernels(scenario, "", 500); },
          [](Edit& edit) { edit.ScaleKernels("", 0.5); }};
}

ProofCase Pinned(std::string name, const CopyShape& shape) {
  return {name + " copies: pinned and asynchronous",
          "copies: " + name,
          "pinned and async",
          Copies(shape),
          PinCopies,
          PinGraphCopies};
}

}  // namespace

std::vector<ProofCase> CopyCases() {
  constexpr int64_t kSmall = 32 << 10;
  constexpr int64_t kMedium = 512 << 10;
  constexpr int64_t kLarge = 8 << 20;
  const CopyShape small_sync{kSmall, HostMemory::kPageable, false, 120, 400};
  const CopyShape small_async{kSmall, HostMemory::kPageable, true, 120, 400};
  const CopyShape medium_sync{kMedium, HostMemory::kPageable, false, 150};
  const CopyShape large_async{kLarge, HostMemory::kPageable, true, 600};
  const CopyShape large_sync{kLarge, HostMemory::kPageable, false, 600};
  const CopyShape pinned_sync{kLarge, HostMemory::kPinned, false, 300};
  const auto halve = [](Scenario& scenario) { ScaleKernels(scenario, "", 500); };
  const auto halve_graph = [](Edit& edit) { edit.ScaleKernels("", 0.5); };
  return {
      KernelsHalf("small pageable sync", small_sync),
      KernelsHalf("small pageable async", small_async),
      KernelsHalf("medium pageable sync", medium_sync),
      KernelsHalf("large pageable async", large_async),
      KernelsHalf("large pageable sync", large_sync),
      KernelsHalf("large pinned sync", pinned_sync),
      Pinned("small pageable sync", small_sync),
      Pinned("medium pageable sync", medium_sync),
      Pinned("large pageable async", large_async),
      Pinned("large pinned sync", pinned_sync),
      {"overlapped pinned copies: kernels take a tenth", "3 streams: in, compute, out",
       "kernels × 0.1", Overlapped, [](Scenario& scenario) { ScaleKernels(scenario, "", 100); },
       [](Edit& edit) { edit.ScaleKernels("", 0.1); }},
      {"overlapped pinned copies: half the bandwidth", "3 streams: in, compute, out", "copies × 2",
       Overlapped, [](Scenario& scenario) { scenario.machine.pinned_rate /= 2; },
       [](Edit& edit) { edit.ScaleOps(TaskKind::kMemcpy, "", 2); }},
      {"two streams on one copy engine: kernels take a fifth", "2 streams share a copy engine",
       "kernels × 0.2", OneEngine, [](Scenario& scenario) { ScaleKernels(scenario, "", 200); },
       [](Edit& edit) { edit.ScaleKernels("", 0.2); }},
      {"copies within the device and memset: twice the bandwidth", "device copies and memset",
       "copies and memsets × 0.5", WithinDevice,
       [](Scenario& scenario) { scenario.machine.device_rate *= 2; },
       [](Edit& edit) {
         edit.ScaleOps(TaskKind::kMemcpy, "", 0.5);
         edit.ScaleOps(TaskKind::kMemset, "", 0.5);
       }},
      {"every kind of copy: kernels twice as fast", "every kind of copy", "kernels × 0.5",
       EveryKind, halve, halve_graph},
  };
}

}  // namespace xsp::proof
