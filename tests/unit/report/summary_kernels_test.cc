#include "report/summary/summary_kernels.h"

#include <catch2/catch.hpp>

#include "tests/support/timeline.h"

namespace xsp {
namespace {

TEST_CASE("a kernel of every other step has the mean of its instances") {
  const Trace trace = test::MakeTrace(R"(
    S7    0-100   kernel always
    S7  100-700   kernel sometimes
    S7 1000-1100  kernel always
    S7 2000-2100  kernel always
    S7 2100-2702  kernel sometimes
    S7 3000-3100  kernel always)");
  const Hierarchy hierarchy(trace);
  Unit unit;
  unit.is_step = true;
  unit.steps.counted = {0, 1, 2, 3};
  const std::vector<SummaryKernel> rows =
      GroupKernels(hierarchy, WorkIn(trace, {{0, 4000}}, nullptr), NameForm::kShort, unit);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].name == "always");
  CHECK(rows[0].mean_ns == 100);
  CHECK(rows[1].name == "sometimes");
  CHECK(rows[1].count == 1);  // Half of one, rounded.
  CHECK(rows[1].total_ns == 300);
  CHECK(rows[1].mean_ns == 601);
}

}  // namespace
}  // namespace xsp
