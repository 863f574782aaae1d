#include "report/graph/trust_words.h"

#include <catch2/catch.hpp>

namespace xsp {
namespace {

TEST_CASE("trust is a word with its reason") {
  Trust trust;
  trust.replay_error = -0.001;
  trust.idle_explained = 0.99;
  CHECK(TrustSentence(trust) ==
        "Trust is high: replay is off by 0.1 %, 99.0 % of idle time is explained.");
  trust.level = TrustLevel::kLow;
  trust.operations = 7;
  trust.reasons = {{Doubt::kPolling, TrustLevel::kLow, 0.34},
                   {Doubt::kScatter, TrustLevel::kFair, 0.4},
                   {Doubt::kFewOperations, TrustLevel::kFair, 1}};
  // A sentence has the worst two, scripts have all.
  CHECK(TrustSentence(trust) ==
        "Trust is low: 34.0 % of the critical path is the host asking whether something is over; "
        "steps differ by ±40.0 %.");
  CHECK(TrustWords(trust).ends_with("; only 7 operations to judge by"));
  CHECK(TrustJson(trust)["level"] == "low");
  CHECK(TrustJson(trust)["reasons"].size() == 3);
}

}  // namespace
}  // namespace xsp
