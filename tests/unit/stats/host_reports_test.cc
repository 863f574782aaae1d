#include <catch2/catch.hpp>

#include "model/building/trace_builder.h"
#include "tests/support/timeline.h"
#include "tests/unit/stats/table_text.h"

using namespace xsp;
using test::MakeTrace;
using test::ReportText;

namespace {

struct Region {
  DirectiveKind kind;
  std::string name;
  TimeNs begin, end;
  std::string file;
  std::uint32_t line;
};

Trace MakeDirectives(const std::vector<Region>& regions) {
  TraceBuilder builder;
  const ProcessId process = builder.InternProcess(1u << 24, 1);
  const TrackId track =
      builder.InternTrack({.kind = TrackKind::kThread, .process = process, .thread = 1});
  std::uint64_t order = 0;
  for (const Region& region : regions) {
    Events events;
    events.begin = {region.begin};
    events.end = {region.end};
    events.track = {track};
    events.name = {builder.Intern(region.name)};
    events.correlation = {0};
    Directives details;
    details.directive_kind = {region.kind};
    details.table = {builder.Intern("table")};
    details.event_kind = {1};
    details.file = {region.file.empty() ? StringId() : builder.Intern(region.file)};
    details.function = {StringId()};
    details.target = {StringId()};
    details.line = {region.line};
    details.bytes = {kMissing<std::uint64_t>};
    builder.Add(EventKind::kDirective, order++, "table", std::move(events), std::move(details));
  }
  return std::move(builder).Build();
}

}  // namespace

TEST_CASE("operating-system calls are summed up by name") {
  CHECK(ReportText(MakeTrace(R"(
T1   0-10  osrt poll
T2   0-30  osrt poll
T1  10-12  osrt read
)"),
                   "osrt_sum") == R"(
Time (%) | Total Time (ns) | Num Calls | Avg (ns) | Med (ns) | Min (ns) | Max (ns) | StdDev (ns) | Name
95.2 | 40 | 2 | 20.0 | 20.0 | 10 | 30 | 14.1 | poll
4.8 | 2 | 1 | 2.0 | 2.0 | 2 | 2 | 0.0 | read
)");
}

TEST_CASE("MPI calls are summed up by name and by what sort of call they are") {
  CHECK(ReportText(MakeTrace("T1 3-9 mpi MPI_Send bytes=8\n"), "mpi_event_sum") == R"(
Time (%) | Total Time (ns) | Instances | Avg (ns) | Med (ns) | Min (ns) | Max (ns) | StdDev (ns) | Source | Name
100.0 | 6 | 1 | 6.0 | 6.0 | 6 | 6 | 0.0 | p2p | MPI_Send
)");
}

TEST_CASE("MPI calls of old exports are ranges of an NVTX domain") {
  CHECK(ReportText(MakeTrace(R"(
    T1  0-10   push MPI_Isend domain=MPI
    T1 10-14   push MPI_Waitall domain=MPI
    T1 14-34   push MPI_Iallreduce domain=MPI
    T1 34-35   push MPI_Comm_rank domain=MPI
    T1 40-90   push MPI_Send
  )"),
                   "mpi_event_sum") == R"(
Time (%) | Total Time (ns) | Instances | Avg (ns) | Med (ns) | Min (ns) | Max (ns) | StdDev (ns) | Source | Name
57.1 | 20 | 1 | 20.0 | 20.0 | 20 | 20 | 0.0 | collectives | MPI_Iallreduce
28.6 | 10 | 1 | 10.0 | 10.0 | 10 | 10 | 0.0 | p2p | MPI_Isend
11.4 | 4 | 1 | 4.0 | 4.0 | 4 | 4 | 0.0 | start_wait | MPI_Waitall
2.9 | 1 | 1 | 1.0 | 1.0 | 1 | 1 | 0.0 | other | MPI_Comm_rank
)");
}

TEST_CASE("OpenACC regions are told apart by their place in the source, OpenMP's are not") {
  const Trace trace = MakeDirectives({
      {DirectiveKind::kOpenAcc, "Compute Construct", 0, 10, "/src/jacobi.c", 62},
      {DirectiveKind::kOpenAcc, "Compute Construct", 10, 15, "/src/jacobi.c", 70},
      {DirectiveKind::kOpenAcc, "Wait", 10, 12, "", kMissing<std::uint32_t>},
      {DirectiveKind::kOpenMp, "Parallel", 0, 7, "", kMissing<std::uint32_t>},
  });
  CHECK(ReportText(trace, "openacc_sum") == R"(
Time (%) | Total Time (ns) | Num Calls | Avg (ns) | Med (ns) | Min (ns) | Max (ns) | StdDev (ns) | Name
58.8 | 10 | 1 | 10.0 | 10.0 | 10 | 10 | 0.0 | Compute Construct@jacobi.c:62
29.4 | 5 | 1 | 5.0 | 5.0 | 5 | 5 | 0.0 | Compute Construct@jacobi.c:70
11.8 | 2 | 1 | 2.0 | 2.0 | 2 | 2 | 0.0 | Wait
)");
  CHECK(ReportText(trace, "openmp_sum") == R"(
Time (%) | Total Time (ns) | Count | Avg (ns) | Med (ns) | Min (ns) | Max (ns) | StdDev (ns) | Name
100.0 | 7 | 1 | 7.0 | 7.0 | 7 | 7 | 0.0 | Parallel
)");
}
