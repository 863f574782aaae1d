#include "model/names/kernel_rules.h"

#include <catch2/catch.hpp>
#include <set>

#include "base/error.h"

namespace xsp {
namespace {

KernelRules Rules(const std::string& rows) {
  return KernelRules::FromJson("{\"rules\": [" + rows + "]}", "mine.json");
}

std::string FaultOf(const std::string& text) {
  try {
    KernelRules::FromJson(text, "mine.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "no fault";
}

TEST_CASE("built-in kernel rules have ids of their own and say which rule decided") {
  const KernelRules& rules = KernelRules::BuiltIn();
  std::set<std::string> ids;
  for (const KernelRule& rule : rules.rules()) {
    CHECK(rule.built_in);
    ids.insert(rule.id);
  }
  CHECK(ids.size() == rules.rules().size());

  const KernelKind kind = rules.Classify("ampere_sgemm_128x64_tn");
  CHECK(rules.rules()[kind.class_rule].id == "gemm.name");
  CHECK(rules.rules()[kind.precision_rule].id == "fp32.gemm");
  CHECK(rules.rules()[kind.tensor_cores_rule].id == "no_tensor_cores.library");
}

TEST_CASE("a name that no rule knows is of class other by no rule") {
  const KernelKind kind = KernelRules::BuiltIn().Classify("nussinov");
  CHECK(kind == KernelKind{});
}

TEST_CASE("user rules come before the built-in ones, fact by fact") {
  const KernelRules rules = Rules(
      R"({"id": "mine", "match": "^calcAll", "class": "reduction"},
         {"id": "mine.sgemm", "match": "sgemm", "precision": "tf32"})");
  const KernelKind calc = rules.Classify("calcAllFullSum");
  CHECK(calc.kernel_class == KernelClass::kReduction);
  CHECK(rules.rules()[calc.class_rule].id == "mine");
  CHECK_FALSE(rules.rules()[calc.class_rule].built_in);

  const KernelKind gemm = rules.Classify("ampere_sgemm_128x64_tn");
  CHECK(gemm.kernel_class == KernelClass::kGemm);
  CHECK(gemm.precision == Precision::kTf32);
  CHECK(gemm.tensor_cores == TensorCores::kNo);
}

TEST_CASE("a rule with when applies to kernels of that class alone") {
  const KernelRules rules =
      Rules(R"({"id": "p", "match": "zip", "when": ["softmax"], "precision": "fp8"})");
  CHECK(rules.Classify("zip_softmax").precision == Precision::kFp8);
  CHECK(rules.Classify("zip_other").precision == Precision::kUnknown);
}

TEST_CASE("rules on parameters see the parameter list, rules on names do not") {
  const KernelRules rules = Rules(
      R"({"id": "a", "match": "Widget", "in": "parameters", "class": "copy"},
         {"id": "b", "match": "Gadget", "class": "fill"})");
  CHECK(rules.Classify("run_it(Widget *, int)").kernel_class == KernelClass::kCopy);
  CHECK(rules.Classify("run_it(Gadget *, int)").kernel_class == KernelClass::kOther);
  CHECK(rules.Classify("void ns::Gadget<4>(int)").kernel_class == KernelClass::kFill);
}

TEST_CASE("a bad rule file is refused with the place and the reason") {
  CHECK_THAT(FaultOf("["), Catch::StartsWith("mine.json:1: is no JSON: "));
  CHECK(FaultOf("[]") == "mine.json:1: is a list, not an object");
  CHECK(FaultOf(R"({"rules": [7]})") == "mine.json:1: rules[0]: is a number, not an object");
  CHECK(FaultOf(R"({"rules": [{"match": "x"}]})") ==
        "mine.json:1: rules[0].id: is missing: a name of its own");
  CHECK(FaultOf(R"({"rules": [{"id": "a", "class": "gemm"}]})") ==
        "mine.json:1: rules[0].match: is missing: an expression that names contain");
  CHECK(FaultOf(R"({"rules": [{"id": "a", "match": "x"}]})") ==
        "mine.json:1: rules[0]: says nothing: give \"class\", \"precision\" or \"tensor_cores\"");
  CHECK(FaultOf(R"({"rules": [{"id": "a", "match": "x", "class": "gem"}]})") ==
        "mine.json:1: rules[0].class: is 'gem', which is none");
  CHECK(FaultOf(R"({"rules": [{"id": "a", "match": "x", "clas": "gemm"}]})") ==
        "mine.json:1: rules[0].clas: is not known here; did you mean 'class'?");
  CHECK(FaultOf(R"({"rules": [{"id": "a", "match": 5, "class": "gemm"}]})") ==
        "mine.json:1: rules[0].match: is a number, not a text");
  CHECK(FaultOf(R"({"rules": [{"id": "a", "match": "x", "in": "z", "class": "gemm"}]})") ==
        "mine.json:1: rules[0].in: is 'z', not one of name, parameters");
  CHECK(FaultOf(R"({"rules": [{"id": "a", "match": "x", "when": ["z"], "precision": "fp8"}]})") ==
        "mine.json:1: rules[0].when[0]: is 'z', which is no class");
  CHECK(FaultOf(R"({"rules": [{"id": "a", "match": "x", "when": [], "class": "gemm"},
                              {"id": "a", "match": "y", "class": "gemm"}]})") ==
        "mine.json:2: rules[1].id: is that of an earlier one");
  CHECK_THAT(FaultOf(R"({"rules": [{"id": "a", "match": "(x", "class": "gemm"}]})"),
             Catch::StartsWith("kernel rule a: bad regular expression: "));
}

TEST_CASE("a rule file that cannot be read is an error that names it") {
  CHECK_THROWS_WITH(KernelRules::Load("no/such/rules.json"), "cannot read no/such/rules.json");
  CHECK_THROWS_WITH(KernelRules::Load("."), "cannot read .");
}

TEST_CASE("expressions too large for one automaton still match") {
  std::string large = "x";
  for (int i = 0; i < 100; ++i) large += ".{1000}";
  const KernelRules rules = Rules(R"({"id": "large", "match": ")" + large +
                                  R"(", "class": "copy"},
                                     {"id": "small", "match": "^y$", "class": "fill"})");
  CHECK(rules.Classify("y").kernel_class == KernelClass::kFill);
  CHECK(rules.Classify("ncclDevKernel_Generic").kernel_class == KernelClass::kCollective);
}

TEST_CASE("long names and any bytes are classified") {
  const std::string deep(65536, '<');
  CHECK(KernelRules::BuiltIn().Classify(deep).kernel_class == KernelClass::kOther);
  CHECK(KernelRules::BuiltIn().Classify(deep + "softmax").kernel_class == KernelClass::kSoftmax);
  CHECK(KernelRules::BuiltIn().Classify("\xff\xfe\x01softmax\x80").kernel_class ==
        KernelClass::kSoftmax);
  CHECK(KernelRules::BuiltIn().Classify("").kernel_class == KernelClass::kOther);
}

}  // namespace
}  // namespace xsp
