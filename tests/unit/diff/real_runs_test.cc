#include <algorithm>
#include <catch2/catch.hpp>
#include <utility>
#include <vector>

#include "diff/comparison.h"
#include "diff/runs/measure.h"
#include "graph/builder.h"
#include "hierarchy/hierarchy.h"
#include "importers/importer.h"
#include "tests/support/real_traces.h"

namespace xsp {
namespace {

// Each step takes 5 % longer: where steps are steady, a limit of 3 % fails.
bool FindsGrowth(const Side& before, std::vector<Run> grown) {
  constexpr double kSteady = 0.015;
  for (DurationNs& ns : grown.front().unit_ns) ns += ns / 20;
  const Side after(std::move(grown));
  CompareOptions options;
  options.gates = {ParseGate("step > 3%")};
  const Comparison c = Compare(before, after, options);
  const GateResult& gate = c.gates.front();
  if (gate.state == GateState::kHolds) CHECK(*gate.value <= gate.gate.limit);
  if (c.unit.base_noise.value_or(1) > kSteady || c.unit.now_noise.value_or(1) > kSteady) {
    return false;
  }
  CHECK(gate.state == GateState::kFails);
  return true;
}

// Every other counted step of a run against those between: the same program, twice, on a real
// machine. Whether it was steady enough to find growth in it.
bool CompareInterleaved(const Trace& trace, const std::string& name) {
  const Hierarchy hierarchy(trace);
  const std::vector<std::uint32_t> counted = hierarchy.steps().Counted();
  MeasureOptions odd, even;
  for (std::size_t i = 0; i < counted.size(); ++i) {
    (i % 2 == 0 ? even : odd).steps.steps.push_back(counted[i]);
  }
  const bool has_enough =
      odd.steps.steps.size() >= kSamplesForInterval && !trace.DeviceWork().empty();
  if (!has_enough) return false;
  const TaskGraph graph = BuildGraph(trace, hierarchy);
  const std::vector<Run> base = {MeasureRun(graph, hierarchy, "even", even)};
  const std::vector<Run> now = {MeasureRun(graph, hierarchy, "odd", odd)};
  const Side before(base), after(now);
  CompareOptions options;
  options.gates = {ParseGate("step > 3%"), ParseGate("device > 5%"), ParseGate("kernel:* > 10%")};
  const Comparison c = Compare(before, after, options);
  INFO(name);
  CHECK(c.verdict != Verdict::kRegression);
  for (const GateResult& gate : c.gates) {
    INFO(gate.gate.text << " in " << gate.where);
    CHECK(gate.state != GateState::kFails);
    if (gate.state == GateState::kHolds) CHECK(*gate.value <= gate.gate.limit);
  }
  return FindsGrowth(before, now);
}

TEST_CASE("no limit fails between steps of the same real run", "[diff][real]") {
  const auto folder = test::RealTracesOrSkip();
  if (!folder) return;
  int found = 0;
  for (const char* extension : {".sqlite", ".gz"}) {
    for (const auto& file :
         test::FilesBelow(*folder / (extension[1] == 's' ? "nsys" : "kineto"), extension)) {
      found += CompareInterleaved(ImportFile(file), file.filename().string());
    }
  }
  CHECK(found > 0);
}

}  // namespace
}  // namespace xsp
