#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <utility>
#include <vector>

#include "graph/builder.h"
#include "graph/readings/edges.h"
#include "importers/importer.h"
#include "tests/proof/prove.h"
#include "tests/support/real_traces.h"

namespace xsp::proof {
namespace {

// One test for each case: its name is the case's.
class CaseInvoker : public Catch::ITestInvoker {
 public:
  CaseInvoker(const ProofCase& proof, ProofResult (*prove)(const ProofCase&))
      : proof_(proof), prove_(prove) {}

  void invoke() const override {
    const ProofResult result = prove_(proof_);
    INFO("before " << result.before << ", after " << result.after << ", forecast "
                   << result.forecast << ", naive " << result.naive);
    CHECK(std::abs(result.replay_error) <= kReplayBound);
    CHECK(std::abs(result.forecast_error) <= kForecastBound);
  }

 private:
  const ProofCase& proof_;
  ProofResult (*prove_)(const ProofCase&);
};

const bool registered = [] {
  const auto add = [](const ProofCase& proof, ProofResult (*prove)(const ProofCase&)) {
    Catch::AutoReg(new CaseInvoker(proof, prove), CATCH_INTERNAL_LINEINFO, Catch::StringRef(),
                   Catch::NameAndTags(proof.name, "[proof]"));
  };
  for (const ProofCase& proof : AllCases()) add(proof, Prove);
  for (const ProofCase& proof : AllStepCases()) add(proof, ProveStep);
  return true;
}();

// When everything happens, computed from nothing but tasks with their own durations and edges with
// their lags, as a tool would that knows no rules. Points without an edge stand where they are.
Schedule FromEdges(const TaskGraph& graph, const Answers& answers, const Schedule& anchors) {
  // Points are 2 * task for a begin, 2 * task + 1 for a finish.
  const std::size_t points = 2 * std::size_t{graph.task_count()};
  std::vector<SimTime> time(points);
  std::vector<std::uint32_t> unmet(points);
  std::vector<std::vector<std::pair<std::uint32_t, DurationNs>>> out(points);
  const auto add = [&](std::uint32_t from, std::uint32_t to, DurationNs lag) {
    out[from].emplace_back(to, lag);
    ++unmet[to];
  };
  for (TaskId task : graph.tasks()) {
    add(2 * task.value, 2 * task.value + 1, graph.own[task]);
  }
  for (const Edge& edge : ListEdges(graph, answers)) {
    add(2 * edge.from.value + (edge.from_finish ? 1 : 0),
        2 * edge.to.value + (edge.to_finish ? 1 : 0), edge.lag);
  }
  std::vector<std::uint32_t> ready;
  for (std::uint32_t point = 0; point < points; ++point) {
    if (unmet[point] > 0) continue;
    ready.push_back(point);
    time[point] = anchors.begin[TaskId(point / 2)];
  }
  while (!ready.empty()) {
    const std::uint32_t from = ready.back();
    ready.pop_back();
    for (const auto& [to, lag] : out[from]) {
      time[to] = std::max(time[to], time[from] + lag);
      if (--unmet[to] == 0) ready.push_back(to);
    }
  }
  Schedule result;
  for (std::size_t point = 0; point < points; ++point) {
    (point % 2 == 0 ? result.begin : result.finish).push_back(time[point]);
  }
  return result;
}

TEST_CASE("tasks and edges are all that another tool needs") {
  for (const ProofCase& proof : AllCases()) {
    INFO(proof.name);
    const Trace trace = RunAndImport(proof.before());
    const Hierarchy hierarchy(trace);
    const TaskGraph graph = BuildGraph(trace, hierarchy);
    Answers answers;
    // What kernels cost each other by running at the same time is no edge.
    Overlay overlay;
    overlay.ignored_rules = 1u << IndexOf(Rule::kInterference);
    const Schedule replay = Simulate(graph, overlay, &answers);
    const Schedule again = FromEdges(graph, answers, replay);
    std::uint32_t differ = 0;
    for (TaskId task : graph.tasks()) {
      const bool same =
          again.begin[task] == replay.begin[task] && again.finish[task] == replay.finish[task];
      differ += same ? 0 : 1;
    }
    CHECK(differ == 0);
  }
}

TEST_CASE("there are at least 30 programs, and 20 of steps") {
  CHECK(registered);
  CHECK(AllCases().size() >= 30);
  CHECK(AllStepCases().size() >= 20);
}

TEST_CASE("on average, steps are forecast within half a percent") {
  double sum = 0;
  for (const ProofCase& proof : AllStepCases()) sum += std::abs(ProveStep(proof).forecast_error);
  CHECK(sum / static_cast<double>(AllStepCases().size()) <= 0.005);
}

TEST_CASE("what is listed as not modelled still is not") {
  for (const ProofCase& proof : UnmodelledCases()) {
    INFO(proof.name);
    CHECK(std::abs(Prove(proof).forecast_error) > kForecastBound);
  }
  for (const ProofCase& proof : UnmodelledSteps()) {
    INFO(proof.name);
    CHECK(std::abs(ProveStep(proof).forecast_error) > kForecastBound);
  }
}

TEST_CASE("a real program whose kernels got faster") {
  const auto folder = test::RealTracesOrSkip();
  if (!folder) return;
  const std::string pair = "RajaATAli__SC23_Programming-Your-GPU-with-OpenMP_Tutorial__report";
  const Trace before = ImportFile(*folder / "nsys" / (pair + "4.sqlite"));
  const Trace after = ImportFile(*folder / "nsys" / (pair + "5.sqlite"));
  const ProofResult result = ProveFasterKernels(before, after);
  CHECK(result.after == Approx(552'700'000).epsilon(0.001));
  CHECK(std::abs(result.forecast_error) <= kRealForecastBound);
}

}  // namespace
}  // namespace xsp::proof
