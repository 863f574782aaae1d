#include <catch2/catch.hpp>

#include "tests/unit/hierarchy/tree_text.h"

using xsp::test::Plain;
using xsp::test::TreeOf;

TEST_CASE("replayed graph nodes go to the ranges of their capture, below the replay") {
  CHECK(TreeOf(R"(
      T1   0-20  push capture
      T1   1-9   push "block 0"
      T1   2-8   push "aten::mm"
      T1   3-4   api cudaLaunchKernel #1
      T1   3     node 5
      T1  15     node 50 from=5
      T1  60-99  push forward
      T1  61-62  api cudaGraphLaunch #2
      S7  70-76  kernel k #2 node=50
      S7  76-79  kernel unknown #2 node=77
    )") == Plain(R"(
      trace trace 9
        phase forward 9 [range]
          layer block 0 6 [capture]
            op aten::mm 6 [capture]
              device k 6 [capture]
          device unknown 3 [range]
        phase capture 0 [range]
          layer block 0 0 [range]
            op aten::mm 0 [range]
    )"));
}

TEST_CASE("a graph traced as one piece is busy, but has no sum") {
  const xsp::Trace trace = xsp::test::MakeTrace(R"(
      T1  60-99  push forward
      T1  61-62  api cudaGraphLaunch #2
      S7  70-76  graph #2
    )");
  const xsp::Hierarchy hierarchy(trace);
  const xsp::PathTotals tree(hierarchy, {});
  CHECK(tree.root().total.device_busy == 6);
  CHECK(tree.root().total.device_sum == 0);
  CHECK(tree.root().total.launches == 1);
}
