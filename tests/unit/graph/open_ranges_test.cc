#include "graph/readings/open_ranges.h"

#include <catch2/catch.hpp>

#include "tests/support/timeline.h"

namespace xsp {
namespace {

// "a 10, b 5, - 3": names and lengths of what was open.
std::string During(const Trace& trace, std::uint32_t thread, TimeRange time) {
  TrackId track;
  for (std::uint32_t i = 0; i < trace.tracks().size(); ++i) {
    if (trace.tracks()[i].kind == TrackKind::kThread && trace.tracks()[i].thread == thread) {
      track = TrackId(i);
    }
  }
  const Hierarchy hierarchy(trace);
  const OpenRanges ranges(hierarchy);
  std::string text;
  for (const OpenRanges::Piece& piece : ranges.During(track, time)) {
    text += (text.empty() ? "" : ", ") + std::string(piece.name.empty() ? "-" : piece.name) + " " +
            std::to_string(piece.time.Length());
  }
  return text;
}

TEST_CASE("the innermost range is the one that is open") {
  const Trace trace = test::MakeTrace(R"(
    T1 0-100  push outer
    T1 20-40  push inner
    T1 40-50  push "next, seq = 7"
    T1 5-6    api cudaLaunchKernel #1)");
  CHECK(During(trace, 1, {10, 60}) == "outer 10, inner 20, next 10, outer 10");
  CHECK(During(trace, 1, {90, 130}) == "outer 10, - 30");
}

TEST_CASE("the main thread speaks for a thread without a range of its own") {
  const Trace trace = test::MakeTrace(R"(
    T1 0-100   push backward
    T1 5-6     api cudaLaunchKernel #1
    T2 30-40   push own
    T2 60-61   api cudaLaunchKernel #2)");
  CHECK(During(trace, 2, {20, 60}) == "backward 10, own 10, backward 20");
}

}  // namespace
}  // namespace xsp
