#include "model/building/trace_builder.h"

#include <catch2/catch.hpp>

#include "base/error.h"
#include "tests/support/timeline.h"

using namespace xsp;
using test::MakeTrace;

namespace {

// `rows` samples on one thread, at the given times.
void AddSamples(TraceBuilder& builder, std::uint64_t order, std::vector<TimeNs> times) {
  const ProcessId process = builder.InternProcess(1 << 24, 1);
  Track key{.kind = TrackKind::kThread, .process = process, .thread = 1};
  Events events;
  GpuMetrics metrics;
  for (TimeNs time : times) {
    Events::Row event;
    event.begin = event.end = time;
    event.track = builder.InternTrack(key);
    event.name = builder.Intern("at " + std::to_string(time));
    events.Add(event);
    metrics.value.push_back(time * 10);
  }
  builder.Add(EventKind::kGpuMetric, order, "METRICS", std::move(events), std::move(metrics));
}

}  // namespace

TEST_CASE("events of a kind come out in order of time, with their details", "[model]") {
  TraceBuilder builder;
  AddSamples(builder, 1, {30, 50, 20});
  AddSamples(builder, 0, {5, 10});
  const Trace trace = std::move(builder).Build();
  CHECK(trace.events().begin == std::vector<TimeNs>{5, 10, 20, 30, 50});
  CHECK(trace.gpu_metrics().value == std::vector<std::int64_t>{50, 100, 200, 300, 500});
  CHECK(trace.log().issues().at({"METRICS", ImportReason::kOutOfOrder}).count == 1);
}

TEST_CASE("the trace does not depend on the order in which readers finish", "[model]") {
  TraceBuilder a, b;
  AddSamples(a, 0, {5, 10});
  AddSamples(a, 1, {20});
  b.InternProcess(7 << 24, 7);  // Met first here, sorted behind process 1 all the same.
  a.InternProcess(7 << 24, 7);
  AddSamples(b, 1, {20});
  AddSamples(b, 0, {5, 10});
  CHECK(std::move(a).Build() == std::move(b).Build());
}

TEST_CASE("strings that nothing names do not reach the trace", "[model]") {
  TraceBuilder builder;
  builder.Intern("HOME=/root TOKEN=secret");
  AddSamples(builder, 0, {5});
  const Trace trace = std::move(builder).Build();
  CHECK(trace.strings().size() == 1);
  CHECK_FALSE(trace.strings().Find("HOME=/root TOKEN=secret").valid());
}

TEST_CASE("work without a call is kept and counted", "[model]") {
  const Trace trace = MakeTrace("S7 10-30 kernel gemm #9");
  CHECK_FALSE(trace.call_of(EventId(0)).valid());
  CHECK(trace.log().issues().at({"timeline", ImportReason::kUnlinked}).count == 1);
}

TEST_CASE("work that begins before its call is kept and counted", "[model]") {
  const Trace trace = MakeTrace(R"(
    T1 20-25 api cudaLaunchKernel #9
    S7 10-30 kernel gemm #9
  )");
  CHECK(trace.call_of(EventId(0)).valid());
  CHECK(trace.log().issues().contains({"timeline", ImportReason::kBeforeCall}));
}

TEST_CASE("an event record happens when and where it was called", "[model]") {
  const Trace trace = MakeTrace(R"(
    T3 20-25 api cudaEventRecord #9
    T3 40-45 api cudaEventRecord #8
    T1       record stream=7 event=2 #8
    T1       record stream=7 event=1 #9
    T1       record stream=7 event=5 #77
  )");
  const EventSpan records = trace.OfKind(EventKind::kEventRecord);
  REQUIRE(records.size() == 2);
  CHECK(trace.begin(EventId(records.first)) == 20);
  CHECK(trace.event_records().event == std::vector<std::uint32_t>{1, 2});
  CHECK(trace.track(trace.track_of(EventId(records.first))).thread == 3);
  CHECK(trace.log().issues().at({"timeline", ImportReason::kRecordWithoutCall}).count == 1);
  CHECK(trace.log().Total().kept == trace.event_count());
}

TEST_CASE("kinds that share a table of details keep their rows apart", "[model]") {
  const Trace trace = MakeTrace(R"(
    T1 0-9  startend b domain=two
    T1 1-2  push a domain=one
    T1 3    mark c
  )");
  const EventId start_end = *trace.OfKind(EventKind::kNvtxStartEnd).begin();
  CHECK(trace.Row(start_end) == 1);
  const NvtxDomain& domain = trace.domain(trace.nvtx().domain[trace.Row(start_end)]);
  CHECK(trace.strings().Get(domain.name) == "two");
  CHECK(trace.KindOf(start_end) == EventKind::kNvtxStartEnd);
}

TEST_CASE("a call chain is found by its id", "[model]") {
  const Trace trace = MakeTrace(R"(
    T1 1 sample read<-load<-main
    T1 2 sample spin<-main
  )");
  const auto [first, last] = trace.FramesOf(trace.samples().chain[1]);
  REQUIRE(last - first == 2);
  CHECK(trace.strings()[trace.frames().symbol[first]] == "spin");
  CHECK(trace.FramesOf(ChainId()) == std::pair<std::uint32_t, std::uint32_t>{0, 0});
}

TEST_CASE("tables that do not fit together are refused", "[model]") {
  TraceTables tables;
  tables.kind_counts[0] = 1;
  CHECK_THROWS_AS(Trace(std::move(tables)), Error);

  TraceTables bad_track;
  bad_track.kind_counts[IndexOf(EventKind::kGpuMetric)] = 1;
  Events::Row event;
  event.track = TrackId(3);
  bad_track.events.Add(event);
  std::get<GpuMetrics>(bad_track.details).value = {1};
  CHECK_THROWS_WITH(Trace(std::move(bad_track)), Catch::Contains("events.track"));
}

TEST_CASE("each kind belongs to exactly one group of details", "[model]") {
  std::size_t next = 0;
  for (const KindGroup& group : kKindGroups) {
    CHECK(IndexOf(group.first) == next);
    next = IndexOf(group.last) + 1;
  }
  CHECK(next == kEventKindCount);
  for (EventKind kind : AllEventKinds()) CHECK(EventKindFromName(NameOf(kind)) == kind);
  CHECK_FALSE(EventKindFromName("nonsense"));
}
