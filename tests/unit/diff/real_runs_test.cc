#include <catch2/catch.hpp>

#include "diff/comparison.h"
#include "diff/runs/measure.h"
#include "graph/builder.h"
#include "hierarchy/hierarchy.h"
#include "importers/importer.h"
#include "tests/support/real_traces.h"

namespace xsp {
namespace {

// Every other counted step of a run against those between: the same program, twice, on a real
// machine.
void CompareInterleaved(const Trace& trace, const std::string& name) {
  const Hierarchy hierarchy(trace);
  const std::vector<std::uint32_t> counted = hierarchy.steps().Counted();
  MeasureOptions odd, even;
  for (std::size_t i = 0; i < counted.size(); ++i) {
    (i % 2 == 0 ? even : odd).steps.steps.push_back(counted[i]);
  }
  const bool has_enough =
      odd.steps.steps.size() >= kSamplesForInterval && !trace.DeviceWork().empty();
  if (!has_enough) return;
  const TaskGraph graph = BuildGraph(trace, hierarchy);
  std::vector<Run> base, now;
  base.push_back(MeasureRun(graph, hierarchy, "even", even));
  now.push_back(MeasureRun(graph, hierarchy, "odd", odd));
  const Side before(std::move(base)), after(std::move(now));
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
}

TEST_CASE("no limit fails between steps of the same real run", "[diff][real]") {
  const auto folder = test::RealTracesOrSkip();
  if (!folder) return;
  for (const char* extension : {".sqlite", ".gz"}) {
    for (const auto& file :
         test::FilesBelow(*folder / (extension[1] == 's' ? "nsys" : "kineto"), extension)) {
      CompareInterleaved(ImportFile(file), file.filename().string());
    }
  }
}

}  // namespace
}  // namespace xsp
