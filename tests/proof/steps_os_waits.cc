// Waits in calls of the operating system: threads that hand work to each other, and timers.
#include "tests/proof/one_thread.h"
#include "tests/proof/proof_case.h"

namespace xsp::proof {
namespace {

using samples::Scenario;

constexpr int64_t kRounds = 240;

// How the threads of a server signal: as a profiler sees it, or too short for it.
constexpr const char* kRecorded = "pthread_cond_signal";
constexpr const char* kUnrecorded = "";

// Two queues of bounded length between the threads of a server.
struct Queue {
  int32_t full, free;

  Queue(samples::Program& program, int64_t length)
      : full(program.AddSemaphore(0)), free(program.AddSemaphore(length)) {}
};

// The computing part of a step: four kernels of `kernel_us` each, and a sync.
void Compute(OneThread& thread, int32_t kernel, int64_t host_us) {
  samples::Script& script = thread.script();
  for (int i = 0; i < 4; ++i) {
    script.Work(host_us * 1'000);
    script.Launch(kernel, thread.default_stream());
  }
  script.StreamSync(thread.default_stream()).groups = samples::kGroupSync;
}

// One thread receives a request and makes it ready in `receive_us`, one computes, one sends the
// answer, each with room for `length` between them.
Scenario Server(int64_t receive_us, int64_t kernel_us, int64_t host_us, int64_t send_us,
                int64_t length, const char* signal) {
  Scenario scenario;
  OneThread thread(scenario);
  samples::Program& program = thread.program();
  const Queue in(program, length), out(program, length);
  samples::Script receive(program, program.AddThread(thread.process(), "receive"));
  receive.Loop(kRounds);
  receive.Wait(in.free);
  receive.Work(receive_us * 1'000).groups = samples::kGroupLoading;
  receive.Post(in.full, signal);
  receive.EndLoop();
  samples::Script send(program, program.AddThread(thread.process(), "send"));
  send.Loop(kRounds);
  send.Wait(out.full);
  send.Work(send_us * 1'000);
  send.Post(out.free, signal);
  send.EndLoop();
  samples::Script& script = thread.script();
  const int32_t kernel = thread.Kernel("infer", kernel_us);
  script.Malloc(thread.context(), 1 << 20, false);
  script.Loop(kRounds);
  script.Push("step %0", 0, 1);
  script.Wait(in.full);
  script.Post(in.free, signal);
  Compute(thread, kernel, host_us);
  script.Wait(out.free);
  script.Post(out.full, signal);
  script.Pop();
  script.EndLoop();
  script.DeviceSync(thread.context());
  return scenario;
}

// A thread copies the next batch to the device while this one is computed, into one of `length`
// buffers that the other gives back when it has done with them.
Scenario Prefetcher(int64_t make_us, int64_t kernel_us, int64_t length, const char* signal) {
  Scenario scenario;
  OneThread thread(scenario);
  samples::Program& program = thread.program();
  const Queue batches(program, length);
  const int32_t side = thread.Stream();
  samples::Script fetch(program, program.AddThread(thread.process(), "prefetch"));
  fetch.Loop(kRounds);
  fetch.Wait(batches.free);
  fetch.Work(make_us * 1'000);
  fetch.Copy({samples::CopyKind::kHostToDevice, 1 << 20, samples::MemoryKind::kPinned}, side);
  fetch.StreamSync(side);
  fetch.Post(batches.full, signal);
  fetch.EndLoop();
  samples::Script& script = thread.script();
  const int32_t kernel = thread.Kernel("train", kernel_us);
  const int32_t stream = thread.Stream();
  script.Malloc(thread.context(), 1 << 20, false);
  script.Loop(kRounds);
  script.Push("step %0", 0, 1);
  script.Wait(batches.full);
  for (int i = 0; i < 4; ++i) {
    script.Work(8'000);
    script.Launch(kernel, stream);
  }
  script.StreamSync(stream);
  script.Post(batches.free, signal);
  script.Pop();
  script.EndLoop();
  script.DeviceSync(thread.context());
  return scenario;
}

// A loop that draws a frame every `period_us`.
Scenario Frames(int64_t kernel_us, int64_t period_us, int64_t jitter_us, const char* os_call) {
  Scenario scenario;
  OneThread thread(scenario);
  samples::Script& script = thread.script();
  const int32_t kernel = thread.Kernel("draw", kernel_us);
  script.Malloc(thread.context(), 1 << 20, false);
  script.Loop(kRounds);
  script.Push("step %0", 0, 1);
  script.Work(400'000);
  Compute(thread, kernel, 20);
  script.Tick(period_us * 1'000, jitter_us * 1'000, os_call);
  script.Pop();
  script.EndLoop();
  script.DeviceSync(thread.context());
  return scenario;
}

// A loop that rests for as long after each step.
Scenario Rests(const char* os_call) {
  Scenario scenario;
  OneThread thread(scenario);
  samples::Script& script = thread.script();
  const int32_t kernel = thread.Kernel("solve", 500);
  script.Malloc(thread.context(), 1 << 20, false);
  script.Loop(kRounds);
  script.Push("step %0", 0, 1);
  script.Work(400'000);
  Compute(thread, kernel, 20);
  script.OsCall(os_call, 5'000'000);
  script.Pop();
  script.EndLoop();
  script.DeviceSync(thread.context());
  return scenario;
}

// Beside a thread that computes, one that has nothing to do with it: it naps, and is woken now and
// then by a third one.
Scenario Strangers() {
  Scenario scenario;
  OneThread thread(scenario);
  samples::Program& program = thread.program();
  const int32_t news = program.AddSemaphore(0);
  samples::Script log(program, program.AddThread(thread.process(), "log"));
  log.Loop(kRounds);
  log.Wait(news);
  log.Work(150'000);
  log.EndLoop();
  samples::Script watch(program, program.AddThread(thread.process(), "watch"));
  watch.Loop(kRounds);
  watch.OsCall("nanosleep", 1'700'000);
  watch.Work(230'000);
  watch.Post(news, kRecorded);
  watch.EndLoop();
  samples::Script& script = thread.script();
  const int32_t kernel = thread.Kernel("solve", 500);
  script.Malloc(thread.context(), 1 << 20, false);
  script.Loop(kRounds);
  script.Push("step %0", 0, 1);
  script.Work(400'000);
  Compute(thread, kernel, 20);
  script.Pop();
  script.EndLoop();
  script.DeviceSync(thread.context());
  return scenario;
}

// The first thread computes, wakes the second and computes on: no call passes from one to the
// other.
Scenario WakesAndGoesOn() {
  Scenario scenario;
  OneThread thread(scenario);
  samples::Program& program = thread.program();
  samples::Script& first = thread.script();
  samples::Script second(program, program.AddThread(thread.process(), "second"));
  const int32_t kernel = thread.Kernel("tile_update", 150, 54);
  const int32_t streams[] = {thread.Stream(), thread.Stream()};
  const int32_t go = program.AddSemaphore(0);
  const int32_t done = program.AddSemaphore(0);
  first.Loop(100);
  first.Launch(kernel, streams[0]);
  first.StreamSync(streams[0]);
  first.Post(go);
  first.Launch(kernel, streams[0]);
  first.StreamSync(streams[0]);
  first.Wait(done);
  first.EndLoop();
  second.Loop(100);
  second.Wait(go);
  for (int i = 0; i < 3; ++i) second.Launch(kernel, streams[1]);
  second.StreamSync(streams[1]);
  second.Post(done);
  second.EndLoop();
  first.DeviceSync(thread.context());
  return scenario;
}

void AddScaled(std::vector<ProofCase>& cases, const std::string& program,
               const std::function<Scenario()>& before, const std::vector<int>& permille) {
  for (int factor : permille) {
    std::string text = std::to_string(factor / 1'000.0);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    cases.push_back({program + ": kernels × " + text, program, "kernels × " + text, before,
                     Kernels("", factor), GraphKernels("", factor / 1'000.0)});
  }
}

}  // namespace

std::vector<ProofCase> OsWaitCases() {
  std::vector<ProofCase> cases;
  AddScaled(cases, "2 threads, one wakes the other and goes on", WakesAndGoesOn, {500, 2'000});
  return cases;
}

std::vector<ProofCase> OsWaitSteps() {
  std::vector<ProofCase> cases;
  // The GPU decides at first; with faster kernels the thread that receives does.
  AddScaled(cases, "server of 3 threads, GPU-bound",
            [] { return Server(1'000, 500, 8, 600, 2, kRecorded); }, {250, 500, 2'000});
  AddScaled(cases, "server of 3 threads, GPU-bound, signals not recorded",
            [] { return Server(1'000, 500, 8, 600, 4, kUnrecorded); }, {250, 2'000});
  AddScaled(cases, "server of 3 threads, receiving decides",
            [] { return Server(3'000, 500, 8, 600, 2, kRecorded); }, {250, 2'000});
  AddScaled(cases, "server of 3 threads, sending decides",
            [] { return Server(800, 300, 8, 2'500, 2, kRecorded); }, {250, 2'500});
  AddScaled(cases, "server of 3 threads, GPU-bound, then sending decides",
            [] { return Server(400, 500, 8, 1'200, 4, kRecorded); }, {250, 2'000});
  AddScaled(cases, "server of 3 threads, host-bound",
            [] { return Server(700, 40, 500, 600, 2, kRecorded); }, {500, 2'000});
  AddScaled(cases, "prefetching thread, GPU-bound",
            [] { return Prefetcher(1'200, 500, 2, kRecorded); }, {250, 500, 2'000});
  AddScaled(cases, "prefetching thread decides",
            [] { return Prefetcher(3'000, 500, 2, kRecorded); }, {500, 2'000});
  AddScaled(cases, "one buffer in turns", [] { return Prefetcher(1'200, 500, 1, kRecorded); },
            {250, 2'000});
  AddScaled(cases, "60 frames a second, half the time to spare",
            [] { return Frames(2'000, 16'667, 0, "clock_nanosleep"); }, {500, 3'000});
  const std::string frames = cases.back().program;
  cases.push_back({frames + ": sync removed", frames, "sync removed",
                   [] { return Frames(2'000, 16'667, 0, "clock_nanosleep"); }, RemoveMarked,
                   [](Edit& edit) { edit.RemoveCalls("cudaStreamSynchronize"); }});
  AddScaled(cases, "a camera every 40 ms, give or take",
            [] { return Frames(4'000, 40'000, 800, "poll"); }, {500, 3'000});
  AddScaled(cases, "a camera, no system calls recorded",
            [] { return Frames(4'000, 40'000, 800, ""); }, {500, 3'000});
  AddScaled(cases, "a rest of 5 ms after each step", [] { return Rests("usleep"); }, {250, 2'000});
  AddScaled(cases, "a timed wait that always runs out",
            [] { return Rests("pthread_cond_timedwait"); }, {250, 2'000});
  AddScaled(cases, "threads that have nothing to do with each other", Strangers, {250, 2'000});
  return cases;
}

}  // namespace xsp::proof
