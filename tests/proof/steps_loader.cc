// Data that somebody else makes ready: loaders that are waited for, that never were, and a thread
// that loads its data itself.
#include "tests/proof/one_thread.h"
#include "tests/proof/proof_case.h"

namespace xsp::proof {
namespace {

using samples::Scenario;

// So many that the first ones, whose data was made while the program started, hardly count.
constexpr int64_t kSteps = 240;

// The computing part of a step, about 1.2 ms, to the end of its range.
void Train(OneThread& thread, int32_t kernel) {
  samples::Script& script = thread.script();
  for (int i = 0; i < 3; ++i) {
    script.Work(8'000);
    script.Launch(kernel, thread.default_stream());
  }
  script.StreamSync(thread.default_stream());
  script.Pop();
}

// A step computes for about 1.2 ms. Its data comes from threads that make a batch in `load_us` each
// and are ahead by one each at most.
Scenario Loaded(int64_t load_us, int32_t loaders, const char* os_call = "pthread_cond_timedwait") {
  Scenario scenario;
  OneThread thread(scenario);
  samples::Program& program = thread.program();
  samples::Script& script = thread.script();
  const int32_t ready = program.AddSemaphore(0);
  const int32_t slots = program.AddSemaphore(loaders);
  for (int32_t i = 0; i < loaders; ++i) {
    samples::Script loader(program, program.AddThread(thread.process(), "pt_data_pin"));
    loader.Loop(kSteps / loaders);
    loader.Wait(slots);
    loader.Work(load_us * 1'000).groups = samples::kGroupLoading;
    loader.Post(ready);
    loader.EndLoop();
  }
  const int32_t kernel = thread.Kernel("train_step", 400);
  script.Malloc(thread.context(), 1 << 20, false);
  script.Loop(kSteps);
  script.Push("step %0", 0, 1);
  script.Push("load_batch");
  script.Wait(ready, os_call);
  script.Post(slots);
  script.Work(30'000);
  script.Pop();
  Train(thread, kernel);
  script.Work(5'000);
  script.EndLoop();
  script.DeviceSync(thread.context());
  return scenario;
}

// Each load asks a helper for its data and waits for it. What a step does besides takes as long in
// every one, or in every second one longer.
Scenario AsksForData(bool alike) {
  Scenario scenario;
  OneThread thread(scenario);
  samples::Program& program = thread.program();
  samples::Script& script = thread.script();
  const int32_t asked = program.AddSemaphore(0);
  const int32_t ready = program.AddSemaphore(0);
  const int32_t kernel = thread.Kernel("train_step", 400);
  samples::Script helper(program, program.AddThread(thread.process(), "helper"));
  helper.Loop(kSteps);
  helper.Wait(asked);
  helper.Work(1'000'000);
  helper.Post(ready);
  helper.EndLoop();
  script.Malloc(thread.context(), 1 << 20, false);
  script.Loop(kSteps / 2);
  for (int64_t step : {0, 1}) {
    script.Push("step %0", step, 2);
    script.Push("load_batch");
    script.Post(asked);
    script.Wait(ready, "pthread_cond_wait");
    script.Pop();
    Train(thread, kernel);
    script.Work(alike || step == 0 ? 200'000 : 600'000);
  }
  script.EndLoop();
  script.DeviceSync(thread.context());
  return scenario;
}

std::function<void(Scenario&)> Loading(int64_t permille) {
  return [=](Scenario& scenario) {
    ForEachOp(scenario, [=](samples::Op& op) {
      if ((op.groups & samples::kGroupLoading) != 0) op.amount = op.amount * permille / 1'000;
    });
  };
}

std::function<void(Edit&)> GraphLoading(double factor) {
  return [=](Edit& edit) { edit.ScaleLoads(factor); };
}

std::function<Scenario()> Slow() {
  return [] { return Loaded(2'400, 1); };
}
// Four workers that begin together deliver four batches at once.
std::function<Scenario()> SlowPool() {
  return [] { return Loaded(9'600, 4); };
}
std::function<Scenario()> Fast() {
  return [] { return Loaded(300, 1); };
}

}  // namespace

std::vector<ProofCase> LoaderSteps() {
  const char* const slow = "a loader that is too slow";
  const char* const pool = "4 loaders that are too slow";
  const char* const fast = "a loader that keeps up";
  return {
      {"slow loader: kernels twice as fast", slow, "kernels × 0.5", Slow(), Kernels("", 500),
       GraphKernels("", 0.5)},
      {"slow loader: kernels half again as slow", slow, "kernels × 1.5", Slow(), Kernels("", 1'500),
       GraphKernels("", 1.5)},
      {"slow loader: kernels three times as slow", slow, "kernels × 3", Slow(), Kernels("", 3'000),
       GraphKernels("", 3)},
      {"slow loader: loader a quarter faster", slow, "loader × 0.75", Slow(), Loading(750),
       GraphLoading(0.75)},
      {"slow loader: loader four times as fast", slow, "loader × 0.25", Slow(), Loading(250),
       GraphLoading(0.25)},
      {"slow loader: loader half as fast", slow, "loader × 2", Slow(), Loading(2'000),
       GraphLoading(2)},
      {"slow pool of loaders: kernels twice as fast", pool, "kernels × 0.5", SlowPool(),
       Kernels("", 500), GraphKernels("", 0.5)},
      {"fast loader: kernels twice as fast", fast, "kernels × 0.5", Fast(), Kernels("", 500),
       GraphKernels("", 0.5)},
      {"fast loader: kernels twice as slow", fast, "kernels × 2", Fast(), Kernels("", 2'000),
       GraphKernels("", 2)},
      {"load that asks a helper: kernels twice as fast", "a load that asks for its data",
       "kernels × 0.5", [] { return AsksForData(false); }, Kernels("", 500), GraphKernels("", 0.5)},
      {"load that asks a helper, steps alike: kernels twice as fast",
       "a load that asks for its data, all steps alike", "kernels × 0.5",
       [] { return AsksForData(true); }, Kernels("", 500), GraphKernels("", 0.5)},
  };
}

std::vector<ProofCase> UnmodelledSteps() {
  const char* const pool = "4 loaders that are too slow";
  return {
      {"slow pool of loaders: kernels three times as slow", pool, "kernels × 3", SlowPool(),
       Kernels("", 3'000), GraphKernels("", 3)},
      {"slow pool of loaders: loaders a quarter faster", pool, "loaders × 0.75", SlowPool(),
       Loading(750), GraphLoading(0.75)},
      {"fast loader: kernels a tenth", "a loader that keeps up", "kernels × 0.1", Fast(),
       Kernels("", 100), GraphKernels("", 0.1)},
  };
}

}  // namespace xsp::proof
