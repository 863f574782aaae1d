// Launches that return with their kernels, and threads that hold each other up while they launch.
#include "tests/proof/one_thread.h"
#include "tests/proof/proof_case.h"

namespace xsp::proof {
namespace {

using samples::Scenario;

enum class Blocks { kAll, kOneKernel, kNone };

// Three kernels on two streams that wait for each other, and a memset.
Scenario BlockingLaunches(Blocks which) {
  Scenario scenario;
  scenario.machine.launch_blocking = which == Blocks::kAll;
  OneThread thread(scenario);
  samples::Script& script = thread.script();
  const int32_t first = thread.Stream();
  const int32_t second = thread.Stream();
  const int32_t event = thread.program().AddEvent(thread.context());
  const int32_t small = thread.Kernel("assemble", 40, 54);
  const int32_t large = thread.Kernel("solve", 90, 54);
  script.Loop(200);
  script.Work(15'000);
  script.Memset(1 << 20, first);
  script.Launch(small, first);
  script.Launch(large, first).flag = which == Blocks::kOneKernel;
  script.EventRecord(event, first);
  script.StreamWait(second, event);
  script.Launch(small, second);
  script.Work(8'000);
  script.Launch(large, second).flag = which == Blocks::kOneKernel;
  script.EndLoop();
  script.DeviceSync(thread.context());
  return scenario;
}

std::function<Scenario()> Blocking(Blocks which) {
  return [which] { return BlockingLaunches(which); };
}

void Unblock(Scenario& scenario) {
  scenario.machine.launch_blocking = false;
  ForEachOp(scenario, [](samples::Op& op) {
    if (op.kind == samples::OpKind::kLaunch) op.flag = false;
  });
}

void UnblockGraph(Edit& edit) {
  for (TaskId host : edit.graph().host_tasks()) {
    if (edit.graph().question[host].rule == Rule::kBlockingLaunch) edit.MakeAsync(host);
  }
}

struct Threads {
  int count = 2;
  int64_t lock_permille = 1'000;  // Of a launch, that one thread has alone; 0: there is no lock.
  int64_t work = 2'000;           // Of a thread's own, before each launch.
};

// Threads that launch short kernels into streams of their own, much of the time at once.
Scenario LaunchingThreads(const Threads& of) {
  Scenario scenario;
  scenario.machine.lock_permille = of.lock_permille;
  OneThread main(scenario);
  samples::Program& program = main.program();
  const int32_t kernel = main.Kernel("tile_update", 2, 54);
  const int32_t ready = program.AddSemaphore(0);
  const int32_t done = program.AddSemaphore(0);
  main.script().Launch(kernel, main.Stream());
  for (int i = 0; i < of.count; ++i) {
    const int32_t number = program.AddThread(main.process(), "worker");
    samples::Script script(program, number);
    script.Wait(ready);
    const int32_t stream = main.Stream();
    script.Loop(1'500);
    script.Work(of.work + 700 * i);
    script.Launch(kernel, stream);
    script.EndLoop();
    script.Post(done);
  }
  for (int i = 0; i < of.count; ++i) main.script().Post(ready);
  for (int i = 0; i < of.count; ++i) main.script().Wait(done);
  main.script().DeviceSync(main.context());
  return scenario;
}

std::function<Scenario()> Launching(Threads of) {
  return [of] { return LaunchingThreads(of); };
}

// All that the threads do between launches.
std::function<void(Scenario&)> HostWork(int64_t percent) {
  return [percent](Scenario& scenario) {
    ForEachOp(scenario, [&](samples::Op& op) {
      if (op.kind == samples::OpKind::kWork) op.amount = op.amount * percent / 100;
    });
  };
}

std::function<void(Edit&)> GraphHostWork(double factor) {
  return [factor](Edit& edit) { edit.ScaleGaps(factor); };
}

void HalveLaunchCost(Scenario& scenario) { scenario.machine.launch_ns /= 2; }
void HalveGraphLaunchCost(Edit& edit) { edit.ScaleCalls("Launch", 0.5); }

}  // namespace

std::vector<ProofCase> LaunchingCases() {
  const Threads two{.work = 14'000}, three{.count = 3, .work = 20'000}, busy{.work = 3'000},
      often{.work = 6'500}, partly{.lock_permille = 600, .work = 14'000},
      no_lock{.lock_permille = 0, .work = 14'000};
  return {
      {"blocking launches: kernels twice as fast", "CUDA_LAUNCH_BLOCKING=1", "kernels × 0.5",
       Blocking(Blocks::kAll), Kernels("", 500), GraphKernels("", 0.5)},
      {"blocking launches: kernels twice as slow", "CUDA_LAUNCH_BLOCKING=1", "kernels × 2",
       Blocking(Blocks::kAll), Kernels("", 2'000), GraphKernels("", 2)},
      {"blocking launches: no more", "CUDA_LAUNCH_BLOCKING=1", "launches return at once",
       Blocking(Blocks::kAll), Unblock, UnblockGraph},
      {"launches of one kernel block: kernels four times as fast", "launches of one kernel block",
       "kernels × 0.25", Blocking(Blocks::kOneKernel), Kernels("", 250), GraphKernels("", 0.25)},
      {"launches of one kernel block: no more", "launches of one kernel block",
       "launches return at once", Blocking(Blocks::kOneKernel), Unblock, UnblockGraph},
      {"two threads and a lock: hardly any host work", "2 threads launch, the driver has a lock",
       "host gaps × 0.1", Launching(two), HostWork(10), GraphHostWork(0.1)},
      {"two threads and a lock: more host work", "2 threads launch all the time, with a lock",
       "host gaps × 4", Launching(busy), HostWork(400), GraphHostWork(4)},
      {"two threads and a lock: launches at half the cost",
       "2 threads launch half the time, with a lock", "launch cost × 0.5", Launching(often),
       HalveLaunchCost, HalveGraphLaunchCost},
      {"two threads and a lock: kernels ten times as long",
       "2 threads launch all the time, with a lock", "kernels × 10", Launching(busy),
       Kernels("", 10'000), GraphKernels("", 10)},
      {"three threads and a lock: hardly any host work", "3 threads launch, the driver has a lock",
       "host gaps × 0.1", Launching(three), HostWork(10), GraphHostWork(0.1)},
      {"two threads and a lock for a part: hardly any host work",
       "2 threads launch, a lock for 60 % of it", "host gaps × 0.1", Launching(partly),
       HostWork(10), GraphHostWork(0.1)},
      {"two threads without a lock: hardly any host work", "2 threads launch, no lock",
       "host gaps × 0.1", Launching(no_lock), HostWork(10), GraphHostWork(0.1)},
  };
}

}  // namespace xsp::proof
