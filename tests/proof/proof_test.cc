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
    CHECK(result.before != result.after);
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

}  // namespace
}  // namespace xsp::proof
