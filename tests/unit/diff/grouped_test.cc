#include "diff/matching/grouped.h"

#include <catch2/catch.hpp>

#include "diff/matching/grouped_changes.h"
#include "tests/unit/diff/run_of.h"

namespace xsp {
namespace {

using test::RunOf;

struct Grouped {
  Side base;
  Side now;
  Comparison c;
  std::vector<ContributionGroup> groups;

  Grouped(std::string_view base_text, std::string_view now_text)
      : base({RunOf(base_text)}),
        now({RunOf(now_text)}),
        c(Compare(base, now, {})),
        groups(GroupContributions(c)) {}

  // "where | what | kind | delta", a line each.
  std::string Text() const {
    std::string text;
    for (const ContributionGroup& group : groups) {
      text += group.where + " | " + group.what + " | " + std::string(NameOf(group.kind)) + " | " +
              std::to_string(group.delta) + "\n";
    }
    return text;
  }
};

TEST_CASE("layers that change alike are one row, with their numbers", "[diff]") {
  const Grouped g(
      "steps 100 100 100\nkernel f/layer 0/a = 10 class=gemm\nkernel f/layer 1/a = 10 class=gemm\n"
      "kernel f/layer 10/a = 10 class=gemm",
      "steps 106 106 106\nkernel f/layer 0/a = 12 class=gemm\nkernel f/layer 1/a = 12 class=gemm\n"
      "kernel f/layer 10/a = 12 class=gemm");
  CHECK(g.Text() == "f/layer 0–10 | gemm | device | 6\n");
}

TEST_CASE("a layer that is most of the change stays alone", "[diff]") {
  const Grouped g(
      "steps 100 100 100\nkernel f/layer 0/a = 10 class=gemm\nkernel f/layer 1/a = 10 class=gemm\n"
      "kernel f/layer 2/a = 10 class=gemm",
      "steps 112 112 112\nkernel f/layer 0/a = 11 class=gemm\nkernel f/layer 1/a = 20 class=gemm\n"
      "kernel f/layer 2/a = 11 class=gemm");
  CHECK(g.Text() == "f/layer 1 | gemm | device | 10\nf/layer 0–2 | gemm | device | 2\n");
}

TEST_CASE("operations count with their layer", "[diff]") {
  const Grouped g(
      "steps 100 100 100\nkernel f/l/op x/k1 = 10 class=gemm\nkernel f/l/op y/k2 = 10 class=gemm",
      "steps 105 105 105\nkernel f/l/op x/k1 = 12 class=gemm\nkernel f/l/op y/k2 = 13 class=gemm");
  CHECK(g.Text() == "f/l | gemm | device | 5\n");
}

TEST_CASE("facts of a group say what changed in it", "[diff]") {
  const Grouped g(
      "steps 100 100 100\nkernel f/l/sgemm_64x64 = 10 x4 class=gemm precision=fp32 grid=4\n"
      "call f/l/cudaLaunchKernel = 8 x4 kind=launch\ncall f/l/cudaStreamSynchronize = 1 kind=sync",
      "steps 150 150 150\nkernel f/l/hgemm_32x32 = 5 x2 class=gemm precision=fp16 grid=8\n"
      "kernel f/l/cast = 3 class=cast\n"
      "call f/l/cudaLaunchKernel = 6 x3 kind=launch\n"
      "call f/l/cudaStreamSynchronize = 9 x33 kind=sync");
  REQUIRE(g.groups.size() == 4);
  const GroupFacts sync = FactsOf(g.c, g.groups[0]);
  CHECK(sync.call == "cudaStreamSynchronize");
  CHECK(sync.call_change == 32);
  const GroupFacts gemm = FactsOf(g.c, g.groups[1]);
  CHECK(gemm.renamed == 1);
  CHECK(gemm.base_count == 4);
  CHECK(gemm.now_count == 2);
  CHECK(gemm.base_device == 10);
  CHECK(g.c.Place(gemm.largest).name == "sgemm_64x64");
  const GroupFacts cast = FactsOf(g.c, g.groups[2]);
  CHECK(cast.added == 1);
  const GroupFacts launch = FactsOf(g.c, g.groups[3]);
  CHECK(launch.base_count == 4);
  CHECK(launch.now_count == 3);
}

TEST_CASE("what came and went is told once, at its top", "[diff]") {
  const Grouped g(
      "span 100\nkernel f/level 0/op/a = 10\nkernel f/level 1/op/a = 10\nkernel f/level 17/op/b = "
      "5\n"
      "kernel f/step#x/k = 5 x2",
      "span 60\nkernel f/step#x/k = 5 x3\nkernel f/all/new = 30 x4");
  std::string text;
  for (const ChangeGroup& group : GroupChanges(g.c)) {
    text += std::string(NameOf(group.change.kind)) + " | " + group.where + " | " +
            std::to_string(group.members.size()) + " | " + std::to_string(group.below) + " | " +
            std::to_string(static_cast<int>(group.base_device)) + " → " +
            std::to_string(static_cast<int>(group.now_device)) + "\n";
  }
  CHECK(text ==
        "added | f/all | 1 | 1 | 0 → 30\n"
        "removed | f/level 0–17 | 3 | 6 | 25 → 0\n"
        "changed_count |  | 1 | 0 | 5 → 5\n");
}

}  // namespace
}  // namespace xsp
