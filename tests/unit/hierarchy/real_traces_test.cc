#include "tests/support/real_traces.h"

#include <catch2/catch.hpp>

#include "hierarchy/totals/path_totals.h"
#include "importers/importer.h"
#include "tests/unit/hierarchy/path_totals_check.h"

using namespace xsp;

namespace {

std::vector<std::filesystem::path> RealTraces() {
  const auto folder = test::RealTracesOrSkip();
  if (!folder) return {};
  return test::FilesBelow(*folder / "nsys", ".sqlite");
}

}  // namespace

TEST_CASE("in every real trace the tree adds up, whole and as a mean over steps") {
  for (const auto& file : RealTraces()) {
    CAPTURE(file.filename().string());
    const Trace trace = ImportFile(file);
    const Hierarchy hierarchy(trace);
    CHECK(FaultsOf(PathTotals(hierarchy, {})) == std::vector<std::string>{});
    if (hierarchy.steps().size() == 0) continue;
    const std::vector<std::uint32_t> counted = hierarchy.steps().Counted();
    const PathTotals mean(hierarchy, {.steps = counted, .with_calls = false});
    CHECK(FaultsOf(mean) == std::vector<std::string>{});
  }
}

TEST_CASE("in every real trace steps tile the time without overlap") {
  for (const auto& file : RealTraces()) {
    CAPTURE(file.filename().string());
    const Trace trace = ImportFile(file);
    const Steps steps = FindSteps(trace);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      CHECK(steps.steps[i].time.begin < steps.steps[i].time.end);
      if (i > 0) CHECK(steps.steps[i - 1].time.end <= steps.steps[i].time.begin);
    }
  }
}
