// Streams, events, waiting, the launch queue, shared multiprocessors, threads.
#include <algorithm>
#include <string>

#include "tests/unit/sample_traces/small_program.h"

namespace xsp::samples::test {

TEST_CASE("a kernel on an idle stream starts a submission after its call ends", "[samples]") {
  SmallProgram p;
  p.script.Launch(p.Kernel(5'000), p.stream);
  const MemoryRecording run = RunInMemory(p.program, Quiet());
  REQUIRE(run.kernels.size() == 1);
  const int64_t delay = run.kernels[0].start - CallOf(run, run.kernels[0]).end;
  CHECK(delay > 1'000);
  CHECK(delay < 2'000);
  CHECK(Duration(run.kernels[0]) == 5'000);
}

TEST_CASE("kernels of one stream follow each other with a gap of about a microsecond",
          "[samples]") {
  SmallProgram p;
  const int32_t kernel = p.Kernel(50'000);
  for (int i = 0; i < 20; ++i) p.script.Launch(kernel, p.stream);
  const MemoryRecording run = RunInMemory(p.program, Quiet());
  for (size_t i = 1; i < run.kernels.size(); ++i) {
    const int64_t gap = run.kernels[i].start - run.kernels[i - 1].end;
    CHECK(gap > 800);
    CHECK(gap < 1'300);
  }
}

TEST_CASE("outliers lengthen so many of a thousand gaps, all others stay", "[samples]") {
  SmallProgram p;
  const int32_t kernel = p.Kernel(50'000);
  p.script.Loop(900);
  p.script.Launch(kernel, p.stream);
  p.script.EndLoop();
  MachineConfig config = Quiet();
  config.outliers = 50;
  const MemoryRecording run = RunInMemory(p.program, config);
  int long_gaps = 0;
  for (size_t i = 1; i < run.kernels.size(); ++i) {
    const int64_t gap = run.kernels[i].start - run.kernels[i - 1].end;
    CHECK(gap > 800);
    CHECK(gap < 42'000);
    long_gaps += gap > 1'300 ? 1 : 0;
  }
  CHECK(long_gaps > 25);
  CHECK(long_gaps < 70);
}

TEST_CASE("a launch returns only when the queue has a place", "[samples]") {
  SmallProgram p;
  const int32_t kernel = p.Kernel(20'000);
  p.script.Loop(300);
  p.script.Launch(kernel, p.stream);
  p.script.EndLoop();
  MachineConfig config = Quiet();
  config.queue_depth = 100;
  const MemoryRecording run = RunInMemory(p.program, config);
  int64_t most = 0;
  for (size_t i = 0; i < run.kernels.size(); ++i) {
    const CallRecord& call = CallOf(run, run.kernels[i]);
    int64_t outstanding = 0;
    for (size_t j = 0; j < i; ++j) outstanding += run.kernels[j].end > call.end ? 1 : 0;
    most = std::max(most, outstanding);
    if (i < 100) CHECK(Duration(call) == config.launch_ns);
    if (i > 140) CHECK(Duration(call) > config.launch_ns);
  }
  CHECK(most == 99);  // itself not counted
}

TEST_CASE("a stream sync returns after the work of its stream, not of others", "[samples]") {
  SmallProgram p;
  const int32_t other = p.program.AddStream(p.context, false);
  p.script.Launch(p.Kernel(1'000'000, 100), other);
  p.script.Launch(p.Kernel(200'000, 100), p.stream);
  p.script.StreamSync(p.stream);
  const MemoryRecording run = RunInMemory(p.program, Quiet());
  const int64_t returned = CallNamed(run, "cudaStreamSynchronize").end;
  CHECK(returned > run.kernels[1].end);
  CHECK(returned < run.kernels[1].end + 10'000);
  CHECK(returned < run.kernels[0].end);
  REQUIRE(run.syncs.size() == 1);
  CHECK(run.syncs[0].stream == p.stream);
  CHECK(run.syncs[0].event == -1);
}

TEST_CASE("a device sync returns after the work of all streams", "[samples]") {
  SmallProgram p;
  const int32_t other = p.program.AddStream(p.context, false);
  p.script.Launch(p.Kernel(900'000, 100), other);
  p.script.Launch(p.Kernel(200'000, 100), p.stream);
  p.script.DeviceSync(p.context);
  const MemoryRecording run = RunInMemory(p.program, Quiet());
  CHECK(CallNamed(run, "cudaDeviceSynchronize").end > run.kernels[0].end);
}

TEST_CASE("a sync of an idle stream returns at once", "[samples]") {
  SmallProgram p;
  p.script.StreamSync(p.stream);
  const MemoryRecording run = RunInMemory(p.program, Quiet());
  CHECK(Duration(run.calls[0]) == Quiet().sync_call_ns);
}

TEST_CASE("an event sync waits for what came before the record, not for what came after",
          "[samples]") {
  SmallProgram p;
  const int32_t event = p.program.AddEvent(p.context);
  p.script.Launch(p.Kernel(300'000), p.stream);
  p.script.EventRecord(event, p.stream);
  p.script.Launch(p.Kernel(800'000), p.stream);
  p.script.EventSync(event);
  const MemoryRecording run = RunInMemory(p.program, Quiet());
  const int64_t returned = CallNamed(run, "cudaEventSynchronize").end;
  CHECK(returned > run.kernels[0].end);
  CHECK(returned < run.kernels[1].end);
  REQUIRE(run.events.size() == 1);
  CHECK(run.syncs[0].event_sync_id == run.events[0].event_sync_id);
}

TEST_CASE("a stream that waits for an event starts after the recorded work", "[samples]") {
  SmallProgram p;
  const int32_t a = p.program.AddStream(p.context, false);
  const int32_t b = p.program.AddStream(p.context, false);
  const int32_t event = p.program.AddEvent(p.context);
  const int32_t kernel = p.Kernel(400'000, 100);
  p.script.Launch(kernel, a);
  p.script.EventRecord(event, a);
  p.script.StreamWait(b, event);
  p.script.Launch(kernel, b);
  const MemoryRecording run = RunInMemory(p.program, Quiet());
  CHECK(run.kernels[1].stream == b);
  CHECK(run.kernels[1].start > run.kernels[0].end);
  CHECK(run.kernels[1].start < run.kernels[0].end + 5'000);
}

TEST_CASE("the default stream orders itself against blocking streams only", "[samples]") {
  const bool blocking = GENERATE(true, false);
  SmallProgram p;
  const int32_t other = p.program.AddStream(p.context, blocking);
  const int32_t kernel = p.Kernel(400'000, 100);
  p.script.Launch(kernel, other);
  p.script.Launch(kernel, p.stream);
  p.script.Launch(kernel, other);
  const MemoryRecording run = RunInMemory(p.program, Quiet());
  const KernelRecord* on_default = nullptr;
  for (const KernelRecord& record : run.kernels) {
    if (record.stream == p.stream) on_default = &record;
  }
  REQUIRE(on_default != nullptr);
  CHECK((on_default->start > run.kernels[0].end) == blocking);
  if (blocking) CHECK(run.kernels[2].start > on_default->end);
}

TEST_CASE("kernels that together ask for more than the device slow each other down", "[samples]") {
  SmallProgram p;
  const int32_t share = GENERATE(500, 1'000);
  const int32_t a = p.program.AddStream(p.context, false);
  const int32_t b = p.program.AddStream(p.context, false);
  const int32_t kernel = p.Kernel(1'000'000, share);
  p.script.Launch(kernel, a);
  p.script.Launch(kernel, b);
  const MemoryRecording run = RunInMemory(p.program, Quiet());
  CHECK(run.kernels[1].start < run.kernels[0].end);
  if (share == 500) {
    CHECK(Duration(run.kernels[0]) == 1'000'000);
  } else {
    CHECK(Duration(run.kernels[0]) > 1'950'000);
    CHECK(Duration(run.kernels[0]) <= 2'000'000);
  }
}

TEST_CASE("allocation that waits returns after everything outstanding", "[samples]") {
  const bool waits = GENERATE(true, false);
  SmallProgram p;
  p.script.Launch(p.Kernel(700'000), p.stream);
  p.script.Malloc(p.context, 1 << 20, waits);
  const MemoryRecording run = RunInMemory(p.program, Quiet());
  CHECK((CallNamed(run, "cudaMalloc").end > run.kernels[0].end) == waits);
  REQUIRE(run.memory.size() == 1);
  CHECK(run.memory[0].bytes == 1 << 20);
}

TEST_CASE("a thread that waits goes on some time after another posts", "[samples]") {
  SmallProgram p;
  const int32_t go = p.program.AddSemaphore(0);
  Script helper(p.program, p.program.AddThread(p.process, "helper"));
  const int32_t kernel = p.Kernel(2'000);
  p.script.Work(500'000);
  p.script.Post(go);
  helper.Wait(go);
  helper.Launch(kernel, p.stream);
  const MemoryRecording run = RunInMemory(p.program, Quiet());
  const CallRecord& call = CallOf(run, run.kernels[0]);
  CHECK(call.thread == helper.thread());
  CHECK(call.start > 510'000);
  CHECK(call.start < 560'000);
  REQUIRE(run.os_calls.size() == 1);  // the wait, as a profiler sees it
  REQUIRE(run.sched.size() == 2);
  CHECK_FALSE(run.sched[0].in);
  CHECK(run.sched[1].in);
}

TEST_CASE("a program whose threads wait for ever is an error", "[samples]") {
  SmallProgram p;
  p.script.Wait(p.program.AddSemaphore(0));
  CHECK_THROWS_WITH(RunInMemory(p.program), Catch::Contains("hangs"));
}

TEST_CASE("ranks of a collective end together, once the last has come", "[samples]") {
  SmallProgram p;
  const int32_t process = p.program.AddProcess("peer");
  const int32_t context = p.program.AddContext(process, 1);
  Script peer(p.program, p.program.AddThread(process, "peer"));
  p.program.communicators.push_back({{p.context, context}});
  const int32_t kernel = p.Kernel(1'000, 100);
  p.script.Collective(kernel, p.stream, 0, 250'000);
  peer.Work(900'000);
  peer.Collective(kernel, p.program.DefaultStream(context), 0, 250'000);
  const MemoryRecording run = RunInMemory(p.program, Quiet());
  REQUIRE(run.kernels.size() == 2);
  CHECK(run.kernels[1].start > run.kernels[0].start + 800'000);
  CHECK(std::abs(run.kernels[0].end - run.kernels[1].end) < 10'000);
  CHECK(Duration(run.kernels[1]) >= 250'000);
  CHECK(Duration(run.kernels[1]) < 270'000);
}

TEST_CASE("texts count through loops", "[samples]") {
  SmallProgram p;
  p.script.Loop(2);
  p.script.Loop(3);
  Op& op = p.script.Push("step %0 of %1 %2 100%", 10, 1);
  op.first[1] = 7;
  p.script.Pop();
  p.script.EndLoop();
  p.script.EndLoop();
  const MemoryRecording run = RunInMemory(p.program);
  REQUIRE(run.nvtx.size() == 6);
  CHECK(run.nvtx.front().text == "step 10 of 7 %2 100%");
  CHECK(run.nvtx.back().text == "step 15 of 7 %2 100%");
}

TEST_CASE("a loop of no repetitions is left out, with the loops inside it", "[samples]") {
  SmallProgram p;
  p.script.Loop(0);
  p.script.Loop(3);
  p.script.Mark("never");
  p.script.EndLoop();
  p.script.EndLoop();
  p.script.Mark("once");
  const MemoryRecording run = RunInMemory(p.program);
  REQUIRE(run.nvtx.size() == 1);
  CHECK(run.nvtx[0].text == "once");
}

TEST_CASE("a range that is open for very long is handed on late, not lost", "[samples]") {
  SmallProgram p;
  p.script.Push("everything");
  p.script.Loop(150'000);
  p.script.Mark("tick");
  p.script.Post(p.program.AddSemaphore(0));  // lets the machine's clock follow
  p.script.EndLoop();
  p.script.Pop();
  const MemoryRecording run = RunInMemory(p.program);
  REQUIRE(run.nvtx.size() == 150'001);
  CHECK(run.nvtx.front().text == "tick");
  const auto range = std::find_if(run.nvtx.begin(), run.nvtx.end(),
                                  [](const NvtxRecord& r) { return r.text == "everything"; });
  REQUIRE(range != run.nvtx.end());
  CHECK(range->end > run.nvtx[140'000].start);
}

TEST_CASE("a range that is never closed has no end", "[samples]") {
  SmallProgram p;
  p.script.Push("open");
  p.script.Work(1'000);
  const MemoryRecording run = RunInMemory(p.program);
  REQUIRE(run.nvtx.size() == 1);
  CHECK(run.nvtx[0].end == -1);
}

}  // namespace xsp::samples::test
