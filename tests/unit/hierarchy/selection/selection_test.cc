#include "hierarchy/selection/selection.h"

#include <catch2/catch.hpp>

#include "base/error.h"
#include "hierarchy/selection/filters.h"
#include "hierarchy/selection/nvtx_ranges.h"
#include "tests/support/timeline.h"

namespace xsp {
namespace {

constexpr const char* kTimeline = R"(
T1        0-100   push load
T1      200-300   push load
T1      200-210   push a@b/1 domain=NCCL
T1       10-12    api cudaLaunchKernel #1
T2      210-212   api cudaLaunchKernel #2
T1      220-230   api cudaMemcpyAsync #3
S7       50-60    kernel k1 #1
S7      500-600   kernel k2 #2
D1.S9   510-520   memcpy HtoD #3 bytes=8
P2.T5     0-400   push other
P2.S7    20-30    kernel k1
)";

// The names of the kept events, in the order of the trace.
std::vector<std::string> Kept(const Trace& trace, const Selection& selection) {
  const EventMask keep = MaskOf(trace, selection);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < keep.size(); ++i) {
    if (keep[i]) names.emplace_back(trace.name(EventId(i)));
  }
  return names;
}

std::size_t KeptOfKind(const Trace& trace, const Selection& selection, EventKind kind) {
  const EventMask keep = MaskOf(trace, selection);
  std::size_t count = 0;
  for (EventId e : trace.OfKind(kind)) count += keep[e.value];
  return count;
}

TEST_CASE("work that was launched before a range is not the range's") {
  const Trace trace = test::MakeTrace(R"(
    T1 0-5     api cudaLaunchKernel #1
    T1 10-100  push backward
    T1 20-25   api cudaLaunchKernel #2
    S7 30-60   kernel forward #1
    S7 60-200  kernel backward #2
    S8 40-50   kernel unlinked)");
  Selection selection;
  selection.nvtx = "backward";
  CHECK(Kept(trace, selection) ==
        std::vector<std::string>{"unlinked", "backward", "cudaLaunchKernel", "backward"});
}

TEST_CASE("a time keeps what overlaps it") {
  const Trace trace = test::MakeTrace(kTimeline);
  Selection selection;
  selection.time = TimeRange{55, 205};
  CHECK(KeptOfKind(trace, selection, EventKind::kKernel) == 1);
  CHECK(KeptOfKind(trace, selection, EventKind::kApi) == 0);
  CHECK(KeptOfKind(trace, selection, EventKind::kNvtxPushPop) == 4);
}

TEST_CASE("what only touches a time is outside of it") {
  const Trace trace = test::MakeTrace("S7 0-10 kernel a\nS7 20-30 kernel b\nT1 10 mark m\n");
  Selection selection;
  selection.time = TimeRange{10, 20};
  CHECK(Kept(trace, selection) == std::vector<std::string>{"m"});
}

TEST_CASE("a range brings its time in its process and what was launched in it") {
  const Trace trace = test::MakeTrace(kTimeline);
  Selection selection;
  selection.nvtx = "load/1";
  // k2 and the copy ran much later; thread 2 belongs to the process; process 2 does not.
  CHECK(KeptOfKind(trace, selection, EventKind::kKernel) == 1);
  CHECK(KeptOfKind(trace, selection, EventKind::kMemcpy) == 1);
  CHECK(KeptOfKind(trace, selection, EventKind::kApi) == 2);
  CHECK(KeptOfKind(trace, selection, EventKind::kNvtxPushPop) == 2);
}

TEST_CASE("ranges are named with domain and number, and a name may look like that itself") {
  const Trace trace = test::MakeTrace(kTimeline);
  CHECK(FindNvtxRanges(trace, "load").size() == 2);
  CHECK(FindNvtxRanges(trace, "load@NVTX").size() == 2);
  REQUIRE(FindNvtxRanges(trace, "load@NVTX/1").size() == 1);
  CHECK(trace.begin(FindNvtxRanges(trace, "load@NVTX/1").front()) == 200);
  CHECK(FindNvtxRanges(trace, "a@b/1").size() == 1);
  CHECK(FindNvtxRanges(trace, "a@b/1@NCCL/0").size() == 1);
  CHECK_THROWS_AS(FindNvtxRanges(trace, "load/2"), Error);
  CHECK_THROWS_AS(FindNvtxRanges(trace, "load@NCCL"), Error);
  CHECK_THROWS_AS(FindNvtxRanges(trace, "lod"), Error);
}

