#include "diff/matching/match.h"

#include <catch2/catch.hpp>

#include "tests/unit/diff/run_of.h"

namespace xsp {
namespace {

using test::RunOf;

const char* WordFor(MatchKind how) {
  switch (how) {
    case MatchKind::kExact:
      return "=";
    case MatchKind::kRenamed:
      return "renamed";
    case MatchKind::kReplaced:
      return "replaced";
    case MatchKind::kMoved:
      return "moved";
    case MatchKind::kAdded:
      return "added";
    case MatchKind::kRemoved:
      return "removed";
  }
  return "";
}

// Everything that was not found where it was, a line each: "renamed a/x -> a/y".
std::string Differences(std::string_view base_text, std::string_view now_text) {
  const Side base({RunOf(base_text)});
  const Side now({RunOf(now_text)});
  const Matching matching = MatchSides(base, now);
  CHECK(matching.pairs.size() ==
        base.places().size() + static_cast<std::size_t>(std::count_if(
                                   matching.pairs.begin(), matching.pairs.end(),
                                   [](const PlacePair& p) { return p.how == MatchKind::kAdded; })));
  std::string text;
  for (const PlacePair& pair : matching.pairs) {
    if (pair.how == MatchKind::kExact) continue;
    text += WordFor(pair.how);
    if (pair.base != RunPlace::kNone) text += " " + base.Path(pair.base);
    if (pair.IsMatch()) text += " ->";
    if (pair.now != RunPlace::kNone) text += " " + now.Path(pair.now);
    text += "\n";
  }
  return text;
}

TEST_CASE("what has the same path belongs together", "[diff]") {
  CHECK(Differences("steps 10\nkernel a/l/k = 5\ncall a/cudaFree = 1",
                    "steps 12\nkernel a/l/k = 7\ncall a/cudaFree = 1") == "");
}

TEST_CASE("a kernel of another tile size, precision or build is renamed", "[diff]") {
  CHECK(Differences("steps 10\nkernel a/l/ampere_sgemm_128x64_tn = 5\nkernel a/l/other = 1",
                    "steps 10\nkernel a/l/ampere_sgemm_32x128_tn = 5\nkernel a/l/other = 1") ==
        "renamed a/l/ampere_sgemm_128x64_tn -> a/l/ampere_sgemm_32x128_tn\n");
  CHECK(Differences("steps 10\nkernel a/l/ampere_sgemm_128x64_tn = 5",
                    "steps 10\nkernel a/l/ampere_fp16_s16816gemm_fp16_128x64_tn = 5") ==
        "renamed a/l/ampere_sgemm_128x64_tn -> a/l/ampere_fp16_s16816gemm_fp16_128x64_tn\n");
  CHECK(Differences("steps 10\nkernel a/l/_Z6vecAddPdS_S_i = 5",
                    "steps 10\nkernel a/l/vecAdd(double*, double*, double*, int) = 5") ==
        "renamed a/l/_Z6vecAddPdS_S_i -> a/l/vecAdd(double*, double*, double*, int)\n");
}

TEST_CASE("a kernel of the same class in the same place is its replacement", "[diff]") {
  CHECK(Differences("steps 10\nkernel a/l/cutlass_gemm = 5 class=gemm\nkernel a/l/relu = 1",
                    "steps 10\nkernel a/l/nvjet_hsh = 3 class=gemm\nkernel a/l/relu = 1") ==
        "replaced a/l/cutlass_gemm -> a/l/nvjet_hsh\n");
  // Of no known class: the only one of its place that is left.
  CHECK(Differences("steps 10\nkernel a/l/old_one = 5", "steps 10\nkernel a/l/new_thing = 3") ==
        "replaced a/l/old_one -> a/l/new_thing\n");
}

TEST_CASE("what has no counterpart is added or removed, never lost", "[diff]") {
  CHECK(Differences("steps 10\nkernel a/l/x = 5\nkernel a/l/y = 2",
                    "steps 10\nkernel a/l/x = 5\nkernel a/l/y = 2\nkernel a/l/cast = 3") ==
        "added a/l/cast\n");
  CHECK(Differences("steps 10\nkernel a/l/x = 5\ncopy a/[CUDA memcpy HtoD] = 2",
                    "steps 10\nkernel a/l/x = 5") == "removed a/[CUDA memcpy HtoD]\n");
}

TEST_CASE("what went elsewhere under its name has moved", "[diff]") {
  CHECK(Differences("steps 10\nkernel a/l/x = 5\nkernel a/m/y = 2",
                    "steps 10\nkernel a/l/x = 5\nkernel a/l/y = 2") ==
        "removed a/m\nmoved a/m/y -> a/l/y\n");
  // A whole range goes with what is in it.
  CHECK(Differences("steps 10\nkernel a/l/x = 5\nkernel a/m/y = 2\nkernel b/k/z = 1",
                    "steps 10\nkernel a/l/x = 5\nkernel b/m/y = 2\nkernel b/k/z = 1") ==
        "moved a/m -> b/m\n");
}

TEST_CASE("ranges are found by spelling and by what is in them", "[diff]") {
  CHECK(Differences("steps 10\nkernel fwd/Layer_0/x = 5", "steps 10\nkernel fwd/layer 0/x = 5") ==
        "renamed fwd/Layer_0 -> fwd/layer 0\n");
  CHECK(Differences("steps 10\nkernel fwd/attention/gemm_x = 5\nkernel fwd/attention/softmax_y = 5",
                    "steps 10\nkernel fwd/mha/gemm_x = 5\nkernel fwd/mha/softmax_y = 5") ==
        "renamed fwd/attention -> fwd/mha\n");
  // Nothing in common: nobody would call that the same.
  CHECK(
      Differences("steps 10\nkernel fwd/attention/gemm_x = 5",
                  "steps 10\nkernel fwd/mha/sort_y = 5") ==
      "removed fwd/attention\nremoved fwd/attention/gemm_x\nadded fwd/mha\nadded fwd/mha/sort_y\n");
}

TEST_CASE("numbered ranges match by number first", "[diff]") {
  CHECK(Differences("steps 10\nkernel f/layer 0/x = 5\nkernel f/layer 1/x = 5",
                    "steps 10\nkernel f/layer 1/x = 5\nkernel f/layer 0/x = 5\n"
                    "kernel f/layer 2/x = 5") == "added f/layer 2\nadded f/layer 2/x\n");
}

TEST_CASE("runs of a side are one side", "[diff]") {
  const Side side({RunOf("steps 10 12\nkernel a/l/x = 5 7\nkernel a/l/only = 1"),
                   RunOf("steps 20\nkernel a/m/y = 3\nkernel a/l/x = 9")});
  REQUIRE(side.places().size() == 7);
  CHECK(side.step_count() == 3);
  const auto x = static_cast<std::uint32_t>(3);
  CHECK(side.Path(x) == "a/l/x");
  CHECK(side.DeviceTime(x).runs == std::vector<std::vector<double>>{{5, 7}, {9}});
  CHECK(side.MeanDeviceTime(x) == 7);
  CHECK(side.DeviceTime(4).runs == std::vector<std::vector<double>>{{1, 1}, {0}});
  CHECK(side.PathTime(x, CostKind::kDevice).runs == std::vector<std::vector<double>>{{5, 7}, {9}});
  CHECK(side.DeviceTime(0).runs == std::vector<std::vector<double>>{{6, 8}, {12}});
}

}  // namespace
}  // namespace xsp
