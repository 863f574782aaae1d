#include <catch2/catch.hpp>
#include <string>

#include "hierarchy/steps/step_period.h"
#include "hierarchy/steps/steps.h"
#include "tests/support/timeline.h"
#include "tests/unit/hierarchy/tree_text.h"

using namespace xsp;
using xsp::test::MakeTrace;
using xsp::test::Plain;
using xsp::test::TreeOf;

TEST_CASE("a step holds what is launched in it, a range around steps does not") {
  CHECK(TreeOf(R"(
      T1   0-60  push run
      T1   1-2   api cudaLaunchKernel #9
      T1  10-30  push "step 1"
      T1  12-20  push forward
      T1  13-14  api cudaLaunchKernel #1
      T1  30-50  push "step 2"
      T1  32-40  push forward
      T1  33-34  api cudaLaunchKernel #2
      T1  45-46  api cudaLaunchKernel #3
      S7   3-5   kernel init #9
      S7  15-18  kernel f #1
      S7  35-39  kernel f #2
      S7  47-48  kernel loose #3
    )") == Plain(R"(
      trace trace 10
        step [outside steps] 2
          phase run 2 [range]
            device init 2 [range]
        step step 1 3 [range]
          phase forward 3 [range]
            device f 3 [range]
        step step 2 5 [range]
          phase forward 4 [range]
            device f 4 [range]
          phase [unattributed] 1
            device loose 1
    )"));
}

TEST_CASE("work that was launched before the recording began is in no step") {
  CHECK(TreeOf(R"(
      T1  10-30  push "step 1"
      T1  13-14  api cudaLaunchKernel #1
      T1  30-50  push "step 2"
      T1  33-34  api cudaLaunchKernel #2
      S7  12-14  kernel left_over #77
      S7  15-18  kernel f #1
      S7  19-20  kernel nameless #78
      S7  35-39  kernel f #2
    )") == Plain(R"(
      trace trace 10
        step [outside steps] 2
          phase [unattributed] 2
            device left_over 2
        step step 1 4 [range]
          phase [unattributed] 4
            device f 3
            device nameless 1
        step step 2 4 [range]
          phase [unattributed] 4
            device f 4
    )"));
}

TEST_CASE("the mean over steps sums the same paths up and keeps the spread") {
  const Trace trace = MakeTrace(R"(
      T1  10-30  push "step 1"
      T1  13-14  api cudaLaunchKernel #1
      T1  30-50  push "step 2"
      T1  33-34  api cudaLaunchKernel #2
      S7  15-18  kernel f #1
      S7  35-42  kernel f #2
    )");
  const Hierarchy hierarchy(trace);
  const PathTotals tree(hierarchy,
                        {.steps = std::vector<std::uint32_t>{0, 1}, .with_calls = false});
  CHECK(tree.divisor() == 2);
  CHECK(tree.nodes()[1].total.device_sum == 10);
  CHECK(tree.PerStep(PathId(1u), &PathSample::device_sum) == std::vector<DurationNs>{3, 7});
  CHECK(tree.nodes()[1].Wall() == 40);
}

TEST_CASE("a period is the smallest distance at which steps hold the same") {
  CHECK(PeriodOf({7, 7, 7, 7}) == 1);
  CHECK(PeriodOf({7, 8, 7, 8, 7, 8}) == 2);
  CHECK(PeriodOf({7, 7, 7, 9, 7, 7, 7, 9, 7, 7, 7, 9}) == 4);
  CHECK(PeriodOf({1, 2, 3, 4, 5, 6, 7, 8}) == 0);
  CHECK(PeriodOf({1, 2, 3}) == 0);
  std::vector<std::uint64_t> every_16th(48, 5), one_odd(30, 5);
  for (std::size_t i = 15; i < every_16th.size(); i += 16) every_16th[i] = 6;
  CHECK(PeriodOf(every_16th) == 16);
  one_odd[12] = 6;
  CHECK(PeriodOf(one_odd) == 1);
}

TEST_CASE("copies count for the period, unless they come and go without a rule") {
  // Kernels alternate; the odd copy does not follow.
  auto text = [](const std::vector<int>& copies) {
    std::string result;
    int id = 0;
    for (int i = 0; i < 12; ++i) {
      const int at = 100 * i;
      auto add = [&](const std::string& call, const std::string& work, int offset) {
        const std::string number = " #" + std::to_string(++id);
        result += "T1 " + std::to_string(at + offset) + "-" + std::to_string(at + offset + 2) +
                  " api " + call + number + "\nS7 " + std::to_string(at + offset + 3) + "-" +
                  std::to_string(at + offset + 5) + " " + work + number + "\n";
      };
      result += "T1 " + std::to_string(at) + "-" + std::to_string(at + 90) + " push \"step " +
                std::to_string(i) + "\"\n";
      add("cudaLaunchKernel", "kernel f", 10);
      for (int k = 0; k < copies[static_cast<std::size_t>(i) % copies.size()]; ++k) {
        add("cudaMemcpyAsync", "memcpy DtoH bytes=8 src=device dst=pinned", 20 + 10 * k);
      }
    }
    return result;
  };
  CHECK(FindSteps(MakeTrace(text({0, 1}))).period == 2);
  CHECK(FindSteps(MakeTrace(text({0, 0, 0, 1}))).period == 4);
  CHECK(FindSteps(MakeTrace(text({0, 1, 3, 0, 2, 5, 1, 4, 2, 0, 5, 3}))).period == 1);
}
