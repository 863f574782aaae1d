// Several streams: events, the legacy default stream, per-thread default streams.
#include "tests/proof/one_thread.h"
#include "tests/proof/proof_case.h"

namespace xsp::proof {
namespace {

using samples::Scenario;

constexpr int kBranches = 3;

// A stream forks into three by events and joins them again. Kernels are small enough to run beside
// each other. `one_stream`: the same work, all on the first stream.
Scenario ForkAndJoin(bool one_stream) {
  Scenario scenario;
  OneThread thread(scenario);
  samples::Script& script = thread.script();
  const int32_t trunk = thread.Stream();
  std::vector<int32_t> branches;
  std::vector<int32_t> done;
  for (int i = 0; i < kBranches; ++i) {
    branches.push_back(thread.Stream());
    done.push_back(thread.program().AddEvent(thread.context()));
  }
  const int32_t forked = thread.program().AddEvent(thread.context());
  const int32_t start = thread.Kernel("split", 30, 54);
  const int32_t long_one = thread.Kernel("long_branch", 120, 54);
  const int32_t short_one = thread.Kernel("short_branch", 40, 54);
  script.Loop(120);
  script.Work(4'000);
  script.Launch(start, trunk);
  script.EventRecord(forked, trunk);
  for (int i = 0; i < kBranches; ++i) {
    const int32_t stream = one_stream ? trunk : branches[i];
    script.StreamWait(stream, forked);
    script.Launch(i == 0 ? long_one : short_one, stream);
    script.Launch(short_one, stream);
    script.EventRecord(done[i], stream);
    script.StreamWait(trunk, done[i]);
  }
  script.EndLoop();
  script.DeviceSync(thread.context());
  return scenario;
}

// Two streams and the legacy default stream take turns; `blocking` ones wait for it and it for
// them.
Scenario DefaultStreamMix(bool first_blocks, bool second_blocks) {
  Scenario scenario;
  OneThread thread(scenario);
  samples::Script& script = thread.script();
  const int32_t first = thread.Stream(first_blocks);
  const int32_t second = thread.Stream(second_blocks);
  const int32_t wide = thread.Kernel("transform", 70, 54);
  const int32_t narrow = thread.Kernel("reduce", 35, 54);
  script.Loop(400);
  script.Work(6'000);
  script.Launch(wide, first);
  script.Launch(narrow, second);
  script.Launch(narrow, thread.default_stream());
  script.Launch(wide, second);
  script.Launch(narrow, first);
  script.EndLoop();
  script.DeviceSync(thread.context());
  return scenario;
}

std::function<Scenario()> Mix(bool first_blocks, bool second_blocks) {
  return [=] { return DefaultStreamMix(first_blocks, second_blocks); };
}

// Two threads take turns, each on its own default stream (which blocks); the first also launches on
// the legacy default stream.
Scenario PerThreadStreams() {
  Scenario scenario;
  OneThread thread(scenario);
  samples::Program& program = thread.program();
  samples::Script second(program, program.AddThread(thread.process(), "second"));
  samples::KernelSpec spec = samples::PlainKernel("tile_update", "float *, int", 54, 60'000);
  spec.api = "cudaLaunchKernel_ptsz_v7000";
  const int32_t kernel = program.AddKernel(spec);
  const int32_t legacy = thread.Kernel("gather", 50, 54);
  const int32_t go = program.AddSemaphore(0);
  const int32_t done = program.AddSemaphore(0);
  const int32_t streams[] = {thread.Stream(true), thread.Stream(true)};
  thread.script().Loop(100);
  thread.script().Launch(kernel, streams[0]);
  thread.script().Launch(legacy, thread.default_stream());
  thread.script().Launch(kernel, streams[0]);
  thread.script().Post(go);
  thread.script().Wait(done);
  thread.script().EndLoop();
  second.Loop(100);
  second.Wait(go);
  second.Work(9'000);
  second.Launch(kernel, streams[1]);
  second.Launch(kernel, streams[1]);
  second.StreamSync(streams[1]);
  second.Post(done);
  second.EndLoop();
  thread.script().DeviceSync(thread.context());
  return scenario;
}

// Kernels that could each fill the GPU: alone, then two beside each other, which take twice as
// long. `one_stream`: never beside each other.
Scenario SharedAtTimes(bool one_stream) {
  Scenario scenario;
  OneThread thread(scenario);
  samples::Script& script = thread.script();
  const int32_t streams[] = {thread.Stream(), thread.Stream()};
  // Six whole waves of blocks: nothing is left of the GPU while they run.
  const int32_t kernel = thread.Kernel("fill_gpu", 100, 3'888);
  script.Loop(150);
  script.Launch(kernel, streams[0]);
  script.StreamSync(streams[0]);
  script.Launch(kernel, streams[0]);
  script.Launch(kernel, streams[one_stream ? 0 : 1]);
  script.DeviceSync(thread.context());
  script.EndLoop();
  return scenario;
}

Scenario Pipelines() {
  samples::ScenarioOptions options;
  options.streams = 6;
  options.steps = 60;
  return samples::MakeStreams(options);
}

}  // namespace

std::vector<ProofCase> StreamCases() {
  const auto halve = [](Scenario& scenario) { ScaleKernels(scenario, "", 500); };
  const auto halve_graph = [](Edit& edit) { edit.ScaleKernels("", 0.5); };
  const auto fork = [] { return ForkAndJoin(false); };
  return {
      {"fork and join: kernels twice as fast", "fork and join by events", "kernels × 0.5", fork,
       halve, halve_graph},
      {"fork and join: the long branch takes a tenth", "fork and join by events",
       "long branch × 0.1", fork,
       [](Scenario& scenario) { ScaleKernels(scenario, "long_branch", 100); },
       [](Edit& edit) { edit.ScaleKernels("long_branch", 0.1); }},
      {"fork and join: all on one stream", "fork and join by events", "4 streams become 1", fork,
       [](Scenario& scenario) { scenario = ForkAndJoin(true); },
       [](Edit& edit) {
         for (std::uint32_t i = 1; i <= kBranches; ++i) edit.MergeStreams(i, 0);
       }},
      {"kernels that share the SMs at times: all on one stream", "2 streams share the SMs at times",
       "2 streams become 1", [] { return SharedAtTimes(false); },
       [](Scenario& scenario) { scenario = SharedAtTimes(true); },
       [](Edit& edit) { edit.MergeStreams(1, 0); }},
      {"pipelines on six streams: kernels twice as fast", "6 streams, events, default stream",
       "kernels × 0.5", Pipelines, halve, halve_graph},
      {"pipelines on six streams: event sync removed", "6 streams, events, default stream",
       "event sync removed", Pipelines, RemoveMarked,
       [](Edit& edit) { edit.RemoveCalls("cudaEventSynchronize"); }},
      {"default stream with blocking streams: kernels twice as fast",
       "legacy default, 2 blocking streams", "kernels × 0.5", Mix(true, true), halve, halve_graph},
      {"default stream with one non-blocking stream: one kernel takes a fifth",
       "legacy default, blocking, non-blocking", "transform × 0.2", Mix(true, false),
       [](Scenario& scenario) { ScaleKernels(scenario, "transform", 200); },
       [](Edit& edit) { edit.ScaleKernels("transform", 0.2); }},
      {"default stream: blocking streams become non-blocking", "legacy default, 2 blocking streams",
       "streams non-blocking", Mix(true, true),
       [](Scenario& scenario) { scenario = DefaultStreamMix(false, false); },
       [](Edit& edit) { edit.Ignore(Rule::kDefaultStream); }},
      {"per-thread default streams: kernels twice as fast", "2 threads, per-thread default",
       "kernels × 0.5", PerThreadStreams, halve, halve_graph},
  };
}

}  // namespace xsp::proof
