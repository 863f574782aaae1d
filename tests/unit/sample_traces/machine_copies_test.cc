// What copies do to the host and to each other.
#include "tests/unit/sample_traces/small_program.h"

namespace xsp::samples::test {
namespace {

constexpr int64_t kKilobyte = 1 << 10;
constexpr int64_t kMegabyte = 1 << 20;

struct CopyRun {
  MemoryRecording run;
  const CopyRecord& copy() const { return run.copies.front(); }
  const CallRecord& call() const { return CallOf(run, run.copies.front()); }
};

// The copy alone, or behind a kernel that runs for a while.
CopyRun RunCopy(const CopySpec& copy, bool busy) {
  SmallProgram p;
  if (busy) p.script.Launch(p.Kernel(3'000'000), p.stream);
  p.script.Copy(copy, p.stream);
  return {RunInMemory(p.program, Quiet())};
}

}  // namespace

TEST_CASE("a copy to pageable host memory returns after it is done", "[samples]") {
  const bool async = GENERATE(true, false);
  const int64_t bytes = GENERATE(4, 512 * kKilobyte, 16 * kMegabyte);
  const CopyRun r =
      RunCopy({CopyKind::kDeviceToHost, bytes, MemoryKind::kPageable, async, -1}, true);
  CHECK(r.call().end > r.copy().end);
}

TEST_CASE("a pinned asynchronous copy does not wait for a busy stream", "[samples]") {
  const CopyKind kind = GENERATE(CopyKind::kHostToDevice, CopyKind::kDeviceToHost);
  const CopyRun r = RunCopy({kind, kMegabyte, MemoryKind::kPinned, true, -1}, true);
  CHECK(Duration(r.call()) == Quiet().copy_call_ns);
  CHECK(r.copy().start > r.call().end + 2'000'000);
}

TEST_CASE("a pinned copy that is not asynchronous returns after it is done", "[samples]") {
  const CopyKind kind = GENERATE(CopyKind::kHostToDevice, CopyKind::kDeviceToHost);
  const CopyRun r = RunCopy({kind, kMegabyte, MemoryKind::kPinned, false, -1}, false);
  CHECK(r.call().end > r.copy().end);
}

TEST_CASE("a small pageable copy to the device is staged and returns before it starts",
          "[samples]") {
  const CopyRun r =
      RunCopy({CopyKind::kHostToDevice, 64 * kKilobyte, MemoryKind::kPageable, true, -1}, true);
  CHECK(Duration(r.call()) > Quiet().copy_call_ns);
  CHECK(Duration(r.call()) < 100'000);
  CHECK(r.copy().start > r.call().end);
}

TEST_CASE("cudaMemcpy of small pageable memory waits for a busy stream", "[samples]") {
  const CopyRun r =
      RunCopy({CopyKind::kHostToDevice, 64 * kKilobyte, MemoryKind::kPageable, false, -1}, true);
  CHECK(r.call().end > r.run.kernels[0].end);
  CHECK(r.copy().start > r.call().end);
}

TEST_CASE("a large pageable copy to the device returns shortly before it ends", "[samples]") {
  const bool busy = GENERATE(true, false);
  const CopyRun r =
      RunCopy({CopyKind::kHostToDevice, 8 * kMegabyte, MemoryKind::kPageable, true, -1}, busy);
  CHECK(r.call().end < r.copy().end);
  CHECK(r.call().end > r.copy().end - 60'000);
}

TEST_CASE("copies of one direction queue, those of two run side by side", "[samples]") {
  const bool same = GENERATE(true, false);
  SmallProgram p;
  const int32_t a = p.program.AddStream(p.context, false);
  const int32_t b = p.program.AddStream(p.context, false);
  const CopyKind second = same ? CopyKind::kHostToDevice : CopyKind::kDeviceToHost;
  p.script.Copy({CopyKind::kHostToDevice, 8 * kMegabyte, MemoryKind::kPinned, true, -1}, a);
  p.script.Copy({second, 8 * kMegabyte, MemoryKind::kPinned, true, -1}, b);
  const MemoryRecording run = RunInMemory(p.program, Quiet());
  CHECK((run.copies[1].start > run.copies[0].end) == same);
}

TEST_CASE("a copy inside the device does not wait and needs no engine", "[samples]") {
  const CopyRun r =
      RunCopy({CopyKind::kDeviceToDevice, 32 * kMegabyte, MemoryKind::kDevice, false, -1}, true);
  CHECK(Duration(r.call()) == Quiet().copy_call_ns);
}

TEST_CASE("pinned memory is faster than pageable memory", "[samples]") {
  const CopySpec pageable{CopyKind::kDeviceToHost, 8 * kMegabyte, MemoryKind::kPageable, true, -1};
  CopySpec pinned = pageable;
  pinned.host = MemoryKind::kPinned;
  CHECK(Duration(RunCopy(pageable, false).copy()) > 2 * Duration(RunCopy(pinned, false).copy()));
}

}  // namespace xsp::samples::test
