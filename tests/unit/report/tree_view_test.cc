#include "report/tree/tree_view.h"

#include <catch2/catch.hpp>
#include <string>

#include "report/tree/level_words.h"
#include "report/tree/tree_explain.h"
#include "report/tree/tree_report.h"
#include "tests/support/timeline.h"

namespace xsp {
namespace {

// The rows of a whole trace's tree, "<depth> <name> <device sum> <wall>" a line.
std::string ViewOf(std::string_view timeline, TreeViewOptions options) {
  const Trace trace = test::MakeTrace(timeline);
  const Hierarchy hierarchy(trace);
  const PathTotals tree(hierarchy, {.with_calls = false});
  std::string text;
  for (const TreeRow& row : ViewTree(tree, options)) {
    std::vector<std::string> names;
    for (PathId node : row.folded) names.emplace_back(tree.Name(node));
    text += std::to_string(row.depth) + " " + (row.IsOther() ? "[other]" : FoldedName(names)) +
            " " + std::to_string(row.device_sum) + " " +
            (row.wall ? std::to_string(*row.wall) : "-") + "\n";
  }
  return text;
}

std::string TableOf(std::string_view timeline) {
  const Trace trace = test::MakeTrace(timeline);
  const Hierarchy hierarchy(trace);
  const PathTotals tree(hierarchy, {.with_calls = false});
  return WriteReport(MakeTreeReport(tree, {}, NameForm::kShort, {}, {}, {}), OutputFormat::kTable,
                     {});
}

constexpr std::string_view kBlocks = R"(
    T1   0-100  push "forward"
    T1   1-9    push "block 0"
    T1   2-3    api cudaLaunchKernel #1
    T1  11-19   push "block 1"
    T1  12-13   api cudaLaunchKernel #2
    T1  21-29   push "block 2"
    T1  22-23   api cudaLaunchKernel #3
    T1  31-39   push "block 3"
    T1  32-33   api cudaLaunchKernel #4
    S7  40-50   kernel a #1
    S7  50-61   kernel a #2
    S7  61-73   kernel a #3
    S7  73-80   kernel b #4
)";

}  // namespace

TEST_CASE("equal siblings share a line and their sums add up") {
  CHECK(ViewOf(kBlocks, {.min_share = 0.01, .fold = true}) ==
        "0 trace 40 100\n"
        "1 forward 40 100\n"
        "2 block 0-2 ×3 33 151\n"
        "3 a 33 33\n"
        "2 block 3 7 49\n"  // Holds another kernel.
        "3 b 7 7\n");
}

TEST_CASE("names of folded siblings keep numbers whole") {
  CHECK(FoldedName({"layers.10.mlp", "layers.9.mlp", "layers.8.mlp"}) == "layers.8-10.mlp ×3");
  CHECK(FoldedName({"h10", "h11", "h12"}) == "h10-12 ×3");
  CHECK(FoldedName({"a", "a"}) == "a");
}

TEST_CASE("a node that is heavy on the host stays beside heavy kernels") {
  const char* timeline = R"(
    T1    0-500  push "prepare"
    T1  500-510  push "short"
    T1  501-502  api cudaLaunchKernel #1
    T1  510-512  push "tiny"
    T1  512-514  push "tiny too"
    S7  520-1000 kernel a #1
  )";
  CHECK(ViewOf(timeline, {.min_share = 0.05}) ==
        "0 trace 480 1000\n"
        "1 short 480 500\n"
        "2 a 480 480\n"
        "1 prepare 0 500\n"
        "1 [other] 0 -\n");
}

TEST_CASE("nothing in a tree lasts longer than the window") {
  const std::string text = ViewOf(kBlocks, {.window_length = 30});
  CHECK(text.starts_with("0 trace 40 30\n1 forward 40 30\n"));
}

TEST_CASE("without GPU work a tree is about the time of the host") {
  const std::string text = TableOf(R"(
    T1    0-300  push "read"
    T1  300-1000 push "solve"
  )");
  CHECK(text.find("device") == std::string::npos);
  CHECK(text.find("70.0") != std::string::npos);
  CHECK(text.find("solve") < text.find("read"));
}

TEST_CASE("a program without phases has ranges and kernels") {
  const std::string text = TableOf(R"(
    T1    0-300  push "halo exchange"
    T1    2-3    api cudaLaunchKernel #1
    S7    4-9    kernel pack #1
    S7   20-25   kernel stray
  )");
  CHECK(text.find("phase") == std::string::npos);
  CHECK(text.find("range ") != std::string::npos);
  CHECK(text.find("kernel") != std::string::npos);
  CHECK(TableOf(kBlocks).find("phase") != std::string::npos);
}

TEST_CASE("explain says that a layer is inferred and by what") {
  std::string timeline;
  for (int i = 0; i < 12; ++i) {
    const std::string id = std::to_string(i + 1), at = std::to_string(10 * i);
    const std::string end = std::to_string(10 * i + 5);
    timeline += "T1 " + at + "-" + end + " api cudaLaunchKernel #" + id + "\n";
    timeline += "S7 " + std::to_string(10 * i + 200) + "-" + std::to_string(10 * i + 205) +
                " kernel " + (i % 2 == 0 ? "gemm" : "softmax") + " #" + id + "\n";
  }
  timeline += "T1 0-130 push \"forward pass\"\n";
  const Trace trace = test::MakeTrace(timeline);
  const Hierarchy hierarchy(trace);
  const PathTotals tree(hierarchy, {.with_calls = false, .keep_places = true});
  const auto explain = [&](std::string_view path) {
    return WriteReport(MakeTreeExplainReport(tree, FindTreeNode(tree, path), KernelRules::BuiltIn(),
                                             NameForm::kShort, {}, {}),
                       OutputFormat::kTable, {});
  };
  CHECK(explain("forward pass").find("recorded by the program") != std::string::npos);
  const std::string layer = explain("gemm, softmax");
  CHECK(layer.find("layer, by repetition (inferred: ") != std::string::npos);
  CHECK(layer.find("had the range around this open") != std::string::npos);
  CHECK(layer.find("had this range open") == std::string::npos);
}

// The second kernel is loaded for a millisecond, and nothing runs meanwhile.
constexpr std::string_view kColdLaunch = R"(
    T1 0-5000           api cudaLaunchKernel #1
    S7 6000-106000      kernel a #1
    T1 110000-1115000   api cudaLaunchKernel #2
    S7 1116000-1216000  kernel b #2
    T1 1120000-1125000  api cudaLaunchKernel #3
    S7 1217000-1317000  kernel b #3)";

TEST_CASE("what happens only once has a row of its own, with time and without work") {
  const std::string table = TableOf(kColdLaunch);
  const std::size_t row = table.find("[one-time costs]");
  REQUIRE(row != std::string::npos);
  const std::size_t line = table.rfind('\n', row) + 1;
  CHECK(table.substr(line, row - line).find("1.00") != std::string::npos);
  CHECK(TableOf(kBlocks).find("[one-time costs]") == std::string::npos);

  const Trace trace = test::MakeTrace(kColdLaunch);
  const Hierarchy hierarchy(trace);
  const PathTotals tree(hierarchy, {.with_calls = false});
  const Json json = Json::parse(
      WriteReport(MakeTreeReport(tree, {}, NameForm::kShort, {}, {}, {}), OutputFormat::kJson, {}));
  const Json& last = json["root"]["children"].back();
  CHECK(last["name"] == "[one-time costs]");
  CHECK(last["wall_ns"] == json["one_time_ns"]);
  CHECK(last["device_sum_ns"] == 0);
  CHECK(last["level"].is_null());
}

}  // namespace xsp
