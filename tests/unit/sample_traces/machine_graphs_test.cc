// CUDA graphs.
#include <set>

#include "tests/unit/sample_traces/small_program.h"

namespace xsp::samples::test {
namespace {

// Captures `nodes` kernels on one stream and, for every second one, a kernel on a branch.
MemoryRecording RunGraph(bool trace_nodes, int launches) {
  SmallProgram p;
  const int32_t branch = p.program.AddStream(p.context, false);
  const int32_t graph = p.program.AddGraph();
  const int32_t kernel = p.Kernel(30'000, 100);
  p.script.BeginCapture(p.stream);
  for (int i = 0; i < 4; ++i) p.script.Launch(kernel, p.stream);
  p.script.Launch(kernel, branch);
  p.script.Memset(1 << 20, p.stream);
  p.script.EndCapture(p.stream, graph);
  p.script.Instantiate(graph);
  for (int i = 0; i < launches; ++i) p.script.GraphLaunch(graph, p.stream);
  MachineConfig config = Quiet();
  config.trace_graph_nodes = trace_nodes;
  CHECK(p.program.CountKernels() == 5 * launches);
  return RunInMemory(p.program, config);
}

}  // namespace

TEST_CASE("capturing launches records calls and nodes, but runs nothing", "[samples]") {
  const MemoryRecording run = RunGraph(true, 0);
  CHECK(run.kernels.empty());
  CHECK(run.memsets.empty());
  CHECK(run.graph_nodes.size() == 12);  // six captured, six instantiated
  CHECK(run.graphs.size() == 2);
}

TEST_CASE("nodes of one graph launch share its correlation id and name their node", "[samples]") {
  const MemoryRecording run = RunGraph(true, 3);
  REQUIRE(run.kernels.size() == 15);
  REQUIRE(run.memsets.size() == 3);
  std::set<int64_t> instantiated;
  for (const GraphNodeRecord& node : run.graph_nodes) {
    if (node.original >= 0) instantiated.insert(node.node);
  }
  std::set<int64_t> correlations;
  for (const KernelRecord& kernel : run.kernels) {
    correlations.insert(kernel.correlation);
    CHECK(instantiated.count(kernel.graph_node) == 1);
    CHECK(CallOf(run, kernel).name == "cudaGraphLaunch_v10000");
  }
  CHECK(correlations.size() == 3);
}

TEST_CASE("branches of a graph overlap", "[samples]") {
  const MemoryRecording run = RunGraph(true, 1);
  CHECK(run.kernels[1].start < run.kernels[0].end);
}

TEST_CASE("a graph that is traced as a whole shows a span and no kernels", "[samples]") {
  const MemoryRecording nodes = RunGraph(true, 2);
  const MemoryRecording whole = RunGraph(false, 2);
  CHECK(whole.kernels.empty());
  CHECK(whole.memsets.empty());
  REQUIRE(whole.graph_spans.size() == 2);
  CHECK(whole.graph_spans[0].start == nodes.kernels[0].start);
  CHECK(whole.graph_spans[0].end == nodes.memsets[0].end);
}

}  // namespace xsp::samples::test
