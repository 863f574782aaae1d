#include "model/building/trace_check.h"

#include <catch2/catch.hpp>
#include <functional>
#include <string>

#include "base/error.h"
#include "model/building/trace_builder.h"
#include "tests/support/timeline.h"

using namespace xsp;

namespace {

// What making a trace of these tables says after one change; "" if it is fine.
std::string ComplaintAfter(const std::function<void(TraceTables&)>& change) {
  TraceTables tables = test::MakeTrace(R"(
    T1 0-2 api cudaLaunchKernel #1
    T1 4-6 api cudaLaunchKernel #2
    T1 0-9 push step
    S7 10-20 kernel gemm #1
    S7 20-30 kernel gemm #2
  )")
                           .Release();
  change(tables);
  try {
    Trace trace(std::move(tables));
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

using Catch::Contains;

TEST_CASE("sound tables pass the check", "[model]") {
  CHECK(ComplaintAfter([](TraceTables&) {}).empty());
}

TEST_CASE("counts of kinds that wrap around 32 bits are refused", "[model]") {
  const std::string complaint = ComplaintAfter([](TraceTables& t) {
    t.kind_counts[IndexOf(EventKind::kMemcpy)] = 0xffffffffu;
    t.kind_counts[IndexOf(EventKind::kMigration)] = 1;
  });
  CHECK_THAT(complaint, Contains("counts per kind"));
}

TEST_CASE("work that names as its call what is no call is refused", "[model]") {
  CHECK_THAT(ComplaintAfter([](TraceTables& t) { t.events.call[0] = EventId(1); }),
             Contains("no call"));
}

TEST_CASE("tracks and domains without a process are refused", "[model]") {
  CHECK_THAT(ComplaintAfter([](TraceTables& t) { t.tracks[0].process = {}; }),
             Contains("belongs to no process"));
  CHECK_THAT(ComplaintAfter([](TraceTables& t) { t.tracks[0].process = ProcessId(9); }),
             Contains("points outside"));
  CHECK_THAT(ComplaintAfter([](TraceTables& t) {
               t.domains.push_back({{}, 7, {}});
             }),
             Contains("belongs to no process"));
  CHECK_THAT(ComplaintAfter([](TraceTables& t) { t.contexts.push_back({ProcessId(5)}); }),
             Contains("points outside"));
}

TEST_CASE("events out of order are refused", "[model]") {
  CHECK_THAT(ComplaintAfter([](TraceTables& t) { t.events.begin[0] = t.events.end[0] = 25; }),
             Contains("order of time"));
}

TEST_CASE("enumerations with numbers that mean nothing are refused", "[model]") {
  CHECK_THAT(ComplaintAfter([](TraceTables& t) { t.tracks[0].kind = static_cast<TrackKind>(9); }),
             Contains("has no meaning"));
  CHECK_THAT(ComplaintAfter([](TraceTables& t) {
               std::get<Calls>(t.details).layer[0] = static_cast<ApiLayer>(77);
             }),
             Contains("has no meaning"));
}

TEST_CASE("times whose sums would overflow are refused", "[model]") {
  CHECK_THAT(ComplaintAfter([](TraceTables& t) { t.events.end[1] = TimeNs{1} << 60; }),
             Contains("months apart"));
  CHECK_THAT(ComplaintAfter([](TraceTables& t) {
               for (std::size_t i = 0; i < 300; ++i) {
                 t.tracks.push_back(t.tracks[0]);
                 t.tracks.back().thread = static_cast<std::uint32_t>(1000 + i);
               }
               t.events.end[1] = kLongestSpan;
             }),
             Contains("too many"));
}

TEST_CASE("rows far from all others are set aside and counted", "[model]") {
  constexpr TimeNs kFar = TimeNs{1} << 61;
  TraceBuilder builder;
  const ProcessId process = builder.InternProcess(1 << 24, 1);
  Events events;
  OsrtCalls details;
  const auto add = [&](TimeNs begin, TimeNs end) {
    events.begin.push_back(begin);
    events.end.push_back(end);
    events.track.push_back(
        builder.InternTrack({.kind = TrackKind::kThread, .process = process, .thread = 1}));
    events.name.push_back(builder.Intern("read"));
    events.correlation.push_back(0);
    details.return_value.push_back(static_cast<std::int64_t>(events.begin.size()));
    details.nesting.push_back(0);
    details.chain.push_back({});
  };
  add(-kFar, kFar);
  add(10, 20);
  add(30, 40);
  add(kFar, kFar);
  builder.log().AddKept("OSRT_API", 4);
  builder.Add(EventKind::kOsrt, 0, "OSRT_API", std::move(events), std::move(details));
  const Trace trace = std::move(builder).Build();
  CHECK(trace.events().begin == std::vector<TimeNs>{10, 30});
  CHECK(trace.osrt().return_value == std::vector<std::int64_t>{2, 3});
  CHECK(trace.log().Total() == ImportLog::Tally{4, 2, 2});
  CHECK(trace.log().issues().at({"OSRT_API", ImportReason::kNoBegin}).count == 2);
}
