// CUDA graphs, traced node by node or as a whole.
#include "tests/proof/one_thread.h"
#include "tests/proof/proof_case.h"

namespace xsp::proof {
namespace {

using samples::Scenario;

Scenario Graphs(bool nodes, samples::Bound bound) {
  samples::ScenarioOptions options;
  options.steps = 150;
  options.graph_nodes = nodes;
  options.bound = bound;
  options.hidden = bound == samples::Bound::kHost ? 512 : 4'096;
  return samples::MakeGraphs(options);
}

std::function<Scenario()> GraphProgram(bool nodes, samples::Bound bound) {
  return [=] { return Graphs(nodes, bound); };
}

// A graph of two branches: several kernels in the one, a single long kernel in the other.
Scenario Branches() {
  Scenario scenario;
  OneThread thread(scenario);
  samples::Script& script = thread.script();
  const int32_t stream = thread.Stream();
  const int32_t branch = thread.Stream();
  const int32_t graph = thread.program().AddGraph();
  const int32_t step = thread.Kernel("step", 40, 54);
  const int32_t aside = thread.Kernel("aside", 90, 54);
  script.BeginCapture(stream);
  for (int i = 0; i < 5; ++i) script.Launch(step, stream);
  script.Launch(aside, branch);
  script.EndCapture(stream, graph);
  script.Instantiate(graph);
  script.Loop(200);
  script.GraphLaunch(graph, stream);
  script.Work(6'000);
  script.Launch(step, stream);
  script.EndLoop();
  script.DeviceSync(thread.context());
  return scenario;
}

void HalveWork(Scenario& scenario) {
  ForEachOp(scenario, [](samples::Op& op) {
    if (op.kind == samples::OpKind::kWork) op.amount /= 2;
  });
}

}  // namespace

std::vector<ProofCase> GraphCases() {
  const auto halve = [](Scenario& scenario) { ScaleKernels(scenario, "", 500); };
  const auto halve_graph = [](Edit& edit) { edit.ScaleKernels("", 0.5); };
  using samples::Bound;
  return {
      {"CUDA graph by nodes: kernels twice as fast", "graph launches, node by node",
       "kernels × 0.5", GraphProgram(true, Bound::kGpu), halve, halve_graph},
      {"CUDA graph by nodes: sync removed", "graph launches, node by node", "sync removed",
       GraphProgram(true, Bound::kGpu), RemoveMarked,
       [](Edit& edit) { edit.RemoveCalls("cudaStreamSynchronize"); }},
      {"CUDA graph as a whole: sync removed", "graph launches as a whole", "sync removed",
       GraphProgram(false, Bound::kGpu), RemoveMarked,
       [](Edit& edit) { edit.RemoveCalls("cudaStreamSynchronize"); }},
      {"CUDA graph as a whole: half the host work", "graph launches as a whole, host-bound",
       "host gaps × 0.5", GraphProgram(false, Bound::kHost), HalveWork,
       [](Edit& edit) { edit.ScaleGaps(0.5); }},
      {"CUDA graph with two branches: the longer one takes a tenth",
       "graph of 2 branches, node by node", "longer branch × 0.1", Branches,
       [](Scenario& scenario) { ScaleKernels(scenario, "step", 100); },
       [](Edit& edit) { edit.ScaleKernels("step", 0.1); }},
  };
}

}  // namespace xsp::proof
