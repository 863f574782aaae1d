#include <catch2/catch.hpp>
#include <cmath>

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

}  // namespace
}  // namespace xsp::proof
