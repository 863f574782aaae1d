#include "model/select.h"

#include <catch2/catch.hpp>

#include "tests/support/timeline.h"

namespace xsp {
namespace {

constexpr const char* kTimeline = R"(
T1   0-100  push step
T1   5-8    api cudaLaunchKernel #1
T1   9-12   api cudaLaunchKernel #2
S7  10-30   kernel gemm #1 grid=2x1x1 block=128x1x1
S7  31-40   kernel relu #2 grid=4x1x1 block=64x1x1
)";

EventMask AllOf(const Trace& trace) { return EventMask(trace.event_count(), 1); }

TEST_CASE("selecting everything gives an equal trace") {
  const Trace trace = test::MakeTrace(kTimeline);
  CHECK(Select(trace, AllOf(trace)) == trace);
}

TEST_CASE("events that are not selected vanish, with their details") {
  const Trace trace = test::MakeTrace(kTimeline);
  EventMask keep = AllOf(trace);
  keep[trace.OfKind(EventKind::kKernel).first] = 0;
  const Trace part = Select(trace, keep);
  REQUIRE(part.OfKind(EventKind::kKernel).size() == 1);
  const EventId relu(part.OfKind(EventKind::kKernel).first);
  CHECK(part.name(relu) == "relu");
  CHECK(part.kernels().grid_x[part.Row(relu)] == 4);
  CHECK(part.OfKind(EventKind::kApi).size() == 2);
}

TEST_CASE("links to calls follow their calls, or point nowhere if those are gone") {
  const Trace trace = test::MakeTrace(kTimeline);
  EventMask keep = AllOf(trace);
  keep[trace.OfKind(EventKind::kApi).first] = 0;
  const Trace part = Select(trace, keep);
  const EventSpan kernels = part.OfKind(EventKind::kKernel);
  CHECK_FALSE(part.call_of(EventId(kernels.first)).valid());
  const EventId call = part.call_of(EventId(kernels.first + 1));
  REQUIRE(call.valid());
  CHECK(part.begin(call) == 9);
}

TEST_CASE("selecting nothing leaves a trace without events") {
  const Trace trace = test::MakeTrace(kTimeline);
  const Trace part = Select(trace, EventMask(trace.event_count(), 0));
  CHECK(part.event_count() == 0);
  CHECK(part.tracks().size() == trace.tracks().size());
}

}  // namespace
}  // namespace xsp
