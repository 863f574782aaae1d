#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <utility>
#include <vector>

#include "graph/builder.h"
#include "importers/importer.h"
#include "tests/proof/prove.h"
#include "tests/support/graph_checks.h"
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

TEST_CASE("tasks and edges are all that another tool needs") {
  for (const ProofCase& proof : AllCases()) {
    INFO(proof.name);
    const Trace trace = RunAndImport(proof.before());
    const Hierarchy hierarchy(trace);
    const TaskGraph graph = BuildGraph(trace, hierarchy);
    test::CheckEdges(graph);
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
  const auto is_out_of_bounds = [](const ProofResult& result) {
    return std::abs(result.forecast_error) > kForecastBound ||
           std::abs(result.replay_error) > kReplayBound;
  };
  for (const ProofCase& proof : UnmodelledCases()) {
    INFO(proof.name);
    CHECK(is_out_of_bounds(Prove(proof)));
  }
  for (const ProofCase& proof : UnmodelledSteps()) {
    INFO(proof.name);
    CHECK(is_out_of_bounds(ProveStep(proof)));
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
