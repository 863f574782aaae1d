#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "tests/proof/whatif_case.h"

namespace xsp::proof {
namespace {

// One test for each case: its name is the case's.
class CaseInvoker : public Catch::ITestInvoker {
 public:
  explicit CaseInvoker(const WhatIfCase& proof) : proof_(proof) {}

  void invoke() const override {
    const ProofResult result = ProveWhatIf(proof_);
    INFO(proof_.options << ": before " << result.before << ", after " << result.after
                        << ", forecast " << result.forecast << ", naive " << result.naive);
    CHECK(std::abs(result.replay_error) <= kReplayBound);
    CHECK(std::abs(result.forecast_error) <= kWhatIfBound);
  }

 private:
  const WhatIfCase& proof_;
};

const bool registered = [] {
  for (const WhatIfCase& proof : AllWhatIfCases()) {
    Catch::AutoReg(new CaseInvoker(proof), CATCH_INTERNAL_LINEINFO, Catch::StringRef(),
                   Catch::NameAndTags("what-if " + proof.name, "[proof]"));
  }
  return true;
}();

TEST_CASE("there are at least 30 pairs of what-ifs and on average they are within a percent") {
  CHECK(registered);
  CHECK(AllWhatIfCases().size() >= 30);
  double sum = 0;
  for (const WhatIfCase& proof : AllWhatIfCases()) {
    sum += std::abs(ProveWhatIf(proof).forecast_error);
  }
  CHECK(sum / static_cast<double>(AllWhatIfCases().size()) <= kWhatIfMeanBound);
}

// All orders of some what-ifs, "--amp" and the like, give one forecast.
void CheckOrders(const samples::Scenario& program, std::vector<std::string> options) {
  std::sort(options.begin(), options.end());
  std::optional<Forecast> first;
  do {
    const std::string asked = Joined(options, " ");
    CAPTURE(asked);
    const Forecast forecast = ForecastOf(program, asked);
    if (!first) first = forecast;
    CHECK(forecast.forecast == first->forecast);
    CHECK(forecast.fast == first->fast);
    CHECK(forecast.slow == first->slow);
    CHECK(forecast.bound == first->bound);
    CHECK(forecast.whatifs == first->whatifs);
  } while (std::next_permutation(options.begin(), options.end()));
}

TEST_CASE("the order in which what-ifs are asked for does not matter") {
  samples::ScenarioOptions options;
  options.pointwise = 3;
  const samples::Scenario training = samples::MakeTrain(options);
  CheckOrders(training, {"--amp=fp16", "--fuse", "--no-sync", "--fused-optimizer"});
  CheckOrders(training, {"--batch=2", "--ddp=2", "--accumulate=4"});
  CheckOrders(training, {"--cuda-graphs", "--no-sync", "--prefetch", "--on-gpu=H100"});
  CheckOrders(training, {"--faster=class=gemm,by=2", "--amp=bf16", "--faster=class=gemm,by=3"});
}

TEST_CASE("a loader that kept up: the truth lies within the range, whether it keeps up or not") {
  for (const ProofCase& proof : UnmodelledSteps()) {
    if (proof.program != "a loader that keeps up") continue;
    const Forecast forecast = ForecastOf(proof.before(), "--faster=name=*,by=10");
    samples::Scenario after = proof.before();
    proof.change_program(after);
    SetNoise(after, 7);
    const DurationNs truth = TrueStep(RunAndImport(after));
    CHECK(forecast.forecast < truth);  // That it keeps up is what the figure rests on.
    CHECK(forecast.slow > truth);
    CHECK(forecast.slow == Approx(forecast.measured).epsilon(0.05));
    return;
  }
  FAIL("there is no such program");
}

}  // namespace
}  // namespace xsp::proof
