#include <catch2/catch.hpp>

#include "model/building/trace_builder.h"
#include "tests/unit/stats/table_text.h"

using namespace xsp;
using test::ReportRows;
using test::ReportText;

namespace {

struct Migration {
  CopyKind kind;
  std::uint64_t address;
  std::uint64_t bytes;
  DurationNs time;
};

Events At(TimeNs begin, DurationNs length, TrackId track) {
  Events events;
  events.begin = {begin};
  events.end = {begin + length};
  events.track = {track};
  events.name = {StringId()};
  events.correlation = {0};
  return events;
}

// The migrations, one after the other, and if wanted two faults of the GPU and one of the CPU at
// 0x1000.
Trace MakeMigrations(const std::vector<Migration>& migrations, bool faults_too = true) {
  TraceBuilder builder;
  const ProcessId process = builder.InternProcess(1u << 24, 1);
  const TrackId track =
      builder.InternTrack({.kind = TrackKind::kMigration, .process = process, .device = 0});
  std::uint64_t order = 0;
  for (const Migration& m : migrations) {
    Copies copies;
    copies.bytes = {m.bytes};
    copies.copy_kind = {m.kind};
    copies.source_kind = copies.target_kind = {MemoryKind::kUnknown};
    copies.source_device = copies.target_device = {kMissing<std::uint32_t>};
    copies.count = {1};
    copies.migration_cause = {2};
    copies.address = {m.address};
    copies.graph_node = {kMissing<std::uint64_t>};
    builder.Add(EventKind::kMigration, order, "t", At(order * 1000, m.time, track),
                std::move(copies));
    ++order;
  }
  for (std::uint8_t on_gpu : {0, 1}) {
    if (!faults_too) break;
    PageFaults faults;
    faults.on_gpu = {on_gpu};
    faults.address = {0x1000};
    faults.count = {on_gpu + 1u};
    faults.access = {1};
    builder.Add(EventKind::kPageFault, order++, "t", At(5, 0, track), std::move(faults));
  }
  return std::move(builder).Build();
}

}  // namespace

TEST_CASE("unified memory is summed up by address, the most migrated first") {
  const Trace trace = MakeMigrations({{CopyKind::kUnifiedHtoD, 0x1000, 4096, 100},
                                      {CopyKind::kUnifiedDtoH, 0x1000, 4096, 100},
                                      {CopyKind::kUnifiedHtoD, 0xAB000, 65536, 0}});
  CHECK(ReportText(trace, "um_sum") == R"(
Virtual Address | HtoD Migration Size (MB) | DtoH Migration Size (MB) | CPU Page Faults | GPU PageFaults | Migration Throughput (MB/s)
0xAB000 | 0.066 | 0.000 | 0 | 0 | -
0x1000 | 0.004 | 0.004 | 1 | 2 | 40960.000
)");
  CHECK(ReportRows(trace, "um_sum:rows=1") == R"(
0xAB000 | 0.066 | 0.000 | 0 | 0 | -
)");
  CHECK(ReportText(trace, "um_total_sum") == R"(
Total HtoD Migration Size (MB) | Total DtoH Migration Size (MB) | Total CPU Page Faults | Total GPU PageFaults | Minimum Virtual Address | Maximum Virtual Address
0.070 | 0.004 | 1 | 2 | 0x1000 | 0xAB000
)");
}

TEST_CASE("the totals of unified memory are empty where nothing happened") {
  const Trace trace =
      MakeMigrations({{CopyKind::kUnifiedHtoD, 0x1000, 4096, 100}}, /*faults_too=*/false);
  CHECK(ReportRows(trace, "um_total_sum") == R"(
0.004 | - | - | - | 0x1000 | 0x1000
)");
}
