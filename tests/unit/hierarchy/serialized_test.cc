#include <catch2/catch.hpp>

#include "hierarchy/totals/path_totals.h"
#include "tests/unit/hierarchy/tree_text.h"

using namespace xsp;
using xsp::test::MakeTrace;
using xsp::test::Plain;
using xsp::test::TextOf;

TEST_CASE("a serialized run tells where work of parallel threads belongs") {
  // The worker's launches come when the main thread has moved on...
  const Trace trace = MakeTrace(R"(
      T1  0-10  push "block a"
      T1 10-30  push "block b"
      T5 12-13  api cudaLaunchKernel #1
      T5 22-23  api cudaLaunchKernel #2
      S7 15-16  kernel left #1
      S7 25-27  kernel right #2
    )");
  // ...which it cannot do in a run where launches block.
  const Trace blocking = MakeTrace(R"(
      T1  0-10  push "block a"
      T5  2-6   api cudaLaunchKernel #1
      S7  3-5   kernel left #1
      T1 10-30  push "block b"
      T5 12-18  api cudaLaunchKernel #2
      S7 13-17  kernel right #2
    )");
  const Hierarchy serialized(blocking);
  const Hierarchy hierarchy(trace, KernelRules::BuiltIn(), &serialized);
  CHECK(hierarchy.settled().ambiguous == 2);
  CHECK(hierarchy.settled().settled == 2);
  CHECK(TextOf(PathTotals(hierarchy, {.steps = {}, .with_calls = false})) == Plain(R"(
      trace trace 3
        phase block a 1 [range]
          device left 1 [range]
        phase block b 2 [range]
          device right 2 [range]
    )"));
}

TEST_CASE("a serialized run with other launches settles nothing") {
  const Trace trace = MakeTrace(R"(
      T1  0-10  push "block a"
      T5  2-3   api cudaLaunchKernel #1
      S7 15-16  kernel k #1
    )");
  const Trace other = MakeTrace(R"(
      T1  0-10  push "block a"
      T1  2-3   api cudaLaunchKernel #1
      T1  4-5   api cudaLaunchKernel #2
      S7  3-4   kernel k #1
      S7  5-6   kernel k #2
    )");
  const Hierarchy serialized(other);
  const Hierarchy hierarchy(trace, KernelRules::BuiltIn(), &serialized);
  CHECK(hierarchy.settled().ambiguous == 1);
  CHECK(hierarchy.settled().settled == 0);
}
