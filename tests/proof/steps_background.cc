// Steps beside which something runs that they never wait for, and others that work for them.
#include "tests/proof/one_thread.h"
#include "tests/proof/prove.h"

namespace xsp::proof {
namespace {

using samples::Scenario;
using samples::Script;

constexpr int64_t kFewBlocks = 20;  // So that kernels do not slow each other down.

// A thread of the process that computes for itself, round after round, on a stream of its own.
void AddBackground(OneThread& main, int64_t us, bool syncs) {
  samples::Program& program = main.program();
  Script script(program, program.AddThread(main.process(), "statistics"));
  program.threads[script.thread()].start_ns = 2'300'000;
  const int32_t kernel = main.Kernel("statistics", us, kFewBlocks);
  const int32_t stream = main.Stream();
  script.Loop(60'000 / us);
  script.Launch(kernel, stream);
  if (syncs) script.StreamSync(stream);
  script.Work(syncs ? 120'000 : 1'000 * us + 50'000);
  script.EndLoop();
}

// Each step waits for its own stream.
Scenario Steps(int64_t background_us, bool syncs) {
  Scenario scenario;
  OneThread thread(scenario);
  Script& script = thread.script();
  const int32_t stream = thread.Stream();
  const int32_t forward = thread.Kernel("forward", 150, kFewBlocks);
  script.Loop(50);
  script.Push("step %0", 0, 1);
  for (int i = 0; i < 5; ++i) {
    script.Work(9'000);
    script.Launch(forward, stream);
  }
  script.StreamSync(stream);
  script.Work(30'000);
  script.Pop();
  script.EndLoop();
  AddBackground(thread, background_us, syncs);
  return scenario;
}

// Another thread runs the backward pass, into the same stream or one that an event joins; the
// step's thread waits for it. A third one computes for itself.
Scenario WithHelper(bool own_stream) {
  Scenario scenario;
  OneThread thread(scenario);
  samples::Program& program = thread.program();
  Script& script = thread.script();
  Script helper(program, program.AddThread(thread.process(), "autograd"));
  program.threads[helper.thread()].start_ns = 2'100'000;
  const int32_t stream = thread.Stream();
  const int32_t others = own_stream ? thread.Stream() : stream;
  const int32_t forward = thread.Kernel("forward", 100, kFewBlocks);
  const int32_t backward = thread.Kernel("backward", 180, kFewBlocks);
  const int32_t done = program.AddEvent(thread.context());
  const int32_t asked = program.AddSemaphore(0), answered = program.AddSemaphore(0);
  script.Loop(50);
  helper.Loop(50);
  script.Push("step %0", 0, 1);
  for (int i = 0; i < 3; ++i) {
    script.Work(9'000);
    script.Launch(forward, stream);
  }
  script.Post(asked);
  helper.Wait(asked);
  for (int i = 0; i < 4; ++i) {
    helper.Work(60'000);
    helper.Launch(backward, others);
  }
  helper.EventRecord(done, others);
  helper.Post(answered);
  script.Wait(answered);
  if (own_stream) script.StreamWait(stream, done);
  script.Launch(forward, stream);
  script.StreamSync(stream);
  script.Pop();
  script.EndLoop();
  helper.EndLoop();
  AddBackground(thread, 900, true);
  return scenario;
}

// Two programs that know nothing of each other, on one GPU.
Scenario TwoPrograms() {
  Scenario scenario;
  for (const auto& [name, us, steps] :
       {std::tuple("train", 250, 60), std::tuple("serve", 90, 70)}) {
    OneThread thread(scenario);
    Script& script = thread.script();
    const int32_t stream = thread.Stream();
    const int32_t kernel = thread.Kernel(name, us, kFewBlocks);
    script.Loop(steps);
    script.Push("step %0", 0, 1);
    for (int i = 0; i < 4; ++i) {
      script.Work(8'000);
      script.Launch(kernel, stream);
    }
    script.StreamSync(stream);
    script.Work(us == 90 ? 300'000 : 20'000);
    script.Pop();
    script.EndLoop();
  }
  return scenario;
}

}  // namespace

std::vector<ProofCase> BackgroundSteps() {
  const auto beside = [](int64_t us, bool syncs) { return [=] { return Steps(us, syncs); }; };
  const auto helper = [](bool own) { return [=] { return WithHelper(own); }; };
  return {
      {"background thread: the step's kernels twice as fast", "a thread computes for itself",
       "forward × 0.5", beside(700, true), Kernels("forward", 500), GraphKernels("forward", 0.5)},
      {"background thread: its own kernels twice as fast", "a thread computes for itself",
       "background × 0.5", beside(700, true), Kernels("statistics", 500),
       GraphKernels("statistics", 0.5)},
      {"long background kernels: the step's kernels twice as fast", "a thread with kernels of 3 ms",
       "forward × 0.5", beside(3'000, true), Kernels("forward", 500), GraphKernels("forward", 0.5)},
      {"background thread that never waits: the step's kernels three times as slow",
       "a thread that only launches", "forward × 3", beside(500, false), Kernels("forward", 3'000),
       GraphKernels("forward", 3)},
      {"a helper on the same stream: its kernels twice as fast", "backward by another thread",
       "backward × 0.5", helper(false), Kernels("backward", 500), GraphKernels("backward", 0.5)},
      {"a helper on another stream: its kernels twice as slow",
       "backward by another thread, joined by an event", "backward × 2", helper(true),
       Kernels("backward", 2'000), GraphKernels("backward", 2)},
      {"two programs on one GPU: the kernels of one twice as fast", "two programs on one GPU",
       "train × 0.5", TwoPrograms, Kernels("train", 500), GraphKernels("train", 0.5)},
  };
}

}  // namespace xsp::proof
