// Several GPUs, several processes, several threads.
#include <array>

#include "tests/proof/one_thread.h"
#include "tests/proof/proof_case.h"

namespace xsp::proof {
namespace {

using samples::Scenario;

Scenario TwoRanks() {
  samples::ScenarioOptions options;
  options.steps = 10;
  return samples::MakeMulti(options);
}

// The same with device clocks that are off and drift.
Scenario TwoRanksSkewed() {
  Scenario scenario = TwoRanks();
  scenario.machine.clocks = {{-3'000, 8'000}, {9'000, -12'000}};
  return scenario;
}

// Two processes that start together and then do not wait for each other any more. On one GPU their
// kernels fit side by side.
Scenario TwoProcesses(int32_t second_device) {
  Scenario scenario;
  samples::Program& program = scenario.program;
  const std::array<int32_t, 2> arrived = {program.AddSemaphore(0), program.AddSemaphore(0)};
  for (int32_t device : {0, second_device}) {
    OneThread thread(scenario, device);
    samples::Script& script = thread.script();
    const bool is_first = thread.process() == 0;
    const int32_t kernel = thread.Kernel(is_first ? "serve" : "train", is_first ? 45 : 110, 54);
    script.Malloc(thread.context(), 1 << 20, false);
    script.Post(arrived[is_first ? 0 : 1]);
    script.Wait(arrived[is_first ? 1 : 0], "poll");
    script.Loop(is_first ? 220 : 120);
    script.Work(14'000);
    script.Launch(kernel, thread.default_stream());
    script.Launch(kernel, thread.default_stream());
    script.StreamSync(thread.default_stream());
    script.EndLoop();
    script.DeviceSync(thread.context());
  }
  return scenario;
}

std::function<Scenario()> Processes(int32_t second_device) {
  return [=] { return TwoProcesses(second_device); };
}

// Two threads of one process on two streams; the second waits for the first in every round.
Scenario TwoThreads() {
  Scenario scenario;
  OneThread thread(scenario);
  samples::Program& program = thread.program();
  samples::Script second(program, program.AddThread(thread.process(), "consumer"));
  const int32_t produced = program.AddSemaphore(0);
  const int32_t consumed = program.AddSemaphore(0);
  const int32_t kernel = thread.Kernel("produce", 70, 54);
  const int32_t other = thread.Kernel("consume", 50, 54);
  const int32_t streams[] = {thread.Stream(), thread.Stream()};
  thread.script().Loop(100);
  thread.script().Work(20'000);
  thread.script().Launch(kernel, streams[0]);
  thread.script().Launch(kernel, streams[0]);
  thread.script().StreamSync(streams[0]);
  thread.script().Post(produced);
  thread.script().Wait(consumed);
  thread.script().EndLoop();
  second.Loop(100);
  second.Wait(produced);
  second.Work(12'000);
  second.Launch(other, streams[1]);
  second.StreamSync(streams[1]);
  second.Post(consumed);
  second.EndLoop();
  thread.script().DeviceSync(thread.context());
  return scenario;
}

// Gradients are exchanged in half the time.
void SpeedUpNetwork(Scenario& scenario) {
  ForEachOp(scenario, [](samples::Op& op) {
    if (op.kind == samples::OpKind::kCollective) op.amount /= 2;
  });
}

}  // namespace

std::vector<ProofCase> SharedGpuCases() {
  const auto halve = [](Scenario& scenario) { ScaleKernels(scenario, "", 500); };
  const auto halve_graph = [](Edit& edit) { edit.ScaleKernels("", 0.5); };
  return {
      {"two GPUs with collectives: kernels twice as fast", "2 ranks, all-reduce",
       "kernels × 0.5, not the collectives", TwoRanks, halve,
       [](Edit& edit) {
         edit.ScaleKernels("", 0.5);
         edit.ScaleKernels("nccl", 2);
       }},
      {"two GPUs with collectives: network twice as fast", "2 ranks, all-reduce",
       "collectives × 0.5", TwoRanks, SpeedUpNetwork,
       [](Edit& edit) { edit.ScaleKernels("nccl", 0.5); }},
      {"two GPUs with skewed clocks: kernels twice as fast",
       "2 ranks, clocks 12 µs apart, drifting", "kernels × 0.5, not the collectives",
       TwoRanksSkewed, halve,
       [](Edit& edit) {
         edit.ScaleKernels("", 0.5);
         edit.ScaleKernels("nccl", 2);
       }},
      {"two processes on two GPUs: one gets faster", "2 processes on 2 GPUs", "train × 0.3",
       Processes(1), [](Scenario& scenario) { ScaleKernels(scenario, "train", 300); },
       [](Edit& edit) { edit.ScaleKernels("train", 0.3); }},
      {"two processes on one GPU: kernels twice as fast", "2 processes on 1 GPU", "kernels × 0.5",
       Processes(0), halve, halve_graph},
      {"two threads that take turns: kernels twice as fast", "2 threads take turns",
       "kernels × 0.5", TwoThreads, halve, halve_graph},
  };
}

}  // namespace xsp::proof
