// One stream: bound by the GPU, by the host, by the launch queue.
#include "tests/proof/one_thread.h"
#include "tests/proof/proof_case.h"

namespace xsp::proof {
namespace {

using samples::Scenario;

// Rounds of kernels with host work between the launches and a sync at the end of each round.
struct ChainShape {
  int64_t rounds = 40;
  int64_t launches = 20;  // Per round, of each of two kernels.
  int64_t kernel_us = 60;
  int64_t work_ns = 5'000;
  int64_t sync_every = 1;
};

Scenario Chain(const ChainShape& shape) {
  Scenario scenario;
  OneThread thread(scenario);
  const int32_t stencil = thread.Kernel("stencil", shape.kernel_us);
  const int32_t reduce = thread.Kernel("reduce", shape.kernel_us / 3);
  thread.script().Loop(shape.rounds);
  for (int64_t i = 0; i < shape.launches; ++i) {
    thread.script().Work(shape.work_ns);
    thread.script().Launch(stencil, thread.default_stream());
    thread.script().Work(shape.work_ns / 2);
    thread.script().Launch(reduce, thread.default_stream());
  }
  thread.script().StreamSync(thread.default_stream()).every = shape.sync_every;
  thread.script().Work(20'000);
  thread.script().EndLoop();
  thread.script().DeviceSync(thread.context());
  return scenario;
}

constexpr ChainShape kGpuBound = {};
constexpr ChainShape kHostBound = {.kernel_us = 6, .work_ns = 12'000};
constexpr ChainShape kQueueBound = {
    .rounds = 80, .launches = 40, .kernel_us = 30, .work_ns = 1'000, .sync_every = 40};

// Several streams fill the launch queue of their context together.
Scenario QueueOfManyStreams() {
  Scenario scenario;
  OneThread thread(scenario);
  const int32_t kernel = thread.Kernel("particle_push", 45, 54);
  std::vector<int32_t> streams;
  for (int i = 0; i < 3; ++i) streams.push_back(thread.Stream());
  thread.script().Loop(1'500);
  for (int32_t stream : streams) {
    thread.script().Work(800);
    thread.script().Launch(kernel, stream);
  }
  thread.script().EndLoop();
  thread.script().DeviceSync(thread.context());
  return scenario;
}

// Two streams, one with kernels six times as long: the short ones make room first.
struct FullQueue {
  samples::QueueKind kind;
  int32_t depth = 1'022;
};

Scenario UnequalStreams(const FullQueue& queue) {
  Scenario scenario;
  scenario.machine.queue_kind = queue.kind;
  scenario.machine.queue_depth = queue.depth;
  OneThread thread(scenario);
  const int32_t push = thread.Kernel("particle_push", 20, 54);
  const int32_t field = thread.Kernel("field_solve", 120, 54);
  const int32_t pushes = thread.Stream(), fields = thread.Stream();
  thread.script().Loop(800);
  for (int i = 0; i < 5; ++i) {
    thread.script().Work(700);
    thread.script().Launch(push, pushes);
  }
  thread.script().Launch(field, fields);
  thread.script().EndLoop();
  thread.script().DeviceSync(thread.context());
  return scenario;
}

// A kernel of each stream in turn, of which the one on the slow stream gets ever later: whether it
// holds up the other depends on who shares a queue.
std::vector<ProofCase> FullQueues() {
  const auto any = [] { return UnequalStreams({samples::QueueKind::kAnyOrder}); };
  const auto shallow = [] { return UnequalStreams({samples::QueueKind::kAnyOrder, 120}); };
  const auto own = [] { return UnequalStreams({samples::QueueKind::kPerStream, 300}); };
  const auto ring = [] { return UnequalStreams({samples::QueueKind::kRing, 250}); };
  return {
      {"full queue, any makes room: kernels twice as fast", "2 unequal streams, any makes room",
       "kernels × 0.5", any, Kernels("", 500), GraphKernels("", 0.5)},
      {"full queue, any makes room: the slow stream twice as fast",
       "2 unequal streams, any makes room", "field_solve × 0.5", any, Kernels("field", 500),
       GraphKernels("field", 0.5)},
      {"shallow queue, any makes room: kernels twice as fast", "2 unequal streams, 120 places",
       "kernels × 0.5", shallow, Kernels("", 500), GraphKernels("", 0.5)},
      {"shallow queue, any makes room: the slow stream a fifth", "2 unequal streams, 120 places",
       "field_solve × 0.2", shallow, Kernels("field", 200), GraphKernels("field", 0.2)},
      {"a queue for each stream: kernels twice as fast", "2 unequal streams, 300 places each",
       "kernels × 0.5", own, Kernels("", 500), GraphKernels("", 0.5)},
      {"a queue for each stream: the slow stream a fifth", "2 unequal streams, 300 places each",
       "field_solve × 0.2", own, Kernels("field", 200), GraphKernels("field", 0.2)},
      {"a ring: the slow stream a fifth", "2 unequal streams, a ring of 250", "field_solve × 0.2",
       ring, Kernels("field", 200), GraphKernels("field", 0.2)},
  };
}

void CheapenLaunches(Scenario& scenario) { scenario.machine.launch_ns /= 4; }
void CheapenGraphLaunches(Edit& edit) { edit.ScaleCalls("cudaLaunchKernel", 0.25); }
void HalveWork(Scenario& scenario) {
  ForEachOp(scenario, [](samples::Op& op) {
    if (op.kind == samples::OpKind::kWork) op.amount /= 2;
  });
}

}  // namespace

std::vector<ProofCase> ComputeCases() {
  const auto gpu_bound = [] { return Chain(kGpuBound); };
  const auto host_bound = [] { return Chain(kHostBound); };
  const auto queue_bound = [] { return Chain(kQueueBound); };
  std::vector<ProofCase> cases = {
      {"GPU-bound: kernels twice as fast", "GPU-bound chain", "kernels × 0.5", gpu_bound,
       Kernels("", 500), GraphKernels("", 0.5)},
      {"GPU-bound: one of two kernels takes a tenth", "GPU-bound chain", "stencil × 0.1", gpu_bound,
       Kernels("stencil", 100), GraphKernels("stencil", 0.1)},
      {"GPU-bound: launches cheaper", "GPU-bound chain", "launch cost × 0.25", gpu_bound,
       CheapenLaunches, CheapenGraphLaunches},
      {"host-bound: kernels twice as fast", "host-bound chain", "kernels × 0.5", host_bound,
       Kernels("", 500), GraphKernels("", 0.5)},
      {"host-bound: kernels five times as slow", "host-bound chain", "kernels × 5", host_bound,
       Kernels("", 5'000), GraphKernels("", 5)},
      {"host-bound: launches cheaper", "host-bound chain", "launch cost × 0.25", host_bound,
       CheapenLaunches, CheapenGraphLaunches},
      {"host-bound: half the host work", "host-bound chain", "host gaps × 0.5", host_bound,
       HalveWork, [](Edit& edit) { edit.ScaleGaps(0.5); }},
      {"queue-bound: kernels twice as fast", "queue-bound chain", "kernels × 0.5", queue_bound,
       Kernels("", 500), GraphKernels("", 0.5)},
      {"queue-bound: kernels ten times as fast", "queue-bound chain", "kernels × 0.1", queue_bound,
       Kernels("", 100), GraphKernels("", 0.1)},
      {"queue-bound: launches cheaper", "queue-bound chain", "launch cost × 0.25", queue_bound,
       CheapenLaunches, CheapenGraphLaunches},
      {"queue-bound on three streams: kernels twice as fast", "3 streams fill one queue",
       "kernels × 0.5", QueueOfManyStreams, Kernels("", 500), GraphKernels("", 0.5)},
  };
  for (ProofCase& proof : FullQueues()) cases.push_back(std::move(proof));
  return cases;
}

}  // namespace xsp::proof