TEST_CASE("a device brings its work and the calls that issued it, not other devices' calls") {
  const Trace trace = test::MakeTrace(kTimeline);
  Selection selection;
  selection.devices = {1};
  CHECK(KeptOfKind(trace, selection, EventKind::kKernel) == 0);
  CHECK(KeptOfKind(trace, selection, EventKind::kMemcpy) == 1);
  CHECK(KeptOfKind(trace, selection, EventKind::kApi) == 1);
  CHECK(KeptOfKind(trace, selection, EventKind::kNvtxPushPop) == 4);
}

TEST_CASE("a thread brings its own events and the work it launched") {
  const Trace trace = test::MakeTrace(kTimeline);
  Selection selection;
  selection.threads = {2};
  CHECK(Kept(trace, selection) == std::vector<std::string>{"k2", "cudaLaunchKernel"});
}

TEST_CASE("a stream brings its work only") {
  const Trace trace = test::MakeTrace(kTimeline);
  Selection selection;
  selection.streams = {9};
  CHECK(KeptOfKind(trace, selection, EventKind::kKernel) == 0);
  CHECK(KeptOfKind(trace, selection, EventKind::kMemcpy) == 1);
}

TEST_CASE("a process is named by its id") {
  const Trace trace = test::MakeTrace(kTimeline);
  Selection selection;
  selection.processes = {std::to_string(trace.processes()[1].pid)};
  CHECK(Kept(trace, selection) == std::vector<std::string>{"k1", "other"});
}

TEST_CASE("what is not in the trace cannot be asked for") {
  const Trace trace = test::MakeTrace(kTimeline);
  Selection device, stream, thread, process;
  device.devices = {7};
  stream.streams = {70};
  thread.threads = {99};
  process.processes = {"nobody"};
  CHECK_THROWS_AS(MaskOf(trace, device), Error);
  CHECK_THROWS_AS(MaskOf(trace, stream), Error);
  CHECK_THROWS_AS(MaskOf(trace, thread), Error);
  CHECK_THROWS_AS(MaskOf(trace, process), Error);
}

TEST_CASE("a part is described in words and as asked for") {
  Selection selection;
  selection.time = TimeRange{0, 400'000};
  selection.time_text = "0us-400us";
  selection.devices = {0, 1};
  const TracePart part = TakePart(test::MakeTrace(kTimeline), selection);
  CHECK(part.window.text == "0 ns to 400.0 us, device 0,1");
  REQUIRE(part.window.time);
  CHECK(part.window.time->end == 400'000);
  CHECK(part.window.filters.size() == 2);
}

TEST_CASE("a part of ranges lasts as long as one was open or work launched in it ran") {
  Selection selection;
  selection.nvtx = "load";
  const TracePart part = TakePart(test::MakeTrace(kTimeline), selection);
  // 0-100 and 200-300; k1 lies in the first, k2 (500-600) holds the copy.
  CHECK(part.Length() == 300);
  selection.time = TimeRange{50, 550};
  selection.time_text = "50ns-550ns";
  CHECK(TakePart(test::MakeTrace(kTimeline), selection).Length() == 200);
  CHECK_FALSE(TakePart(test::MakeTrace(kTimeline), {}).Length());
}

TEST_CASE("where nothing is asked for the whole trace is meant") {
  const Trace trace = test::MakeTrace(kTimeline);
  const TracePart part = TakePart(test::MakeTrace(kTimeline), {});
  CHECK(part.trace == trace);
  CHECK(part.window.text == "whole trace");
}

TEST_CASE("work within ranges of the program is told from work within those of libraries") {
  const std::string work =
      "T1 1-2 api cudaLaunchKernel #1\nS7 3-13 kernel a #1\n"
      "T1 21-22 api cudaLaunchKernel #2\nS7 23-53 kernel b #2\n";
  const auto share = [&](const std::string& ranges) {
    const Trace trace = test::MakeTrace(work + ranges);
    return ShareInNamedRanges(trace, HostRanges(trace));
  };
  CHECK(share("") == 0);
  CHECK(share("T1 20-30 push train") == Approx(0.75));
  CHECK(share("T1 0-30 push step\nT1 20-30 push ncclAllReduce domain=NCCL") == 1);
  CHECK(share("T1 20-30 push ncclAllReduce domain=NCCL") == 0);
  const Trace trace = test::MakeTrace(work + "T1 0-30 push step\nT1 20-30 startend x domain=NCCL");
  EventMask keep(trace.event_count(), 1);
  LeaveOutRanges(trace, keep);
  const Trace bare = Select(trace, keep);
  CHECK(bare.event_count() == 4);
  CHECK(bare.DeviceWork().size() == 2);
}

}  // namespace
}  // namespace xsp
