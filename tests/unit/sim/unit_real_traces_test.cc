#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "graph/builder.h"
#include "graph/readings/path_analysis.h"
#include "graph/unit/unit_bench.h"
#include "importers/importer.h"
#include "sim/diagnosis/leverage.h"
#include "tests/support/real_traces.h"

namespace xsp {
namespace {

constexpr std::size_t kGroups = 12;  // Of each level.

// What a forecast may be above a bound: replay is not exact.
DurationNs Lenient(DurationNs bound) { return bound + bound / 50 + 1'000; }

// How long the busiest device was at work in one unit, by what its operations cost themselves:
// however fast the host becomes, a unit cannot be shorter, unless operations of several streams
// come to run beside each other.
DurationNs BusyTime(const UnitBench& bench, const PerTask<DurationNs>& own) {
  const TaskGraph& graph = bench.graph();
  std::vector<std::vector<TimeRange>> work(graph.devices.size());
  for (TaskId op : graph.ops()) {
    if (!bench.IsInUnit(op)) continue;
    work[graph.DeviceOf(op)].push_back({graph.measured_end[op] - own[op], graph.measured_end[op]});
  }
  DurationNs most = 0;
  for (std::vector<TimeRange>& ranges : work) {
    std::sort(ranges.begin(), ranges.end(),
              [](const TimeRange& a, const TimeRange& b) { return a.begin < b.begin; });
    DurationNs busy = 0;
    TimeNs until = kAllTime.begin;
    for (const TimeRange& range : ranges) {
      busy += std::max<DurationNs>(0, range.end - std::max(range.begin, until));
      until = std::max(until, range.end);
    }
    most = std::max(most, busy);
  }
  return bench.unit().MeanOfRun(most);
}

// The same for the busiest stream: what is left of a path must hold that, whatever comes to run
// beside it. (Work that was seen to overlap on its stream does not count.)
DurationNs StreamTime(const UnitBench& bench, const PerTask<DurationNs>& own) {
  const TaskGraph& graph = bench.graph();
  std::vector<DurationNs> sums(graph.streams.size());
  for (TaskId op : graph.ops()) {
    const bool overlaps = (graph.flags[op] & (kOverlaps | kNode)) != 0;
    if (bench.IsInUnit(op) && !overlaps) sums[graph.lane[op]] += own[op];
  }
  return sums.empty() ? 0 : bench.unit().MeanOfRun(*std::max_element(sums.begin(), sums.end()));
}

// Each trace with its graph and its unit.
struct RealCase {
  explicit RealCase(const std::filesystem::path& file)
      : trace(ImportFile(file)),
        hierarchy(trace),
        graph(BuildGraph(trace, hierarchy)),
        steps(hierarchy.steps()),
        unit(ChooseUnit(graph, steps)) {}

  Trace trace;
  Hierarchy hierarchy;
  TaskGraph graph;
  const Steps& steps;
  Unit unit;
};

template <class Check>
void ForEachRealTrace(Check check) {
  const auto folder = test::RealTracesOrSkip();
  if (!folder) return;
  int count = 0;
  for (const char* part : {"nsys", "nsys_hard"}) {
    for (const auto& file : test::FilesBelow(*folder / part, ".sqlite")) {
      const RealCase c(file);
      if (c.graph.op_count() == 0) continue;
      INFO(file.filename().string());
      check(c);
      ++count;
    }
  }
  CHECK(count >= 30);
}

TEST_CASE("in real traces no group gains more than its own time") {
  ForEachRealTrace([](const RealCase& c) {
    const std::vector<TaskGroup> groups = LeverageGroups(c.graph, kGroups);
    const LeverageReport report = MeasureLeverage(c.graph, c.steps, c.unit, groups);
    for (const Leverage& item : report.items) {
      CAPTURE(groups[item.group].level, groups[item.group].name);
      CHECK(item.gain_free <= Lenient(item.device + item.host));
      CHECK(item.gain_50 <= Lenient((item.device + item.host) / 2));
      CHECK(item.gain_10 <= Lenient((item.device + item.host) / 10));
    }
  });
}

TEST_CASE("in real traces host time gains no more than the time in which the device was idle") {
  ForEachRealTrace([](const RealCase& c) {
    const UnitBench bench(c.graph, c.steps, c.unit);
    Overlay free;
    free.own = bench.graph().own;
    std::fill_n(free.own.begin(), bench.graph().host_count(), 0);
    free.gap.assign(bench.graph().host_count(), 0);
    CHECK(Lenient(bench.Length(free)) >= BusyTime(bench, bench.graph().own));
  });
}

TEST_CASE("in real traces the next path holds the device's work that is left") {
  ForEachRealTrace([](const RealCase& c) {
    const TaskPlaces places(c.graph);
    const PathAnalysis path = AnalyzePath(c.graph, places, c.steps, c.unit);
    if (!path.next) return;
    const Overlay without = WithoutPart(c.graph, places, path.next->without);
    const UnitBench bench(c.graph, c.steps, c.unit);
    PerTask<DurationNs> own(bench.graph().task_count());
    for (TaskId whole : c.graph.tasks()) {
      const TaskId place = bench.Place(whole);
      if (place.valid()) own[place] = (without.own.empty() ? c.graph.own : without.own)[whole];
    }
    CHECK(Lenient(path.next->total) >= StreamTime(bench, own));
  });
}

// A slice begins on an idle device, the whole run does not: both must come to the same step.
TEST_CASE("in real traces a unit takes as long in a slice as in the whole run") {
  ForEachRealTrace([](const RealCase& c) {
    if (!c.unit.is_step) return;
    const UnitBench bench(c.graph, c.steps, c.unit);
    const DurationNs whole = LengthOf(c.unit, SpansOf(c.graph, Simulate(c.graph), c.steps, c.unit));
    CHECK(static_cast<double>(bench.Length()) == Approx(static_cast<double>(whole)).epsilon(0.01));
  });
}

}  // namespace
}  // namespace xsp
