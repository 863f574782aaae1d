#include "hierarchy/names/graph_names.h"

#include <catch2/catch.hpp>
#include <string>

#include "base/error.h"
#include "hierarchy/analyses/kernel_figures.h"
#include "tests/support/timeline.h"

namespace xsp {
namespace {

using test::MakeTrace;

// Two layers, launched one by one, within ranges.
const char* const kEager = R"(
T1  0-90  push "step[DECODE bs=8]"
T1  1-40  push "model.layers.0"
T1  2-9   push "aten::mm, sizes = [[8, 64], [64, 32]]"
T1  3-4   api cudaLaunchKernel #1
S7  10-15 kernel gemm #1 grid=2x1x1
T1  11-12 api cudaLaunchKernel #2
S7  16-18 kernel norm #2 grid=4x1x1
T1  41-80 push "model.layers.1"
T1  42-49 push "aten::mm, sizes = [[8, 32], [32, 16]]"
T1  43-44 api cudaLaunchKernel #3
S7  50-55 kernel gemm #3 grid=2x1x1
T1  51-52 api cudaLaunchKernel #4
S7  56-58 kernel norm #4 grid=4x1x1
)";

// The same, replayed twice, the second time with a kernel between that only the graph has.
const char* const kReplay = R"(
T1  0-90  push "step[DECODE bs=8]"
T1  1-9   api cudaGraphLaunch #1
S7  10-15 kernel gemm #1 grid=2x1x1 node=1
S7  16-18 kernel norm #1 grid=4x1x1 node=2
S7  20-25 kernel gemm #1 grid=2x1x1 node=3
S7  26-28 kernel norm #1 grid=4x1x1 node=4
T1  90-190 push "step[DECODE bs=8]"
T1  91-99 api cudaGraphLaunch #2
S7  110-115 kernel gemm #2 grid=2x1x1 node=5
S7  115-116 kernel copy #2 grid=1x1x1 node=6
S7  116-118 kernel norm #2 grid=4x1x1 node=7
S7  120-125 kernel gemm #2 grid=2x1x1 node=8
S7  126-128 kernel norm #2 grid=4x1x1 node=9
)";

// "model.layers.0/aten::mm model.layers.0 ..." by kernel.
std::string Places(const Trace& trace) {
  const Hierarchy hierarchy(trace);
  std::string text;
  for (EventId kernel : trace.OfKind(EventKind::kKernel)) {
    std::string place;
    for (NodeId node = hierarchy.NodeOfWork(kernel); node.valid();
         node = hierarchy.nodes().parent[node.value]) {
      const Level level = hierarchy.nodes().level[node.value];
      if (level != Level::kLayer && level != Level::kOp) continue;
      place = std::string(hierarchy.Name(node)) + (place.empty() ? "" : "/") + place;
    }
    text += (text.empty() ? "" : " ") + (place.empty() ? "-" : place);
  }
  return text;
}

}  // namespace

TEST_CASE("replayed kernels get the places of a run that launches them one by one") {
  const Trace eager = MakeTrace(kEager);
  const Hierarchy names(eager);
  Trace replay = MakeTrace(kReplay);
  CHECK(Places(replay) == "- - - - - - - - -");
  const GraphNames found = JoinGraphNames(replay, names);
  CHECK(found.replayed == 9);
  CHECK(found.names.size() == 8);
  const Trace named = WithKernelOperators(std::move(replay), found.names, found.source);
  CHECK(Places(named) ==
        "model.layers.0/aten::mm model.layers.0 model.layers.1/aten::mm model.layers.1 "
        "model.layers.0/aten::mm - model.layers.0 model.layers.1/aten::mm model.layers.1");
}

TEST_CASE("with the shapes of an operation its replayed kernel has a number of operations") {
  const Trace eager = MakeTrace(kEager);
  const Hierarchy names(eager);
  Trace replay = MakeTrace(kReplay);
  const GraphNames found = JoinGraphNames(replay, names);
  const Trace named = WithKernelOperators(std::move(replay), found.names, found.source);
  const Hierarchy hierarchy(named);
  const KernelFigures figures(hierarchy, std::span<const KernelCounters>());
  const EventSpan kernels = named.OfKind(EventKind::kKernel);
  CHECK(figures.Of(EventId(kernels.first)).flops == 2.0 * 8 * 64 * 32);
  CHECK(figures.Of(EventId(kernels.first + 2)).flops == 2.0 * 8 * 32 * 16);
}

TEST_CASE("another grid is another kernel: it has no counterpart") {
  const Trace eager = MakeTrace(kEager);
  const Hierarchy names(eager);
  const GraphNames found = JoinGraphNames(MakeTrace(R"(
T1  1-9   api cudaGraphLaunch #1
S7  10-15 kernel gemm #1 grid=3x1x1
S7  16-18 kernel norm #1 grid=5x1x1
)"),
                                          names);
  CHECK(found.replayed == 2);
  CHECK(found.names.empty());
  CHECK(found.Share() == 0);
}

TEST_CASE("PyTorch's annotations name kernels by the node of their graph") {
  Trace replay = MakeTrace(kReplay);
  const GraphNames found = NamesOfNodes(replay, UserJson::Parse(R"({
        "1": {"fqn_map": {"p1": "encoder.linear.weight", "p2": "encoder.linear.bias"}, "graph_id": 0},
        "2": [{"graph_id": 0}, {"name": "norm"}, {"name": "again"}],
        "3": {"str": "phase_A"},
        "4": {"graph_id": 0},
        "5": {"name": "block::layers.0", "module_fqn": "layers.0", "model_part_idx": 0},
        "6": "phase_B"})",
                                                                "annotations.json", ""));
  CHECK(found.replayed == 9);
  CHECK(Places(WithKernelOperators(std::move(replay), found.names)) ==
        "encoder.linear norm phase_A - layers.0 phase_B - - -");
  CHECK_THROWS_AS(NamesOfNodes(MakeTrace(kReplay), UserJson::Parse(R"({"x": {}})", "a.json", "")),
                  Error);
}

}  // namespace xsp
