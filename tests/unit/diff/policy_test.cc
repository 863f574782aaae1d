#include "diff/gates/policy.h"

#include <catch2/catch.hpp>

#include "base/error.h"
#include "diff/gates/grammar_error.h"

namespace xsp {
namespace {

std::string RefusalOf(std::string_view json) {
  try {
    ParsePolicy(json, "perf.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("a policy holds gates, noise and accepted changes", "[diff]") {
  const Policy policy = ParsePolicy(R"({
    "xsp_policy": 1,
    "about": "what main must keep",
    "fail_on": ["step > 3%", "kernels.added > 0"],
    "noise": 0.01,
    "accepted": [{"what": "step", "change": 0.05, "reason": "safer softmax",
                  "recorded": "2026-01-31", "until": "2026-03-01"}]
  })",
                                    "perf.json");
  REQUIRE(policy.gates.size() == 2);
  CHECK(policy.gates[1].what == Subject::kKernelsAdded);
  CHECK(policy.noise == 0.01);
  REQUIRE(policy.accepted.size() == 1);
  CHECK(policy.accepted[0].change == Approx(0.05));
  CHECK(policy.accepted[0].until == "2026-03-01");
}

TEST_CASE("what is odd in a policy is refused, by name", "[diff]") {
  CHECK(RefusalOf("[]") == "perf.json:1: is a list, not an object");
  CHECK(RefusalOf("{\"xsp_policy\": 2}") ==
        "perf.json:1: xsp_policy: must be 1: other versions are not known");
  CHECK(RefusalOf("{\"xsp_policy\": 1, \"failon\": []}") ==
        "perf.json:1: failon: is not known here; did you mean 'fail_on'?");
  CHECK(RefusalOf("{\"xsp_policy\": 1, \"fail_on\": \"step > 3%\"}") ==
        "perf.json:1: fail_on: is a text, not a list");
  CHECK(RefusalOf("{\"xsp_policy\": 1, \"fail_on\": [3]}") ==
        "perf.json:1: fail_on[0]: is a number, not a text");
  CHECK(RefusalOf("{\"xsp_policy\": 1, \"fail_on\": [\"stpe > 3%\"]}") ==
        "'stpe' is nothing that can be limited");
  CHECK(RefusalOf("{\"xsp_policy\": 1, \"noise\": 2}") == "perf.json:1: noise: must be at most 1");
  CHECK(RefusalOf("{\"xsp_policy\": 1, \"accepted\": [{\"what\": \"step\", \"reason\": \"x\", "
                  "\"recorded\": \"2026-02-30\", \"change\": 1}]}") ==
        "perf.json:1: accepted[0].recorded: is '2026-02-30', which is no day (YYYY-MM-DD)");
  CHECK(RefusalOf("{\"xsp_policy\": 1, \"accepted\": [{\"what\": \"step\", \"reason\": \"x\", "
                  "\"recorded\": \"2026-02-28\"}]}") ==
        "perf.json:1: accepted[0]: needs one of change, change_ns, change_bytes, change_count");
  CHECK(RefusalOf("{").starts_with("perf.json:1: is no JSON: "));
}

TEST_CASE("an accepted change takes the place of the one before", "[diff]") {
  AcceptedChange change{"step",          0.068,        LimitUnit::kShare,
                        "safer softmax", "2026-01-31", "2026-03-01"};
  const std::string first = WithAccepted("", "perf.json", change);
  CHECK(ParsePolicy(first, "perf.json").accepted == std::vector<AcceptedChange>{change});

  const std::string with_gate = R"({"xsp_policy": 1, "fail_on": ["step > 3%"], "accepted": [
    {"what": "launches", "change_count": 4, "reason": "logging", "recorded": "2026-01-01"}]})";
  std::string text = WithAccepted(with_gate, "perf.json", change);
  change.change = 0.02;
  change.until.reset();
  text = WithAccepted(text, "perf.json", change);
  const Policy policy = ParsePolicy(text, "perf.json");
  REQUIRE(policy.accepted.size() == 2);
  CHECK(policy.accepted[0].unit == LimitUnit::kCount);
  CHECK(policy.accepted[1] == change);
  CHECK(policy.gates.size() == 1);
}

TEST_CASE("an accepted change counts until its last day", "[diff]") {
  Policy policy;
  policy.accepted = {{"step", 0.05, LimitUnit::kShare, "x", "2026-01-01", "2026-02-01"},
                     {"idle", 0.05, LimitUnit::kShare, "x", "2026-01-01", std::nullopt}};
  CHECK(FindAccepted(policy, "step", "2026-02-01") != nullptr);
  CHECK(FindAccepted(policy, "step", "2026-02-02") == nullptr);
  CHECK(FindAccepted(policy, "idle", "2099-01-01") != nullptr);
  CHECK(FindAccepted(policy, "host", "2026-01-01") == nullptr);
}

}  // namespace
}  // namespace xsp
