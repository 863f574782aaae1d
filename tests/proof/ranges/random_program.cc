#include "tests/proof/ranges/random_program.h"

#include <array>

#include "tests/proof/one_thread.h"

namespace xsp::proof {
namespace {

using samples::Bound;
using samples::Scenario;
using samples::ScenarioOptions;
using Direction = samples::CopyKind;
using HostMemory = samples::MemoryKind;

// Kernels behind each other, host work between the launches, a sync now and then.
RandomProgram Loop(Random& random) {
  RandomProgram result;
  OneThread thread(result.scenario);
  samples::Script& script = thread.script();
  const int32_t stencil = thread.Kernel("stencil", random.Between(8, 120));
  const int32_t reduce = thread.Kernel("reduce", random.Between(4, 40));
  const auto work = static_cast<int64_t>(random.Spread(2'000, 40'000));
  script.Loop(random.Between(24, 60));
  script.Push("step %0", 0, 1);
  for (int64_t i = random.Between(4, 24); i > 0; --i) {
    script.Work(work);
    script.Launch(stencil, thread.default_stream());
    script.Work(work / 2);
    script.Launch(reduce, thread.default_stream());
  }
  if (random.Chance(0.7)) {
    samples::Op& sync = script.StreamSync(thread.default_stream());
    sync.every = random.Chance(0.3) ? 4 : 1;
    sync.groups = samples::kGroupSync;
    result.syncs = {"cudaStreamSynchronize"};
  }
  script.Pop();
  script.Work(static_cast<int64_t>(random.Spread(2'000, 400'000)));
  script.EndLoop();
  script.DeviceSync(thread.context());
  result.kernels = {"stencil", "reduce", ""};
  return result;
}

// Data in, computing, data out: through pageable or pinned memory.
RandomProgram CopiesInAndOut(Random& random) {
  RandomProgram result;
  OneThread thread(result.scenario);
  samples::Script& script = thread.script();
  const int32_t kernel = thread.Kernel("filter", random.Between(30, 400));
  const HostMemory memory = random.Chance(0.6) ? HostMemory::kPageable : HostMemory::kPinned;
  const bool async = random.Chance(0.5);
  const auto bytes = static_cast<int64_t>(random.Spread(1 << 15, 1 << 24));
  script.Loop(random.Between(24, 40));
  script.Push("step %0", 0, 1);
  script.Work(random.Between(10'000, 200'000));
  script.Copy({Direction::kHostToDevice, bytes, memory, async, -1}, thread.default_stream());
  for (int64_t i = random.Between(1, 6); i > 0; --i) {
    script.Work(random.Between(4'000, 20'000));
    script.Launch(kernel, thread.default_stream());
  }
  script.Copy({Direction::kDeviceToHost, bytes / 4, memory, async, -1}, thread.default_stream())
      .groups = samples::kGroupSync;
  script.StreamSync(thread.default_stream()).groups = samples::kGroupSync;
  script.Pop();
  script.EndLoop();
  script.DeviceSync(thread.context());
  result.kernels = {"filter"};
  result.syncs = {"cudaStreamSynchronize"};
  result.reads_results = true;
  return result;
}

// More computing on another stream, beside the next step.
RandomProgram SideStream(Random& random) {
  RandomProgram result;
  OneThread thread(result.scenario);
  samples::Script& script = thread.script();
  const int32_t stream = thread.Stream();
  const int32_t side = thread.Stream();
  const int32_t computed = thread.program().AddEvent(thread.context());
  const int32_t read = thread.program().AddEvent(thread.context());
  const int32_t forward = thread.Kernel("forward", random.Between(20, 100), 54);
  const int32_t average = thread.Kernel("average", random.Between(50, 500), 54);
  script.Loop(40);
  script.Push("step %0", 0, 1);
  for (int64_t i = random.Between(3, 10); i > 0; --i) {
    script.Work(random.Between(3'000, 30'000));
    script.Launch(forward, stream);
  }
  script.StreamWait(stream, read);
  script.Launch(forward, stream);
  script.EventRecord(computed, stream);
  script.StreamWait(side, computed);
  script.Launch(average, side);
  script.EventRecord(read, side);
  script.Pop();
  script.Work(random.Between(4'000, 40'000));
  script.EndLoop();
  script.DeviceSync(thread.context());
  result.kernels = {"forward", "average", ""};
  return result;
}

// Data comes from a thread that makes one batch after the other.
RandomProgram Loaded(Random& random) {
  RandomProgram result;
  OneThread thread(result.scenario);
  samples::Program& program = thread.program();
  samples::Script& script = thread.script();
  const int32_t ready = program.AddSemaphore(0);
  const int32_t slots = program.AddSemaphore(1);
  const int64_t kernel_us = random.Between(100, 500);
  const bool is_slow = random.Chance(0.5);
  const double share = is_slow ? random.Uniform(1.3, 3) : random.Uniform(0.1, 0.6);
  samples::Script loader(program, program.AddThread(thread.process(), "pt_data_pin"));
  loader.Loop(120);
  loader.Wait(slots);
  loader.Work(static_cast<int64_t>(3'000 * share * static_cast<double>(kernel_us))).groups =
      samples::kGroupLoading;
  loader.Post(ready);
  loader.EndLoop();
  const int32_t kernel = thread.Kernel("train_step", kernel_us);
  script.Malloc(thread.context(), 1 << 20, false);
  script.Loop(120);
  script.Push("step %0", 0, 1);
  script.Push("load_batch");
  script.Wait(ready, "pthread_cond_timedwait");
  script.Post(slots);
  script.Work(30'000);
  script.Pop();
  for (int i = 0; i < 3; ++i) {
    script.Work(8'000);
    script.Launch(kernel, thread.default_stream());
  }
  script.StreamSync(thread.default_stream());
  script.Pop();
  script.Work(5'000);
  script.EndLoop();
  script.DeviceSync(thread.context());
  result.kernels = {"train_step"};
  return result;
}

ScenarioOptions DrawOptions(Random& random) {
  ScenarioOptions options;
  options.steps = 16;
  options.layers = random.Between(1, 4);
  options.batch = random.Between(2, 16);
  options.bound = random.Chance(0.5) ? Bound::kHost : Bound::kGpu;
  return options;
}

RandomProgram Training(Random& random) {
  return {samples::MakeTrain(DrawOptions(random)), {"gemm", "layer_norm", ""}, {}, false, 0};
}

// The host fills one half of its memory while the device reads the other.
RandomProgram DoubleBuffer(Random& random) {
  RandomProgram result;
  OneThread thread(result.scenario);
  samples::Script& script = thread.script();
  const int32_t stream = thread.Stream();
  const int32_t kernel = thread.Kernel("process_block", random.Between(20, 150));
  const std::array<int32_t, 2> done = {thread.program().AddEvent(thread.context()),
                                       thread.program().AddEvent(thread.context())};
  for (int32_t event : done) script.EventRecord(event, stream);
  const int64_t work = random.Between(60'000, 600'000);
  const auto bytes = static_cast<int64_t>(random.Spread(1 << 16, 1 << 23));
  const int64_t launches = random.Between(2, 8);
  script.Loop(20);
  for (int half = 0; half < 2; ++half) {
    script.Push("step %0", half, 2);
    script.EventSync(done[static_cast<std::size_t>(half)]).groups = samples::kGroupSync;
    script.Work(work);
    script.Copy({Direction::kHostToDevice, bytes, HostMemory::kPinned, true, -1}, stream);
    for (int64_t i = 0; i < launches; ++i) {
      script.Work(5'000);
      script.Launch(kernel, stream);
    }
    script.EventRecord(done[static_cast<std::size_t>(half)], stream);
    script.Pop();
  }
  script.EndLoop();
  script.DeviceSync(thread.context());
  result.kernels = {"process_block"};
  result.syncs = {"cudaEventSynchronize"};
  return result;
}

RandomProgram Pipelines(Random& random) {
  ScenarioOptions options = DrawOptions(random);
  options.steps = 24;
  options.streams = static_cast<int32_t>(random.Between(2, 4));
  return {samples::MakeStreams(options),
          {"pipeline_stage", "wide_transform", ""},
          {"cudaEventSynchronize"},
          false,
          0};
}

RandomProgram TimeSteps(Random& random) {
  ScenarioOptions options = DrawOptions(random);
  options.steps = 60;
  options.layers = random.Between(3, 8);
  return {samples::MakeHpc(options), {"flux", "update", ""}, {}, false, 0};
}

RandomProgram TwoRanks(Random& random) {
  ScenarioOptions options = DrawOptions(random);
  options.link_rate = static_cast<int64_t>(random.Spread(10, 180));
  return {samples::MakeMulti(options), {"gemm", ""}, {}, false, 0};
}

// One thread prepares, the other computes: they take turns.
RandomProgram TakeTurns(Random& random) {
  RandomProgram result;
  OneThread thread(result.scenario);
  samples::Program& program = thread.program();
  samples::Script& first = thread.script();
  samples::Script second(program, program.AddThread(thread.process(), "second"));
  const int32_t forward = thread.Kernel("forward", random.Between(20, 200));
  const int32_t backward = thread.Kernel("backward", random.Between(20, 300));
  const int32_t go = program.AddSemaphore(0);
  const int32_t done = program.AddSemaphore(0);
  const int32_t stream = thread.default_stream();
  const int64_t launches = random.Between(3, 12);
  first.Loop(40);
  first.Push("step %0", 0, 1);
  for (int64_t i = 0; i < launches; ++i) {
    first.Work(random.Between(4'000, 30'000));
    first.Launch(forward, stream);
  }
  first.Post(go);
  first.Wait(done);
  first.StreamSync(stream).groups = samples::kGroupSync;
  first.Pop();
  first.Work(random.Between(4'000, 100'000));
  first.EndLoop();
  second.Loop(40);
  second.Wait(go);
  for (int64_t i = 0; i < launches; ++i) {
    second.Work(random.Between(4'000, 30'000));
    second.Launch(backward, stream);
  }
  second.Post(done);
  second.EndLoop();
  first.DeviceSync(thread.context());
  result.kernels = {"forward", "backward", ""};
  result.syncs = {"cudaStreamSynchronize"};
  return result;
}

// Kernels of two streams that fill the device: beside each other they take longer.
RandomProgram Crowded(Random& random) {
  RandomProgram result;
  OneThread thread(result.scenario);
  samples::Script& script = thread.script();
  const std::array<int32_t, 2> streams = {thread.Stream(), thread.Stream()};
  const int64_t blocks = random.Between(100, 800);
  const int32_t left = thread.Kernel("left", random.Between(30, 200), blocks);
  const int32_t right = thread.Kernel("right", random.Between(30, 200), blocks);
  script.Loop(40);
  script.Push("step %0", 0, 1);
  for (int64_t i = random.Between(2, 6); i > 0; --i) {
    script.Work(random.Between(4'000, 40'000));
    script.Launch(left, streams[0]);
    script.Work(4'000);
    script.Launch(right, streams[1]);
  }
  script.DeviceSync(thread.context()).groups = samples::kGroupSync;
  script.Pop();
  script.Work(random.Between(4'000, 60'000));
  script.EndLoop();
  result.kernels = {"left", "right", ""};
  return result;
}

int64_t Times(int64_t value, double factor) {
  return static_cast<int64_t>(static_cast<double>(value) * factor);
}

}  // namespace

const std::vector<Structure>& CalibrationStructures() {
  static const std::vector<Structure> all = {{"loop", Loop},
                                             {"copies in and out", CopiesInAndOut},
                                             {"side stream", SideStream},
                                             {"loader", Loaded},
                                             {"training", Training}};
  return all;
}

const std::vector<Structure>& HeldOutStructures() {
  static const std::vector<Structure> all = {{"double buffer", DoubleBuffer},
                                             {"pipelines", Pipelines},
                                             {"time steps", TimeSteps},
                                             {"two ranks", TwoRanks},
                                             {"threads that take turns", TakeTurns},
                                             {"crowded streams", Crowded}};
  return all;
}

void DrawMachine(Scenario& scenario, Random& random) {
  samples::MachineConfig& machine = scenario.machine;
  const double host = random.Uniform(0.6, 2);
  machine.launch_ns = Times(machine.launch_ns, host);
  machine.copy_call_ns = Times(machine.copy_call_ns, host);
  machine.event_call_ns = Times(machine.event_call_ns, host);
  machine.sync_call_ns = Times(machine.sync_call_ns, host);
  machine.call_jitter = random.Between(80, 300);
  machine.work_jitter = random.Between(40, 250);
  machine.duration_jitter = random.Between(5, 60);
  machine.gap_jitter = 200;
  machine.outliers = random.Between(0, 8);
  machine.seed = random.Bits();
}

void DrawRun(Scenario& scenario, Random& random) {
  const double host = random.Uniform(0.97, 1.03), device = random.Uniform(0.99, 1.01);
  samples::MachineConfig& machine = scenario.machine;
  machine.seed = random.Bits();
  machine.launch_ns = Times(machine.launch_ns, host);
  machine.copy_call_ns = Times(machine.copy_call_ns, host);
  ForEachOp(scenario, [&](samples::Op& op) {
    if (op.kind == samples::OpKind::kWork) op.amount = Times(op.amount, host);
  });
  for (samples::KernelSpec& kernel : scenario.program.kernels) {
    kernel.duration_ns = Times(kernel.duration_ns, device);
  }
}

}  // namespace xsp::proof
