// Waiting for the device: by stream, by event, for all; removed, inserted, exchanged.
#include "tests/proof/one_thread.h"
#include "tests/proof/proof_case.h"

namespace xsp::proof {
namespace {

using samples::Scenario;

enum class SyncBy { kStream, kEvent, kDevice, kNothing };

// The host prepares, two streams compute, the host waits: host and GPU take turns.
Scenario Turns(SyncBy by) {
  Scenario scenario;
  OneThread thread(scenario);
  samples::Script& script = thread.script();
  const int32_t first = thread.Stream();
  const int32_t second = thread.Stream();
  const int32_t event = thread.program().AddEvent(thread.context());
  const int32_t small = thread.Kernel("assemble", 25, 54);
  const int32_t large = thread.Kernel("solve", 90, 54);
  script.Loop(150);
  script.Work(70'000);
  script.Launch(small, second);
  script.Launch(small, first);
  script.Launch(large, first);
  script.Launch(large, first);
  script.EventRecord(event, first);
  script.Launch(small, first);
  switch (by) {
    case SyncBy::kStream:
      script.StreamSync(first).groups = samples::kGroupSync;
      break;
    case SyncBy::kEvent:
      script.EventSync(event).groups = samples::kGroupSync;
      break;
    case SyncBy::kDevice:
      script.DeviceSync(thread.context()).groups = samples::kGroupSync;
      break;
    case SyncBy::kNothing:
      break;
  }
  script.EndLoop();
  script.StreamSync(second);
  script.DeviceSync(thread.context());
  return scenario;
}

std::function<Scenario()> TurnsBy(SyncBy by) {
  return [by] { return Turns(by); };
}

// A sync of the whole context after every last launch of a round: the third of "solve".
void InsertSyncs(Edit& edit) {
  const TaskGraph& graph = edit.graph();
  NewCall sync{"cudaDeviceSynchronize", 2'000, 0, edit.WaitForContext(0)};
  std::uint32_t launches = 0;
  for (TaskId task : graph.host_tasks()) {
    if (graph.OpsOf(task).empty()) continue;
    if (++launches % 5 == 0) edit.InsertAfter(task, sync);
  }
}

// After-runs with another kind of sync are the same program, written anew.
std::function<void(Scenario&)> Become(SyncBy by) {
  return [by](Scenario& scenario) { scenario = Turns(by); };
}

}  // namespace

std::vector<ProofCase> SyncCases() {
  const auto halve = [](Scenario& scenario) { ScaleKernels(scenario, "", 500); };
  const auto halve_graph = [](Edit& edit) { edit.ScaleKernels("", 0.5); };
  return {
      {"stream sync: kernels twice as fast", "turns, stream sync", "kernels × 0.5",
       TurnsBy(SyncBy::kStream), halve, halve_graph},
      {"stream sync: removed", "turns, stream sync", "sync removed", TurnsBy(SyncBy::kStream),
       RemoveMarked, [](Edit& edit) { edit.RemoveCalls("cudaStreamSynchronize"); }},
      {"event sync: kernels twice as fast", "turns, event sync", "kernels × 0.5",
       TurnsBy(SyncBy::kEvent), halve, halve_graph},
      {"event sync: removed", "turns, event sync", "sync removed", TurnsBy(SyncBy::kEvent),
       RemoveMarked, [](Edit& edit) { edit.RemoveCalls("cudaEventSynchronize"); }},
      {"device sync: kernels twice as fast", "turns, device sync", "kernels × 0.5",
       TurnsBy(SyncBy::kDevice), halve, halve_graph},
      {"device sync: removed", "turns, device sync", "sync removed", TurnsBy(SyncBy::kDevice),
       RemoveMarked, [](Edit& edit) { edit.RemoveCalls("cudaDeviceSynchronize"); }},
      {"no sync: a device sync inserted", "launches, no sync", "device sync inserted",
       TurnsBy(SyncBy::kNothing), Become(SyncBy::kDevice), InsertSyncs},
  };
}

}  // namespace xsp::proof
