#include <catch2/catch.hpp>
#include <cmath>

#include "graph/builder.h"
#include "importers/importer.h"
#include "tests/proof/prove.h"
#include "tests/support/real_traces.h"

namespace xsp::proof {
namespace {

// One test for each case: its name is the case's.
class CaseInvoker : public Catch::ITestInvoker {
 public:
  explicit CaseInvoker(const ProofCase& proof) : proof_(proof) {}

  void invoke() const override {
    const ProofResult result = Prove(proof_);
    INFO("before " << result.before << ", after " << result.after << ", forecast "
                   << result.forecast << ", naive " << result.naive);
    CHECK(std::abs(result.replay_error) <= kReplayBound);
    CHECK(std::abs(result.forecast_error) <= kForecastBound);
  }

 private:
  const ProofCase& proof_;
};

const bool registered = [] {
  for (const ProofCase& proof : AllCases()) {
    Catch::AutoReg(new CaseInvoker(proof), CATCH_INTERNAL_LINEINFO, Catch::StringRef(),
                   Catch::NameAndTags(proof.name, "[proof]"));
  }
  return true;
}();

TEST_CASE("there are at least 30 programs") {
  CHECK(registered);
  CHECK(AllCases().size() >= 30);
}

TEST_CASE("what is listed as not modelled still is not") {
  for (const ProofCase& proof : UnmodelledCases()) {
    INFO(proof.name);
    CHECK(std::abs(Prove(proof).forecast_error) > kForecastBound);
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
